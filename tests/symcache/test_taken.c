/* test_taken -- units of packed sections, taken one by one by several threads, say what the same
 * units say unpacked. */
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "object/look.h"
#include "support/support.h"
#include "symcache/symcache.h"

#define ARENA_BYTES ((size_t)256 << 20)

/* Units of very different sizes; names so short that compilers put them into .debug_info. */
#define PROGRAM \
	"cd $DIR; python3 - <<'EOF'\n" \
	"for u in range(14):\n" \
	"    n = 250 if u == 7 else 40 if u % 5 == 0 else 3\n" \
	"    with open(f'u{u}.cc', 'w') as f:\n" \
	"        f.write('static inline __attribute__((always_inline)) int z(int a) { int r = a;'\n" \
	"                ' for (int i = 0; i < a % 7; i++) { r ^= r << 3; r += i; } return r; }\\n')\n" \
	"        for i in range(n):\n" \
	"            name = chr(97 + i % 20) + str(i // 20 % 10)\n" \
	"            f.write(f'namespace n{u} {{ struct t{i} {{ int v, w[{i + 1}]; }};'\n" \
	"                    f' int {name}(t{i} *p) {{\\n return z(p->v) * {i}; }} }}\\n')\n" \
	"            f.write(f'extern \"C\" int {name}_{u}_{i}(int a) {{\\n return z(z(a) + {i}); }}\\n')\n" \
	"    f.close()\n" \
	"EOF\n"
/* The first of the table once more. */
#define AGAIN "cd $DIR; cp ../taken-gcc5-plain a; "
#define LINK " -O1 -shared -fPIC -nostdlib -w u*.cc -o a; "

/* Changes .debug_info before it is packed. */
#define CHANGE(python) \
	"objcopy --dump-section .debug_info=i a; python3 -c \"import struct; d=bytearray(open('i','rb').read());" \
	python "; open('i','wb').write(d)\"; objcopy --update-section .debug_info=i a; "

static const struct {
	const char *name, *recipe;
	bool is_given;
} programs[] = {
	{ "taken-gcc5", PROGRAM "g++ -g" LINK, true },
	{ "taken-gcc4", PROGRAM "g++ -gdwarf-4" LINK, true },
	{ "taken-gcc64", PROGRAM "g++ -g -gdwarf64" LINK, true },
	{ "taken-types", PROGRAM "g++ -gdwarf-5 -fdebug-types-section" LINK, true },
	{ "taken-clang5", PROGRAM "clang++-19 -gdwarf-5" LINK, true },
	{ "taken-clang4", PROGRAM "clang++-19 -gdwarf-4" LINK, true },
	{ "taken-lines", PROGRAM "clang++-19 -gline-tables-only" LINK, true },
	{ "taken-padding", AGAIN CHANGE("d+=bytes(400000)"), true },
	{ "taken-between", AGAIN
	  CHANGE("n=struct.unpack_from('<I',d)[0]+4; d[n:n]=bytes(70000)"), true },
	{ "taken-apart", AGAIN
	  CHANGE("e=bytearray(); o=0\nwhile o<len(d):\n n=struct.unpack_from('<I',d,o)[0]+4;"
		 " e+=d[o:o+n]+bytes(n*4%1000); o+=n\nd=e"), true },
	{ "taken-tail", AGAIN CHANGE("d+=b'abcd'+bytes(300000)"), true },
	{ "taken-reserved", AGAIN CHANGE("d+=bytes([0xf3]+[255]*200000)"), true },
	{ "taken-short", AGAIN CHANGE("d+=b'ab'"), true },
	{ "taken-long", AGAIN CHANGE("d+=b'\\xff\\xff\\xff\\xffabc'"), true },
	{ "taken-version", AGAIN
	  CHANGE("n=struct.unpack_from('<I',d)[0]+4; d[n+4]=77"), true },
	{ "taken-broken", AGAIN
	  CHANGE("n=struct.unpack_from('<I',d)[0]+4; d[n+80:n+90]=bytes([255]*10)"), true },
	{ "taken-many", AGAIN
	  CHANGE("d+=(struct.pack('<IHBBI',9,5,1,8,0)+b'\\0')*30000"), true },
	/* Units that refer to others are not for that. */
	{ "taken-lto", PROGRAM "g++ -g -flto" LINK, false },
};
#define PROGRAMS (int)(sizeof(programs) / sizeof(programs[0]))

static const char *plain_path(int i)
{
	if (i > 0)
		plain_path(0);
	return support_fixture(support_printf("%s-plain", programs[i].name),
			       support_printf("%scp a $OUT", programs[i].recipe));
}

static const char *packed_path(int i)
{
	return support_fixture(programs[i].name,
			       support_printf("cp %s $OUT; objcopy --compress-debug-sections=zlib $OUT",
					      plain_path(i)));
}

