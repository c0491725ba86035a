/*
 * test_cells -- the operations in real cells: files as sources hold them become objects,
 * objects become SymCaches, names become readable.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "config/config.h"
#include "convert/convert.h"
#include "convert/demangler.h"
#include "sandbox/sandbox.h"
#include "support/support.h"
#include "symcache/symcache.h"

#define PATIENCE_MILLIS 100000
#define ARENA_BYTES ((size_t)16 << 20)

static const char program[] =
	"cat > $DIR/a.c <<'X'\n"
	"static int answer = 42;\n"
	"__attribute__((noinline)) int callee(int x) { return x * answer; }\n"
	"int main(int argc, char **argv) { (void)argv; return callee(argc); }\n"
	"X\n"
	"cd $DIR && gcc -g -O1 -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 a.c";

static struct config config;
static struct nursery *nursery;
static struct arena arena;
static uint64_t section_max_bytes = 1 << 30;

static void start(void)
{
	struct err err = ERR_INIT;

	config.cell_memory_bytes = (uint64_t)2 << 30;
	config.cell_cpu_seconds = 60;
	config.max_download_bytes = (uint64_t)1 << 30;
	arena_init(&arena, ARENA_BYTES);
	ck_assert_msg(nursery_start(&nursery, &config, convert_operations,
				    convert_operation_count, &err) == 0, "%s", err.text);
}

static void stop(void)
{
	nursery_stop(nursery);
	arena_release(&arena);
}

static const char *fixture(const char *name, const char *then)
{
	char recipe[2000];

	snprintf(recipe, sizeof(recipe), "%s -o a\n%s", program, then);
	return support_fixture(name, recipe);
}

/* --- inspect ---------------------------------------------------------------------------- */

struct result {
	struct cell_event event;
	int output;
	bool written;
	struct convert_meta meta;
	off_t size, input_size;
};

static struct result inspect(const char *path, const struct convert_inspect *asked)
{
	struct result result = { .output = memfd_create("object", MFD_CLOEXEC) };
	struct cell_file input = { "file", open(path, O_RDONLY | O_CLOEXEC) };
	struct cell_file output = { "object", result.output };
	struct cell_order order = { .operation = "inspect", .inputs = &input, .input_count = 1,
				    .outputs = &output, .output_count = 1 };
	struct cell_handle *handle;
	struct err err = ERR_INIT;
	struct buf parameters;
	struct text json;
	struct stat st;

	ck_assert_int_ge(input.fd, 0);
	buf_init(&parameters, 4096);
	ck_assert_int_eq(convert_inspect_parameters(asked, &parameters, &err), 0);
	order.parameters = buf_text(&parameters);
	ck_assert_msg(nursery_spawn(nursery, &order, &handle, &err) == 0, "%s", err.text);
	ck_assert_int_eq(cell_wait_event(handle, (int)support_stretched(PATIENCE_MILLIS), &result.event, &err), 0);
	if (result.event.kind == CELL_DONE) {
		ck_assert_msg(convert_inspect_reply(result.event.reply, &arena, &result.written,
						    &json, &err) == 0, "%s", err.text);
		ck_assert_int_eq(convert_meta_parse(json, &arena, &result.meta, &err), 0);
	}
	cell_kill(handle);
	buf_release(&parameters);
	ck_assert_int_eq(fstat(result.output, &st), 0);
	result.size = st.st_size;
	ck_assert_int_eq(fstat(input.fd, &st), 0);
	result.input_size = st.st_size;
	close(input.fd);
	close(result.output);
	return result;
}

static const struct convert_inspect anything = {
	.code_id = { NULL, 0 }, .max_bytes = (uint64_t)1 << 30,
	.max_section_bytes = (uint64_t)1 << 30,
};

static const struct {
	const char *what, *name, *then;
	bool written;
} files[] = {
	{ "as it is", "convert-plain", "mv a $OUT", false },
	{ "gzip", "convert-gzip", "gzip -c a > $OUT", true },
	{ "zstd", "convert-zstd", "zstd -q -c a > $OUT", true },
	{ "zlib", "convert-zlib",
	  "python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(open(\"a\", \"rb\").read()))'"
	  " > $OUT", true },
	{ "zip of one file", "convert-zip", "rm -f $OUT && python3 -m zipfile -c $OUT a", true },
	{ "cabinet of one file", "convert-cab", "gcab -c -z -n $OUT a", true },
};

