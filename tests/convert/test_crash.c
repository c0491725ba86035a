/*
 * test_crash -- crash files in real cells: what they hold comes back as a report, and what walks
 * want is asked for.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/file.h"
#include "cfi/cfi.h"
#include "config/config.h"
#include "convert/convert.h"
#include "object/object.h"
#include "sandbox/sandbox.h"
#include "support/support.h"

#define PATIENCE_MILLIS 100000
#define REPORT_BYTES ((size_t)64 << 20)

static struct config config;
static struct nursery *nursery;
static unsigned wanted_cfi, wanted_images, wanted_symbols, wanted_ahead;
static bool has_images;

static void start(void)
{
	struct err err = ERR_INIT;

	config.cell_memory_bytes = (uint64_t)2 << 30;
	config.cell_cpu_seconds = 60;
	config.max_download_bytes = (uint64_t)1 << 30;
	wanted_cfi = wanted_images = wanted_symbols = wanted_ahead = 0;
	has_images = true;
	ck_assert_msg(nursery_start(&nursery, &config, convert_operations,
				    convert_operation_count, &err) == 0, "%s", err.text);
}

static void stop(void)
{
	nursery_stop(nursery);
}

static const char *member(const cJSON *object, const char *name)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

	return value ? value : "";
}

/* --- Answering wants ---------------------------------------------------------------------- */

/* The unwind rules of a file of this machine; -1: there is none. */
static int make_cfi(const char *path)
{
	struct err err = ERR_INIT;
	struct cfi_options options = { 0 };
	struct cfi_report report;
	struct file_map map;
	struct arena arena;
	struct object object;
	int fd = -1;

	if (file_map_path(&map, path, &err) < 0)
		return -1;
	arena_init(&arena, (size_t)256 << 20);
	if (object_open(&object, map.bytes, map.size, &arena, &err) == 0) {
		fd = memfd_create("cfi", MFD_CLOEXEC);
		ck_assert_msg(cfi_write(&object, &options, fd, &report, &err) == 0, "%s: %s", path,
			      err.text);
	}
	object_release(&object);
	arena_release(&arena);
	file_unmap(&map);
	return fd;
}

