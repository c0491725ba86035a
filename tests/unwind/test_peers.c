/*
 * test_peers.c -- dumps of other projects' test suites, walked: every frame of every thread against
 * what rust-minidump and Breakpad say (peers/minidump below $SYMGATE_SHARED).
 *
 * Where the two differ we go with rust-minidump, but for symbol files that end without a newline:
 * those it rejects and we read.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "base/arena.h"
#include "minidump/minidump.h"
#include "support/support.h"
#include "symbol_file.h"
#include "unwind/unwind.h"

#define FRAMES_MAX  1024u
#define ARENA_BYTES ((size_t)256 << 20)

struct crash {
	struct minidump dump;
	struct arena arena;
	struct file_map map;
	struct symbol_file *files;   /* of each module, by address; map.bytes NULL: none */
	struct unwind_module *items;
	struct unwind_modules modules;
	struct unwind_symbols symbols;
	struct unwind_frame frames[FRAMES_MAX];
};

static size_t frames_compared, stacks_compared;

/* --- Symbols ------------------------------------------------------------------------------- */

static enum unwind_answer has_function(void *payload, uint32_t module, uint64_t address)
{
	const struct crash *crash = payload;
	const struct symbol_file *file = &crash->files[module];

	return !file->map.bytes || symbol_file_at(file, address) ? UNWIND_YES : UNWIND_NO;
}

static uint32_t parameter_bytes(void *payload, uint32_t module, uint64_t address)
{
	const struct crash *crash = payload;
	const struct symbol_function *function =
		crash->files[module].map.bytes ? symbol_file_at(&crash->files[module], address) : NULL;

	return function ? function->parameter_bytes : 0;
}

/* FOLDER/DEBUG_FILE/DEBUG_ID/DEBUG_FILE.sym, where a last .pdb gives way. */
static const char *symbol_path(const char *folder, const struct minidump_module *module)
{
	struct text name = text_basename(module->debug_file.bytes ? module->debug_file
								  : module->name);
	size_t stem = text_ends_with(name, ".pdb") ? name.size - 4 : name.size;
	char id[DEBUGID_TEXT_BYTES];

	if (module->debug_id.kind == DEBUGID_NIL)
		return NULL;
	debugid_format_breakpad(&module->debug_id, id);
	return support_shared(support_printf("peers/minidump/%s/%.*s/%s/%.*s.sym", folder,
					     (int)name.size, name.bytes, id, (int)stem, name.bytes));
}

/* --- A dump ------------------------------------------------------------------------------------ */

static void open_crash(struct crash *crash, const char *path, const char *symbols)
{
	struct err err = ERR_INIT;

	memset(crash, 0, sizeof(*crash));
	crash->map = support_map(support_shared(path));
	arena_init(&crash->arena, ARENA_BYTES);
	ck_assert_msg(minidump_open(&crash->dump, crash->map.bytes, crash->map.size, &crash->arena,
				    &err) == 0 && minidump_read(&crash->dump, &err) == 0,
		      "%s: %s", path, err.text);
	crash->modules.count = crash->dump.mapped_count;
	crash->modules.items = crash->items = calloc(crash->modules.count + 1, sizeof(*crash->items));
	crash->files = calloc(crash->modules.count + 1, sizeof(*crash->files));
	ck_assert(crash->items && crash->files);
	for (size_t i = 0; i < crash->modules.count; i++) {
		const struct minidump_module *module =
			&crash->dump.modules[crash->dump.modules_by_address[i]];
		const char *file = symbols ? symbol_path(symbols, module) : NULL;

		crash->items[i] = (struct unwind_module){ module->base, module->size, NULL,
							  UNWIND_CFI_ABSENT, false };
		if (!file)
			continue;
		symbol_file_open(&crash->files[i], file);
		crash->items[i].cfi = &crash->files[i].cfi;
		crash->items[i].state = UNWIND_CFI_OPEN;
	}
	crash->symbols = (struct unwind_symbols){ has_function, parameter_bytes, crash, true };
}

static void close_crash(struct crash *crash)
{
	for (size_t i = 0; i < crash->modules.count; i++)
		if (crash->files[i].map.bytes)
			symbol_file_close(&crash->files[i]);
	free(crash->files);
	free(crash->items);
	arena_release(&crash->arena);
	file_unmap(&crash->map);
}