START_TEST(inspects_a_file)
{
	struct result result = inspect(fixture(files[_i].name, files[_i].then), &anything);

	ck_assert_msg(result.event.kind == CELL_DONE, "%s: %s", files[_i].what,
		      result.event.status.text);
	ck_assert_msg(result.written == files[_i].written, "%s", files[_i].what);
	ck_assert_int_eq(result.size > 0, files[_i].written);
	ck_assert(result.meta.has_debug_info && result.meta.has_symbols &&
		  result.meta.has_unwind_info && !result.meta.has_sources);
	ck_assert(text_is(result.meta.format, "elf"));
	ck_assert(text_is(result.meta.code_id, "0123456789abcdef0123456789abcdef01234567"));
	ck_assert_uint_eq(result.meta.want_count, 0);
}
END_TEST

static const struct {
	const char *what, *name, *then;
	uint64_t max_bytes;
	enum err_kind kind;
} bad_files[] = {
	{ "nothing", "convert-empty", ": > $OUT", 1 << 30, ERR_MALFORMED },
	{ "a web page", "convert-html", "echo '<html>not found, sorry, really</html>' > $OUT",
	  1 << 30, ERR_MALFORMED },
	{ "an ELF cut short", "convert-cut", "head -c 40 a > $OUT", 1 << 30, ERR_MALFORMED },
	{ "gzip cut short", "convert-gzip-cut", "gzip -c a | head -c 1000 > $OUT", 1 << 30,
	  ERR_MALFORMED },
	{ "gzip of nonsense", "convert-gzip-nonsense",
	  "head -c 5000 /dev/zero | gzip -c > $OUT", 1 << 30, ERR_MALFORMED },
	{ "gzip in gzip", "convert-gzip-twice", "gzip -c a | gzip -c > $OUT", 1 << 30,
	  ERR_MALFORMED },
	{ "zip of two files", "convert-zip-two", "rm -f $OUT && cp a b && python3 -m zipfile -c $OUT a b",
	  1 << 30, ERR_MALFORMED },
	{ "cabinet of two files", "convert-cab-two", "cp a b && gcab -c -z -n $OUT a b", 1 << 30,
	  ERR_MALFORMED },
	{ "zip over the ceiling", "convert-zip-bomb",
	  "rm -f $OUT && head -c 50000000 /dev/zero > z && python3 -m zipfile -c $OUT z", 1 << 20,
	  ERR_LIMIT },
	{ "over the ceiling", "convert-bomb", "head -c 50000000 /dev/zero | gzip -c > $OUT",
	  1 << 20, ERR_LIMIT },
};

START_TEST(says_what_is_wrong)
{
	struct convert_inspect asked = anything;
	struct result result;

	asked.max_bytes = bad_files[_i].max_bytes;
	result = inspect(fixture(bad_files[_i].name, bad_files[_i].then), &asked);
	ck_assert_msg(result.event.kind == CELL_FAILED, "%s: %d", bad_files[_i].what,
		      result.event.kind);
	ck_assert_msg(result.event.status.kind == bad_files[_i].kind, "%s: %s %s",
		      bad_files[_i].what, err_kind_name(result.event.status.kind),
		      result.event.status.text);
	ck_assert_msg(strlen(result.event.status.text) > 10, "%s", result.event.status.text);
}
END_TEST

static const char fat[] =
	"cd $DIR\n"
	"printf '%s' 'int twice(int x) { return 2 * x; }' > b.c\n"
	"for arch in x86_64 arm64; do\n"
	"  clang-19 -c -target $arch-apple-macos11 b.c -o $arch.o\n"
	"  ld64.lld-19 -dylib -arch $arch -platform_version macos 11.0 11.0 -o $arch $arch.o\n"
	"done\n"
	"llvm-lipo-19 -create x86_64 arm64 -output fat\n";