static void answer(struct cell_handle *cell, const struct cell_event *event, bool with_cfi)
{
	struct err err = ERR_INIT;
	cJSON *module = cJSON_ParseWithLength(event->name.bytes, event->name.size);
	bool is_cfi = strcmp(event->role, "cfi") == 0, is_image = strcmp(event->role, "image") == 0;
	bool is_ahead = strcmp(event->role, CONVERT_WANT_AHEAD) == 0;
	int fd = -1;

	ck_assert_ptr_nonnull(module);
	ck_assert(is_cfi || is_image || is_ahead || strcmp(event->role, "symcache") == 0);
	*(is_cfi ? &wanted_cfi : is_image ? &wanted_images : is_ahead ? &wanted_ahead : &wanted_symbols) += 1;
	if (is_cfi && with_cfi)
		fd = make_cfi(member(module, "code_file"));
	if (is_image && has_images && with_cfi)
		fd = open(member(module, "code_file"), O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(cell_answer_want(cell, fd >= 0 ? CELL_ANSWER_FILE : CELL_ANSWER_ABSENT, fd, NULL,
					  &err), 0);
	if (fd >= 0)
		close(fd);
	cJSON_Delete(module);
}

/* The report of a file, or NULL: what it failed with is in *failure. */
static cJSON *run_with(const char *operation, struct text parameters, const char *path, bool with_cfi,
		       struct err *failure)
{
	struct cell_file input = { "file", open(path, O_RDONLY | O_CLOEXEC) };
	struct cell_file output = { "report", memfd_create("report", MFD_CLOEXEC) };
	struct cell_order order = { .operation = operation, .parameters = parameters, .inputs = &input, .input_count = 1,
				    .outputs = &output, .output_count = 1, .want_max = 1000 };
	struct cell_event event;
	struct cell_handle *cell;
	cJSON *report = NULL;

	*failure = (struct err)ERR_INIT;
	ck_assert_int_ge(input.fd, 0);
	ck_assert_msg(nursery_spawn(nursery, &order, &cell, failure) == 0, "%s", failure->text);
	do {
		ck_assert_int_eq(cell_wait_event(cell, (int)support_stretched(PATIENCE_MILLIS), &event, failure), 0);
		if (event.kind == CELL_WANTS)
			answer(cell, &event, with_cfi);
	} while (event.kind == CELL_WANTS || event.kind == CELL_NOTHING);
	if (event.kind == CELL_DONE) {
		report = cJSON_ParseWithLength(event.reply.bytes, event.reply.size);
		ck_assert_ptr_nonnull(report);
	} else {
		*failure = event.status;
	}
	cell_kill(cell);
	close(input.fd);
	close(output.fd);
	return report;
}

static cJSON *run(const char *operation, const char *path, bool with_cfi, struct err *failure)
{
	return run_with(operation, TEXT(""), path, with_cfi, failure);
}

static const cJSON *list(const cJSON *report, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(report, name);
}

static const cJSON *frame(const cJSON *report, int thread, int at)
{
	return cJSON_GetArrayItem(list(cJSON_GetArrayItem(list(report, "stacktraces"), thread),
				       "frames"), at);
}

/* --- Apple --------------------------------------------------------------------------------- */

START_TEST(an_apple_report)
{
	struct err err;
	cJSON *report = run("applecrash", support_source("tests/fuzz/corpus/applecrash/macos.txt"),
			    false, &err);
	const cJSON *system, *module;

	ck_assert_msg(report != NULL, "%s", err.text);
	system = list(report, "system_info");
	ck_assert_str_eq(member(system, "os_name"), "macOS");
	ck_assert_str_eq(member(system, "os_build"), "23B74");
	ck_assert_str_eq(member(system, "cpu_arch"), "arm64");
	ck_assert_str_eq(member(report, "crash_reason"), "EXC_BAD_ACCESS (SIGSEGV)");
	ck_assert_str_eq(member(report, "crash_details"), "abort() called");
	ck_assert_int_eq(cJSON_GetArraySize(list(report, "stacktraces")), 1);
	ck_assert_str_eq(member(frame(report, 0, 0), "instruction_addr"), "0x100003f50");
	ck_assert_str_eq(member(frame(report, 0, 0), "package"), "Demo App");
	module = cJSON_GetArrayItem(list(report, "modules"), 0);
	ck_assert_str_eq(member(module, "debug_id"), "11111111-2222-3333-4444-555555555555");
	ck_assert_str_eq(member(module, "code_id"), "11111111222233334444555555555555");
	cJSON_Delete(report);
}
END_TEST

/* --- Stacks as text ------------------------------------------------------------------------- */

START_TEST(a_stack_as_text)
{
	struct err err;
	cJSON *report = run("stacktext", support_source("tests/fuzz/corpus/stacktext/asan"), false, &err);
	const cJSON *module;

	ck_assert_msg(report != NULL, "%s", err.text);
	ck_assert_ptr_nonnull(strstr(member(report, "crash_reason"), "AddressSanitizer: SEGV on unknown address"));
	ck_assert(cJSON_IsTrue(list(report, "crashed")));
	ck_assert_int_eq(cJSON_GetArraySize(list(report, "stacktraces")), 1);
	ck_assert_str_eq(member(frame(report, 0, 0), "instruction_addr"), "0x55f3c93ab054");
	ck_assert(cJSON_IsFalse(list(frame(report, 0, 1), "adjust_instruction_addr")));
	ck_assert_int_eq(cJSON_GetArraySize(list(report, "modules")), 2);
	module = cJSON_GetArrayItem(list(report, "modules"), 0);
	ck_assert_str_eq(member(module, "image_addr"), "0x55f3c92cc000");
	ck_assert_str_eq(member(module, "code_id"), "3ebdccab362d6e808d86c55bd683944e0d1746e3");
	ck_assert_str_eq(member(module, "debug_id"), "abccbd3e-2d36-806e-8d86-c55bd683944e");
	ck_assert_str_eq(member(module, "code_file"), "/src/casan");
	cJSON_Delete(report);
}
END_TEST

START_TEST(places_without_addresses)
{
	struct err err;
	cJSON *report = run("stacktext", support_source("tests/fuzz/corpus/stacktext/tombstone"), false, &err);

	ck_assert_msg(report != NULL, "%s", err.text);
	ck_assert_str_eq(member(list(report, "system_info"), "os_name"), "Android");
	ck_assert_str_eq(member(list(report, "system_info"), "cpu_arch"), "arm64");
	ck_assert_str_eq(member(report, "crash_details"), "'no cart'");
	ck_assert_str_eq(member(frame(report, 0, 1), "instruction_addr"), "0x11c34");
	ck_assert_str_eq(member(frame(report, 0, 1), "addr_mode"), "rel:1");
	ck_assert_str_eq(member(frame(report, 0, 0), "function"), "pay(int*)");
	ck_assert_str_eq(cJSON_GetArrayItem(list(report, "remarks"), 0)->valuestring,
			 "the text gives no id of 1 of 2 modules: no source is asked for them, and their frames keep the "
			 "names it gives");
	cJSON_Delete(report);
	report = run("stacktext", support_source("tests/fuzz/corpus/stacktext/stackwalk"), false, &err);
	ck_assert_msg(report != NULL, "%s", err.text);
	ck_assert_str_eq(member(cJSON_GetArrayItem(list(report, "modules"), 0), "debug_id"),
			 "01234567-89ab-cdef-0123-456789abcdef");
	ck_assert_str_eq(member(list(report, "system_info"), "cpu_arch"), "x86_64");
	cJSON_Delete(report);
}
END_TEST

START_TEST(what_is_no_stack)
{
	struct err err;

	ck_assert_ptr_null(run("stacktext", support_source("tests/fuzz/corpus/stacktext_kind/native.json"), false, &err));
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_str_eq(err.text, "no stack in it: it looks like `symbolicate`");
	ck_assert_ptr_null(run("stacktext", support_source("tests/fuzz/corpus/stacktext_kind/jvm"), false, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/symbolicate-jvm"));
}
END_TEST

/* --- Cores ---------------------------------------------------------------------------------- */

/* Five calls deep without frame pointers, and a thread that waits in libc. */
static const char core_recipe[] =
	"cat > $DIR/deep.c <<'SOURCE'\n"
	"#include <pthread.h>\n"
	"#include <unistd.h>\n"
	"static volatile int *nothing;\n"
	"__attribute__((noinline)) static int inner(int n) { return n ? inner(n - 1) + 1 : *nothing; }\n"
	"static volatile int is_there;\n"
	"static void *rest(void *unused) { is_there = 1; pause(); return unused; }\n"
	"int main(void) { pthread_t t; pthread_create(&t, 0, rest, 0);\n"
	"	while (!is_there) usleep(1000);\n"
	"	usleep(100000); return inner(3); }\n"
	"SOURCE\n"
	"gcc -g -O1 -fno-optimize-sibling-calls -fomit-frame-pointer -pthread -o $DIR/../deep.program $DIR/deep.c\n"
	"gdb -batch -nx -ex run -ex \"generate-core-file $OUT\" -ex kill $DIR/../deep.program > $DIR/log 2>&1 || true\n"
	"test -s $OUT || { cat $DIR/log; exit 1; }\n";

START_TEST(a_core_is_walked_by_its_rules)
{
	struct err err;
	cJSON *report;

	has_images = _i == 0;                        /* by libunwind, and by the walk that goes without */
	report = run("coredump", support_fixture("deep.core", core_recipe), true, &err);
	ck_assert_msg(report != NULL, "%s", err.text);
	ck_assert_str_eq(member(report, "crash_reason"), "SIGSEGV / SEGV_MAPERR / 0x0");
	ck_assert_int_eq(cJSON_GetArraySize(list(report, "stacktraces")), 2);
	/* inner 4 times, main, two of libc, _start. */
	ck_assert_int_eq(cJSON_GetArraySize(list(cJSON_GetArrayItem(list(report, "stacktraces"), 0),
						 "frames")), 8);
	ck_assert_str_eq(member(frame(report, 0, 0), "trust"), "context");
	for (int i = 1; i < 8; i++)
		ck_assert_str_eq(member(frame(report, 0, i), "trust"), "cfi");
	ck_assert_str_eq(member(frame(report, 0, 1), "instruction_addr"),
			 member(frame(report, 0, 3), "instruction_addr"));
	ck_assert_uint_ge(wanted_cfi, 2);
	ck_assert_uint_ge(wanted_images, has_images ? 2 : 1);
	cJSON_Delete(report);
}
END_TEST

START_TEST(a_packed_core_is_one)
{
	static const char *const packers[] = { "gzip -c", "zstd -q -c", "lz4 -q -c", "xz -0 -c" };
	const char *core = support_fixture("deep.core", core_recipe);
	struct err err;

	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
		char name[32], recipe[512];
		cJSON *report;

		snprintf(name, sizeof(name), "deep.core.%zu", i);
		snprintf(recipe, sizeof(recipe), "%s %s > $OUT", packers[i], core);
		report = run("coredump", support_fixture(name, recipe), false, &err);
		ck_assert_msg(report != NULL, "%s: %s", packers[i], err.text);
		ck_assert_str_eq(member(report, "crash_reason"), "SIGSEGV / SEGV_MAPERR / 0x0");
		cJSON_Delete(report);
	}
}
END_TEST

START_TEST(a_core_without_rules_is_walked_all_the_same)
{
	struct err err;
	cJSON *report = run("coredump", support_fixture("deep.core", core_recipe), false, &err);

	ck_assert_msg(report != NULL, "%s", err.text);
	ck_assert_str_eq(member(frame(report, 0, 0), "trust"), "context");
	ck_assert_str_eq(member(frame(report, 0, 1), "trust"), "scan");
	cJSON_Delete(report);
}
END_TEST

START_TEST(only_modules_are_told_where_nobody_asks_for_stacks)
{
	struct err err;
	cJSON *report = run_with("coredump", TEXT(CONVERT_ONLY_MODULES),
				 support_fixture("deep.core", core_recipe), true, &err);
	const cJSON *thread;

	ck_assert_msg(report != NULL, "%s", err.text);
	ck_assert_int_gt(cJSON_GetArraySize(list(report, "modules")), 0);
	cJSON_ArrayForEach(thread, list(report, "stacktraces"))
		ck_assert_int_eq(cJSON_GetArraySize(list(thread, "frames")), 0);
	ck_assert_uint_eq(wanted_cfi + wanted_symbols + wanted_ahead, 0);
	cJSON_Delete(report);
}
END_TEST

/* --- Minidumps -------------------------------------------------------------------------------- */

START_TEST(recorded_minidumps)
{
	static const struct { const char *file, *os, *reason, *module_type; } dumps[] = {
		{ "conformance/fixtures/linux.dmp", "Linux", "SIGSEGV / 0x45", "elf" },
		{ "conformance/fixtures/macos.dmp", "macOS", "EXC_BAD_ACCESS / KERN_INVALID_ADDRESS / 0x45",
		  "macho" },
		{ "conformance/fixtures/windows.dmp", "Windows", "EXCEPTION_ACCESS_VIOLATION_WRITE / 0x45",
		  "pe" },
	};
	struct err err;

	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		const char *path = support_shared(dumps[i].file);
		cJSON *report;

		if (!path)
			return;
		report = run("minidump", path, false, &err);
		ck_assert_msg(report != NULL, "%s: %s", dumps[i].file, err.text);
		ck_assert_str_eq(member(list(report, "system_info"), "os_name"), dumps[i].os);
		ck_assert_str_eq(member(report, "crash_reason"), dumps[i].reason);
		ck_assert_str_eq(member(cJSON_GetArrayItem(list(report, "modules"), 0), "type"),
				 dumps[i].module_type);
		ck_assert_ptr_nonnull(frame(report, 0, 0));
		cJSON_Delete(report);
	}
}
END_TEST

START_TEST(a_packed_minidump_is_one)
{
	static const struct { const char *packer, *end; bool is_whole; } packers[] = {
		{ "gzip -c", "", true }, { "zstd -q -c", "", true }, { "lz4 -q -c", "", true }, { "xz -0 -c", "", true },
		{ "gzip -c", "| head -c 2000", false }, { "gzip -c", "| head -c -5", false },
	};
	const char *dump = support_shared("conformance/fixtures/linux.dmp");
	struct err err;

	for (size_t i = 0; dump && i < sizeof(packers) / sizeof(packers[0]); i++) {
		char name[32], recipe[512];
		cJSON *report;

		snprintf(name, sizeof(name), "linux.dmp.%zu", i);
		snprintf(recipe, sizeof(recipe), "%s %s %s > $OUT", packers[i].packer, dump, packers[i].end);
		report = run("minidump", support_fixture(name, recipe), false, &err);
		ck_assert_msg((report != NULL) == packers[i].is_whole, "%s: %s", recipe, err.text);
		if (report)
			ck_assert_str_eq(member(report, "crash_reason"), "SIGSEGV / 0x45");
		else
			ck_assert_msg(strstr(err.text, "unpacking a minidump"), "%s: %s", recipe, err.text);
		cJSON_Delete(report);
	}
}
END_TEST

START_TEST(what_is_no_crash_file_is_refused)
{
	const char *text = support_source("tests/convert/test_crash.c");
	struct err err;

	ck_assert_ptr_null(run("minidump", text, false, &err));
	ck_assert_msg(strcmp(err.text, "Header mismatch") == 0, "%s", err.text);
	ck_assert_ptr_null(run("coredump", text, false, &err));
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("crash");
	TCase *tests = tcase_create("crash");

	tcase_add_checked_fixture(tests, start, stop);
	tcase_add_test(tests, an_apple_report);
	tcase_add_test(tests, a_stack_as_text);
	tcase_add_test(tests, places_without_addresses);
	tcase_add_test(tests, what_is_no_stack);
	tcase_add_loop_test(tests, a_core_is_walked_by_its_rules, 0, 2);
	tcase_add_test(tests, a_packed_core_is_one);
	tcase_add_test(tests, a_packed_minidump_is_one);
	tcase_add_test(tests, a_core_without_rules_is_walked_all_the_same);
	tcase_add_test(tests, only_modules_are_told_where_nobody_asks_for_stacks);
	tcase_add_test(tests, recorded_minidumps);
	tcase_add_test(tests, what_is_no_crash_file_is_refused);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