static size_t walk_thread(struct crash *crash, size_t thread)
{
	const struct minidump *dump = &crash->dump;
	struct unwind_registers registers;
	struct unwind_region region = { 0, NULL, 0 };
	struct unwind_memory memory = { &region, 0, dump->big_endian };
	struct unwind walk = { .memory = &memory, .modules = &crash->modules,
			       .symbols = &crash->symbols, .frames = crash->frames,
			       .capacity = FRAMES_MAX };
	struct minidump_memory stack;

	if (minidump_thread_is_dumper(dump, thread) ||
	    !minidump_thread_registers(dump, thread, &registers))
		return 0;
	stack = minidump_thread_stack(dump, thread, &registers);
	if (stack.bytes) {
		region = (struct unwind_region){ stack.start, stack.bytes, (size_t)stack.size };
		memory.count = 1;
	}
	walk.os = dump->system.os == MINIDUMP_WINDOWS ? UNWIND_OS_WINDOWS :
		  dump->system.os == MINIDUMP_MACOS ? UNWIND_OS_MACOS :
		  dump->system.os == MINIDUMP_IOS ? UNWIND_OS_IOS : UNWIND_OS_OTHER;
	unwind_begin(&walk, &registers);
	ck_assert_int_eq(unwind_walk(&walk), UNWIND_END);
	ck_assert_uint_le(walk.frame_count, FRAMES_MAX);
	return walk.frame_count;
}

/* --- Comparing ----------------------------------------------------------------------------------- */

static uint64_t hex_of(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));

	ck_assert_msg(text != NULL, "no %s", name);
	return strtoull(text, NULL, 16);
}

static const char *trust_of(const struct unwind_frame *frame)
{
	return frame->trust == UNWIND_TRUST_FP ? "frame_pointer" : unwind_trust_name(frame->trust);
}

static void compare_frames(const char *what, const struct crash *crash, size_t thread, size_t count,
			   const cJSON *frames, bool is_breakpad)
{
	const cJSON *frame;
	size_t at = 0;

	cJSON_ArrayForEach(frame, frames) {
		const char *trust = cJSON_GetStringValue(cJSON_GetObjectItem(frame, "trust"));
		const struct unwind_frame *ours = &crash->frames[at];
		uint64_t address;

		/* Inlined calls come before the frame they are in. */
		if (is_breakpad && !cJSON_GetStringValue(cJSON_GetObjectItem(frame, "pc")))
			continue;
		ck_assert_msg(at < count, "%s, thread %zu: %zu frames, not more", what, thread, count);
		address = hex_of(frame, is_breakpad ? "pc" : "instruction");
		ck_assert_msg(address == (is_breakpad ? ours->resume_address : ours->instruction) &&
			      strcmp(trust, trust_of(ours)) == 0,
			      "%s, thread %zu, frame %zu: %s %llx, not %s %llx", what, thread, at,
			      trust_of(ours), (unsigned long long)ours->instruction, trust,
			      (unsigned long long)address);
		at++;
	}
	ck_assert_msg(at == count, "%s, thread %zu: %zu frames, not %zu", what, thread, count, at);
	frames_compared += count;
}

/* Stack pointers, as far as Breakpad has the same frames. */
static void compare_stacks(const char *what, const struct crash *crash, size_t thread, size_t count,
			   const cJSON *frames)
{
	static const char *const names[] = { "esp", "rsp", "sp" };
	const cJSON *frame;
	size_t at = 0;

	cJSON_ArrayForEach(frame, frames) {
		const cJSON *registers = cJSON_GetObjectItem(frame, "registers");

		if (!cJSON_GetStringValue(cJSON_GetObjectItem(frame, "pc")))
			continue;
		if (at >= count || hex_of(frame, "pc") != crash->frames[at].resume_address)
			return;
		for (unsigned i = 0; i < 3; i++) {
			if (!cJSON_HasObjectItem(registers, names[i]))
				continue;
			ck_assert_msg(hex_of(registers, names[i]) == crash->frames[at].stack_pointer,
				      "%s, thread %zu, frame %zu: sp %llx", what, thread, at,
				      (unsigned long long)crash->frames[at].stack_pointer);
			stacks_compared++;
		}
		at++;
	}
}

static const cJSON *threads_of(const cJSON *run, const char *program)
{
	return cJSON_GetObjectItem(cJSON_GetObjectItem(run, program), "threads");
}

static const cJSON *frames_of(const cJSON *threads, size_t index)
{
	const cJSON *thread;

	cJSON_ArrayForEach(thread, threads)
		if ((size_t)cJSON_GetNumberValue(cJSON_GetObjectItem(thread, "index")) == index)
			return cJSON_GetObjectItem(thread, "frames");
	return NULL;
}