/* A fat file of two: the slice asked for is taken out, by debug id; packed, too. */
START_TEST(takes_the_slice)
{
	static const char *const packers[] = { "cp fat $OUT", "gzip -c fat > $OUT" };
	static const char *const names[] = { "convert-fat", "convert-fat-gz" };
	struct convert_inspect asked = anything;
	struct result thin, result;
	char recipe[1000];

	snprintf(recipe, sizeof(recipe), "%scp arm64 $OUT", fat);
	thin = inspect(support_fixture("convert-thin", recipe), &anything);
	ck_assert_msg(thin.event.kind == CELL_DONE, "%s", thin.event.status.text);
	ck_assert(!thin.written);
	ck_assert(debugid_parse(thin.meta.debug_id, &asked.debug_id));

	snprintf(recipe, sizeof(recipe), "%s%s", fat, packers[_i]);
	result = inspect(support_fixture(names[_i], recipe), &asked);
	ck_assert_msg(result.event.kind == CELL_DONE, "%s", result.event.status.text);
	ck_assert(result.written);
	ck_assert(text_is(result.meta.format, "macho"));
	ck_assert(text_is(result.meta.arch, "arm64"));
	ck_assert(text_equal(result.meta.debug_id, thin.meta.debug_id));
	ck_assert_int_eq(result.size, thin.input_size);
}
END_TEST

START_TEST(tells_what_it_wants)
{
	struct result result = inspect(fixture("convert-debuglink",
		"objcopy --only-keep-debug a a.debug\n"
		"objcopy --strip-debug --add-gnu-debuglink=a.debug a\nmv a $OUT"), &anything);

	ck_assert_msg(result.event.kind == CELL_DONE, "%s", result.event.status.text);
	ck_assert(!result.meta.has_debug_info);
	ck_assert_uint_ge(result.meta.want_count, 1);
	ck_assert_int_eq(result.meta.wants[0].role, OBJECT_ROLE_DEBUGLINK);
	ck_assert(text_is(result.meta.wants[0].name, "a.debug"));
	ck_assert_uint_ne(result.meta.wants[0].crc, 0);
}
END_TEST

/* --- symcache --------------------------------------------------------------------------- */

/* Runs the conversion; every want is answered with `companion` (NULL: absent). */
static struct cell_event convert(const char *path, const char *companion, int to,
				unsigned *wants, struct convert_symcache_reply *facts)
{
	struct cell_file input = { "object", open(path, O_RDONLY | O_CLOEXEC) };
	struct cell_file output = { "symcache", to };
	struct cell_order order = { .operation = "symcache", .inputs = &input, .input_count = 1,
				    .outputs = &output, .output_count = 1 };
	struct cell_handle *handle;
	struct err err = ERR_INIT;
	struct cell_event event;
	struct buf parameters;

	ck_assert_int_ge(input.fd, 0);
	buf_init(&parameters, 4096);
	ck_assert_int_eq(convert_symcache_parameters(
		&(struct convert_symcache){ .max_section_bytes = section_max_bytes, .threads = 2 },
		&parameters, &err), 0);
	order.parameters = buf_text(&parameters);
	ck_assert_msg(nursery_spawn(nursery, &order, &handle, &err) == 0, "%s", err.text);
	for (*wants = 0;; (*wants)++) {
		int fd = -1;

		ck_assert_int_eq(cell_wait_event(handle, (int)support_stretched(PATIENCE_MILLIS), &event, &err), 0);
		if (event.kind != CELL_WANTS)
			break;
		if (companion && strcmp(event.role, "debuglink") == 0)
			fd = open(companion, O_RDONLY | O_CLOEXEC);
		ck_assert_int_eq(cell_answer_want(handle, fd >= 0 ? CELL_ANSWER_FILE : CELL_ANSWER_ABSENT, fd,
						  NULL, &err), 0);
		if (fd >= 0)
			close(fd);
	}
	if (event.kind == CELL_DONE)
		ck_assert_int_eq(convert_symcache_reply_parse(event.reply, &arena, facts, &err), 0);
	event.reply = TEXT_NONE;
	cell_kill(handle);
	buf_release(&parameters);
	close(input.fd);
	return event;
}

