/* test_torment.c -- compiled DWARF with every allocation failing and every byte changed. */
#include <stdlib.h>

#include "object/dwarf/container.h"
#include "support/support.h"

#define ARENA_BYTES     ((size_t)64 << 20)
#define CONTAINER_BYTES ((size_t)16 << 20)
#define FAILURES_MOST   4000

static const char *const program =
	"cat >t.c <<'C'\n"
	"static inline __attribute__((always_inline)) int in(int a) { return a * 7 + 1; }\n"
	"static inline __attribute__((always_inline)) int mid(int a) { return in(a) ^ in(a + 2); }\n"
	"int one(int a, int b) { struct { int x; } s = { a }; if (a > b) return mid(s.x);"
	" return mid(a - b); }\n"
	"int two(int a) { for (int i = 0; i < a; i++) { int c = one(a, i); a += c; } return a; }\n"
	"int main(int c, char **v) { (void)v; return two(c) + one(c, 2); }\n"
	"C\n";

static const char *const builds[] = {
	"gcc -gdwarf-5 -O2 t.c -o $OUT",
	"gcc -gdwarf-4 -O1 -gdwarf64 t.c -o $OUT",
	"gcc -gdwarf-2 -O2 t.c -o $OUT",
	"clang-19 -gdwarf-5 -O2 t.c -o $OUT",
	"clang-19 -gdwarf-4 -O0 t.c -o $OUT",
	"clang-19 -gdwarf-5 -gsplit-dwarf=single -O2 -c t.c -o $OUT",
	"clang-19 -gdwarf-4 -gsplit-dwarf=single -O1 -c t.c -o $OUT",
};

/* Only the unit of t.c: start files of some systems bring their own. */
static void pack(struct buf *out, const char *build)
{
	char *recipe = support_printf("cd $DIR; %s%s", program, build);
	char *name = support_printf("dwarf-torment-%zu", (size_t)(unsigned char)build[4] +
				    strlen(build));
	struct file_map map = support_map(support_fixture(name, recipe));
	struct dwarf_input input = { .relocatable = strstr(build, "-c") != NULL };

	container_find(&input.main, map.bytes, map.size, "");
	container_find(&input.split, map.bytes, map.size, ".dwo");
	buf_init(out, CONTAINER_BYTES);
	container_pack(out, &input);
	ck_assert_int_eq(buf_check(out, &(struct err)ERR_INIT), 0);
	file_unmap(&map);
	free(recipe);
	free(name);
}

static int read_container(void *payload, struct err *err)
{
	const struct buf *container = payload;
	struct dwarf_input input;

	container_open(&input, (const uint8_t *)container->bytes, container->size);
	return container_read(&input, ARENA_BYTES, err);
}

START_TEST(survives_every_allocation_failure)
{
	struct buf container;

	pack(&container, builds[_i]);
	support_every_allocation_failure(read_container, &container, FAILURES_MOST);
	buf_release(&container);
}
END_TEST

static void read_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct dwarf_input input;

	(void)payload;
	container_open(&input, bytes, size);
	(void)container_read(&input, ARENA_BYTES, &err);
}

START_TEST(survives_every_byte_change)
{
	struct buf container;

	pack(&container, builds[_i]);
	support_every_byte_change((const uint8_t *)container.bytes, container.size, read_changed,
				  NULL);
	buf_release(&container);
}
END_TEST

/* Every arena ceiling on the way up ends in ERR_LIMIT or in the whole. */
START_TEST(keeps_to_its_memory)
{
	struct buf container;
	struct dwarf_input input;
	struct err err = ERR_INIT;
	size_t ceiling = 1024;

	pack(&container, builds[0]);
	container_open(&input, (const uint8_t *)container.bytes, container.size);
	while (container_read(&input, ceiling, &err) < 0) {
		ck_assert_msg(err.kind == ERR_LIMIT || err.kind == ERR_NO_MEMORY, "%s", err.text);
		ck_assert_uint_lt(ceiling, ARENA_BYTES);
		ceiling += ceiling / 8;
		err_clear(&err);
	}
	ck_assert_uint_lt(ceiling, (size_t)1 << 20);
	buf_release(&container);
}
END_TEST

int main(void)
{
	const int count = (int)(sizeof(builds) / sizeof(*builds));
	Suite *suite = suite_create("dwarf under torment");
	TCase *tests = tcase_create("torment");

	tcase_add_loop_test(tests, survives_every_allocation_failure, 0, count);
	tcase_add_loop_test(tests, survives_every_byte_change, 0, count);
	tcase_add_test(tests, keeps_to_its_memory);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