static void compare_run(const char *dump, const cJSON *run)
{
	const char *symbols = cJSON_GetStringValue(cJSON_GetObjectItem(run, "symbols"));
	bool is_rejected = symbols && strstr(symbols, "linux-inline");
	const char *path = support_printf("peers/minidump/dumps/%s.dmp", dump);
	const char *what = support_printf("%s with %s", dump, symbols ? symbols : "no symbols");
	static struct crash crash;

	open_crash(&crash, path, symbols);
	for (size_t i = 0; i < crash.dump.thread_count; i++) {
		const cJSON *theirs = frames_of(threads_of(run, "rust_minidump"), i);
		const cJSON *breakpad = frames_of(threads_of(run, "breakpad"), i);
		size_t count = walk_thread(&crash, i);

		if (is_rejected)
			theirs = breakpad;
		if (theirs)
			compare_frames(what, &crash, i, count, theirs, is_rejected);
		if (breakpad)
			compare_stacks(what, &crash, i, count, breakpad);
	}
	close_crash(&crash);
}

static cJSON *read_json(const char *path)
{
	struct file_map map = support_map(path);
	cJSON *json = cJSON_ParseWithLength((const char *)map.bytes, map.size);

	ck_assert_msg(json != NULL, "%s", path);
	file_unmap(&map);
	return json;
}

START_TEST(real_dumps)
{
	const char *index = support_shared("peers/minidump/index.json");
	cJSON *list = index ? read_json(index) : NULL;
	const cJSON *name, *run;

	frames_compared = stacks_compared = 0;
	cJSON_ArrayForEach(name, cJSON_GetObjectItem(list, "dumps")) {
		const char *dump = cJSON_GetStringValue(name);
		const char *stem = support_printf("%.*s", (int)strlen(dump) - 4, dump);
		cJSON *expected;

		/* Both programs refuse it. */
		if (strstr(dump, "invalid-range"))
			continue;
		expected = read_json(support_shared(
			support_printf("peers/minidump/expected/%s.json", stem)));
		cJSON_ArrayForEach(run, cJSON_GetObjectItem(expected, "runs"))
			compare_run(stem, run);
		cJSON_Delete(expected);
	}
	if (list)
		ck_assert_uint_gt(frames_compared, 500);
	cJSON_Delete(list);
}
END_TEST

/* --- Synthetic stacks ----------------------------------------------------------------------------- */

static const char *const synthetic[] = {
	"amd64_bad_rbp_then_scan", "amd64_cfi_chain_three", "amd64_cfi_simple",
	"amd64_cfi_undef_register", "amd64_scan_no_symbols", "amd64_windows_leaf_or_scan",
	"arm64_cfi_pac", "arm64_cyclic", "arm64_fp_chain", "arm64_fp_chain_mac_pac",
	"arm64_old_context", "arm_cfi_lr", "arm_cfi_saved", "arm_scan", "x86_cfi_deltas",
	"x86_cfi_fails_unreadable", "x86_cyclic_ebp", "x86_eip_zero",
	"x86_multiple_sections_win_over_cfi", "x86_scan_no_symbols", "x86_scan_wants_named_function",
	"x86_win_bad_program", "x86_win_callee_params", "x86_win_fpo_base_pointer",
	"x86_win_framedata_align", "x86_win_framedata_ebp",
};

START_TEST(small_stacks)
{
	const char *path = support_shared(support_printf("peers/minidump/synthetic/cases/%s.json",
							 synthetic[_i]));
	static struct crash crash;
	const cJSON *expected;
	const char *symbols;
	cJSON *json;

	if (!path)
		return;
	json = read_json(path);
	expected = cJSON_GetObjectItem(json, "expected");
	symbols = cJSON_GetStringValue(cJSON_GetObjectItem(json, "symbols_dir"));
	open_crash(&crash, support_printf("peers/minidump/synthetic/dumps/%s.dmp", synthetic[_i]),
		   symbols ? support_printf("synthetic/symbols/%s", synthetic[_i]) : NULL);
	compare_frames(synthetic[_i], &crash, 0, walk_thread(&crash, 0),
		       cJSON_GetObjectItem(expected, "rust_minidump"), false);
	compare_stacks(synthetic[_i], &crash, 0, walk_thread(&crash, 0),
		       cJSON_GetObjectItem(expected, "breakpad"));
	close_crash(&crash);
	cJSON_Delete(json);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("peers");
	TCase *tcase = tcase_create("peers");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, real_dumps);
	tcase_add_loop_test(tcase, small_stacks, 0, sizeof(synthetic) / sizeof(synthetic[0]));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