static void check_main_is_known(int fd, bool with_line)
{
	struct symcache_frame frames[8];
	struct symcache cache;
	struct file_map map;
	struct err err = ERR_INIT;
	bool found = false;

	ck_assert_int_eq(file_map_fd(&map, fd, &err), 0);
	ck_assert_msg(symcache_open(&cache, map.bytes, map.size, &err) == 0, "%s", err.text);
	for (uint64_t address = 0; address < 0x4000 && !found; address++) {
		size_t count = symcache_lookup(&cache, address, frames, 8);

		for (size_t i = 0; i < count; i++)
			found |= text_is(frames[i].function, "callee") &&
				 (!with_line || (frames[i].has_file && frames[i].line == 2));
	}
	ck_assert_msg(found, "callee is not in the SymCache");
	file_unmap(&map);
}

START_TEST(converts_an_object)
{
	int to = memfd_create("symcache", MFD_CLOEXEC);
	struct convert_symcache_reply facts;
	unsigned wants;
	struct cell_event event = convert(fixture("convert-plain", "mv a $OUT"), NULL, to, &wants,
					&facts);

	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert_uint_ge(facts.units, 1);
	ck_assert_uint_eq(facts.bad_units, 0);
	ck_assert_uint_gt(facts.ranges, 0);
	ck_assert_uint_gt(facts.bytes, 0);
	check_main_is_known(to, true);
	close(to);
}
END_TEST

/* The debug information stands in another file: asked for, given or absent or broken. */
START_TEST(asks_for_companions)
{
	const char *stripped = fixture("convert-debuglink",
		"objcopy --only-keep-debug a a.debug\n"
		"objcopy --strip-debug --add-gnu-debuglink=a.debug a\nmv a $OUT");
	const char *debug = fixture("convert-debug", "objcopy --only-keep-debug a $OUT");
	const char *broken = fixture("convert-html",
		"echo '<html>not found, sorry, really</html>' > $OUT");
	const char *const companions[] = { debug, NULL, broken };
	int to = memfd_create("symcache", MFD_CLOEXEC);
	struct convert_symcache_reply facts;
	unsigned wants;
	struct cell_event event = convert(stripped, companions[_i], to, &wants, &facts);

	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert_uint_ge(wants, 1);
	check_main_is_known(to, _i == 0);
	close(to);
}
END_TEST

/* A section that would unpack to more than it may counts as absent. */
START_TEST(bounds_sections)
{
	const char *path = fixture("convert-sections",
		"objcopy --compress-debug-sections=zlib a $OUT");
	struct convert_symcache_reply facts;
	int to = memfd_create("symcache", MFD_CLOEXEC);
	struct cell_event event;
	unsigned wants;

	section_max_bytes = 16;
	event = convert(path, NULL, to, &wants, &facts);
	section_max_bytes = 1 << 30;
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert_uint_eq(facts.units, 0);
	check_main_is_known(to, false);
	close(to);
}
END_TEST

START_TEST(refuses_to_convert_nonsense)
{
	int to = memfd_create("symcache", MFD_CLOEXEC);
	struct convert_symcache_reply facts;
	unsigned wants;
	struct cell_event event = convert(fixture("convert-cut", "head -c 40 a > $OUT"), NULL, to,
					&wants, &facts);

	ck_assert_int_eq(event.kind, CELL_FAILED);
	ck_assert_msg(event.status.kind == ERR_MALFORMED, "%s", event.status.text);
	close(to);
}
END_TEST

/* --- demangle --------------------------------------------------------------------------- */