/* Where in a unit something is wrong is counted from another place. */
static char *without_places(const char *text)
{
	char *copy = support_printf("%s", text), *to = copy;

	for (const char *at = copy; *at;) {
		if (strncmp(at, ", at byte ", 10) == 0)
			at += strcspn(at, "\n");
		else
			*to++ = *at++;
	}
	*to = '\0';
	return copy;
}

START_TEST(says_the_same)
{
	const char *plain, *packed;

	look_takes_units = true;
	plain = look_path(plain_path(_i));
	ck_assert(!look_was_given_units);
	packed = look_path(packed_path(_i));
	ck_assert_int_eq(look_was_given_units, programs[_i].is_given);
	ck_assert_uint_gt(look_count(packed, "function "), 500);
	ck_assert_str_eq(without_places(packed), without_places(plain));
}
END_TEST

struct made {
	struct symcache_report report;
	struct file_map bytes;
};

static struct made make(const char *path, bool takes_units, unsigned threads)
{
	struct file_map file = support_map(path);
	const struct symcache_options options = { .threads = threads };
	struct object object;
	struct arena arena;
	struct err err = ERR_INIT;
	struct made made;
	int fd = memfd_create("symcache", MFD_CLOEXEC);

	arena_init(&arena, ARENA_BYTES);
	ck_assert_int_eq(object_open(&object, file.bytes, file.size, &arena, &err), 0);
	object.takes_units = takes_units;
	ck_assert_int_eq(object_prepare(&object, &err), 0);
	ck_assert_msg(symcache_write(&object, &options, fd, &made.report, &err) == 0, "%s", err.text);
	object_release(&object);
	arena_release(&arena);
	file_unmap(&file);
	ck_assert_int_eq(file_map_fd(&made.bytes, fd, &err), 0);
	close(fd);
	return made;
}

START_TEST(gives_the_same_file)
{
	struct made plain = make(plain_path(_i), false, 1);

	for (unsigned threads = 1; threads <= 5; threads += 2) {
		struct made packed = make(packed_path(_i), true, threads);

		ck_assert_uint_eq(packed.bytes.size, plain.bytes.size);
		ck_assert_mem_eq(packed.bytes.bytes, plain.bytes.bytes, plain.bytes.size);
		ck_assert_uint_eq(packed.report.units, plain.report.units);
		ck_assert_uint_eq(packed.report.bad_units, plain.report.bad_units);
		ck_assert_str_eq(without_places(packed.report.first_bad),
				 without_places(plain.report.first_bad));
		file_unmap(&packed.bytes);
	}
	file_unmap(&plain.bytes);
}
END_TEST

#define SMALL \
	"cd $DIR; echo 'static inline __attribute__((always_inline)) int f(int a) { return a * 3; }" \
	" int g(int a) { return f(a + 1); }' > a.c; echo 'int h(int a) { return a / 7; }' > b.c;" \
	"gcc -g -O1 -shared -fPIC -nostdlib a.c b.c -o $OUT; objcopy --compress-debug-sections=zlib $OUT"

START_TEST(damaged_bytes)
{
	struct file_map map = support_read(support_fixture("taken-small", SMALL));

	look_takes_units = true;
	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(failing_allocations)
{
	struct file_map map = support_read(support_fixture("taken-small", SMALL));
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	look_takes_units = true;
	support_every_allocation_failure(look_work, &input, 3000);
	ck_assert(look_was_given_units);
}
END_TEST

static size_t end_of_debug_info(const uint8_t *bytes)
{
	const Elf64_Ehdr *head = (const void *)bytes;
	const Elf64_Shdr *sections = (const void *)(bytes + head->e_shoff);
	const char *names = (const char *)bytes + sections[head->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < head->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, ".debug_info") == 0)
			return sections[i].sh_offset + sections[i].sh_size;
	return 0;
}

/* What cannot be unpacked to its end is no smaller object, but none. */
START_TEST(damaged_at_the_end)
{
	struct file_map map = support_read(packed_path(0));
	struct err err = ERR_INIT;
	struct buf out;
	size_t at;

	look_takes_units = true;
	at = end_of_debug_info(map.bytes);
	ck_assert_uint_gt(at, 0);
	((uint8_t *)(uintptr_t)map.bytes)[at - 1] ^= 1;          /* of its checksum */
	buf_init(&out, LOOK_TEXT_BYTES);
	ck_assert_int_eq(look_bytes(map.bytes, map.size, NULL, 0, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_str_eq(err.text, "reading elf: reading .debug_info: unpacking .debug_info: bad zlib data: "
				   "incorrect data check");
	buf_release(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("taken");
	TCase *tests = tcase_create("taken");

	tcase_add_loop_test(tests, says_the_same, 0, PROGRAMS);
	tcase_add_loop_test(tests, gives_the_same_file, 0, PROGRAMS);
	tcase_add_test(tests, damaged_bytes);
	tcase_add_test(tests, failing_allocations);
	tcase_add_test(tests, damaged_at_the_end);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