START_TEST(demangles)
{
	struct convert_name names[] = {
		{ .name = TEXT("_ZN3foo3barEi"), .language = LANGUAGE_CPP },
		{ .name = TEXT("main"), .language = LANGUAGE_C },
		{ .name = TEXT("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
		  .language = LANGUAGE_RUST },
		{ .name = TEXT(""), .language = LANGUAGE_UNKNOWN },
	};
	struct demangler *demangler;
	struct err err = ERR_INIT;

	ck_assert_int_eq(demangler_open(&demangler, nursery, NULL, &err), 0);
	for (int round = 0; round < 3; round++) {
		ck_assert_msg(demangler_ask(demangler, names, 4, &arena, &err) == 0, "%s", err.text);
		ck_assert_msg(text_is(names[0].readable, "foo::bar(int)"), "%.*s",
			      (int)names[0].readable.size, names[0].readable.bytes);
		ck_assert_ptr_null(names[1].readable.bytes);
		ck_assert_msg(text_is(names[2].readable, "core::fmt::Write::write_fmt"), "%.*s",
			      (int)names[2].readable.size, names[2].readable.bytes);
		ck_assert_ptr_null(names[3].readable.bytes);
	}
	demangler_close(demangler);
}
END_TEST

/* Many names, several batches, some as long as they get. */
START_TEST(demangles_many)
{
	enum { MANY = 9001 };
	struct convert_name *names = arena_alloc(&arena, MANY, sizeof(*names));
	char *endless = arena_alloc(&arena, 200000, 1);
	struct demangler *demangler;
	struct err err = ERR_INIT;

	memset(endless, 'x', 200000);
	memcpy(endless, "_Z", 2);
	for (unsigned i = 0; i < MANY; i++) {
		char *text = arena_printf(&arena, "_ZN3foo6f%05uEv", i);

		names[i] = (struct convert_name){ .name = text_of(text), .language = LANGUAGE_CPP };
	}
	names[5].name = (struct text){ endless, 200000 };
	ck_assert_int_eq(demangler_open(&demangler, nursery, NULL, &err), 0);
	ck_assert_msg(demangler_ask(demangler, names, MANY, &arena, &err) == 0, "%s", err.text);
	for (unsigned i = 0; i < MANY; i++) {
		char wish[32];

		snprintf(wish, sizeof(wish), "foo::f%05u()", i);
		if (i == 5)
			ck_assert_ptr_null(names[i].readable.bytes);
		else
			ck_assert_msg(text_is(names[i].readable, wish), "%u: %.*s", i,
				      (int)names[i].readable.size, names[i].readable.bytes);
	}
	demangler_close(demangler);
}
END_TEST

static uint32_t seed = 12345;

static uint32_t dice(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

/* Names nobody's compiler made: whatever they do to the cell, answers come. */
START_TEST(survives_hostile_names)
{
	static const char letters[] = "_ZNSt3IiEvT_JDpCL0123456789stQRK";
	enum { MANY = 2000 };
	struct convert_name *names = arena_alloc(&arena, MANY, sizeof(*names));
	struct demangler *demangler;
	struct err err = ERR_INIT;

	for (unsigned i = 0; i < MANY; i++) {
		size_t size = 3 + dice() % 200;
		char *text = arena_alloc(&arena, size + 1, 1);

		memcpy(text, "_ZN", 3);
		for (size_t at = 3; at < size; at++)
			text[at] = letters[dice() % (sizeof(letters) - 1)];
		names[i] = (struct convert_name){ .name = { text, size } };
	}
	ck_assert_int_eq(demangler_open(&demangler, nursery, NULL, &err), 0);
	ck_assert_msg(demangler_ask(demangler, names, MANY, &arena, &err) == 0, "%s", err.text);
	demangler_close(demangler);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("convert in cells");
	TCase *tcase = tcase_create("operations");

	tcase_add_checked_fixture(tcase, start, stop);
	tcase_add_loop_test(tcase, inspects_a_file, 0, COUNT(files));
	tcase_add_loop_test(tcase, says_what_is_wrong, 0, COUNT(bad_files));
	tcase_add_loop_test(tcase, takes_the_slice, 0, 2);
	tcase_add_test(tcase, tells_what_it_wants);
	tcase_add_test(tcase, converts_an_object);
	tcase_add_loop_test(tcase, asks_for_companions, 0, 3);
	tcase_add_test(tcase, bounds_sections);
	tcase_add_test(tcase, refuses_to_convert_nonsense);
	tcase_add_test(tcase, demangles);
	tcase_add_test(tcase, demangles_many);
	tcase_add_test(tcase, survives_hostile_names);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
