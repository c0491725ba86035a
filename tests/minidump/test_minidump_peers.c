/* test_minidump_peers -- real dumps, against what two other programs say of them. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "minidump/minidump.h"

#define ARENA_BYTES ((size_t)64 << 20)
#define JSON_BYTES ((size_t)64 << 20)
#define FOLDER "peers/minidump/"

struct peer {
	const char *name;
	struct file_map map;
	struct arena arena;
	struct minidump dump;
	cJSON *json, *facts, *run, *whole;   /* run: rust-minidump's without symbols; whole: its JSON */
};

static cJSON *parse(const char *path)
{
	struct err err = ERR_INIT;
	struct buf text;
	cJSON *json;

	buf_init(&text, JSON_BYTES);
	ck_assert_msg(file_read_all(path, JSON_BYTES, &text, &err) == 0, "%s", err.text);
	json = cJSON_ParseWithLength(text.bytes, text.size);
	buf_release(&text);
	ck_assert_msg(json != NULL, "%s", path);
	return json;
}

static const cJSON *at(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static uint64_t number(const cJSON *value)
{
	return cJSON_IsString(value) ? strtoull(value->valuestring, NULL, 16)
				     : (uint64_t)value->valuedouble;
}

static void expect_text(const struct peer *peer, const char *what, struct text got,
			const cJSON *expected)
{
	const char *want = cJSON_IsString(expected) ? expected->valuestring : "";

	ck_assert_msg(text_is(got, want) || (got.size == 0 && *want == '\0'), "%s: %s: %.*s, not %s",
		      peer->name, what, (int)got.size, got.bytes ? got.bytes : "", want);
}

static bool open_peer(struct peer *peer, const char *dump, struct err *err)
{
	const char *base = strrchr(dump, '.');
	int size = (int)(base - dump);
	const char *whole;

	memset(peer, 0, sizeof(*peer));
	peer->name = dump;
	peer->map = support_read(support_shared(support_printf(FOLDER "dumps/%s", dump)));
	peer->json = parse(support_shared(support_printf(FOLDER "expected/%.*s.json", size, dump)));
	peer->facts = cJSON_GetObjectItemCaseSensitive(peer->json, "facts");
	peer->run = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetArrayItem(at(peer->json, "runs"), 0), "rust_minidump");
	whole = cJSON_GetStringValue(at(cJSON_GetArrayItem(at(peer->json, "runs"), 0),
					"rust_minidump_json"));
	if (whole)
		peer->whole = parse(support_shared(support_printf(FOLDER "%s", whole)));
	arena_init(&peer->arena, ARENA_BYTES);
	return minidump_open(&peer->dump, peer->map.bytes, peer->map.size, &peer->arena, err) == 0 &&
	       minidump_read(&peer->dump, err) == 0;
}

static void close_peer(struct peer *peer)
{
	cJSON_Delete(peer->json);
	cJSON_Delete(peer->whole);
	arena_release(&peer->arena);
}

/* --- What is compared --------------------------------------------------------------------------- */

static void check_system(struct peer *peer)
{
	const struct minidump_system *system = &peer->dump.system;
	const cJSON *told = at(peer->run, "system_info"), *lsb = at(peer->whole, "lsb_release");
	struct minidump_release release = minidump_linux_release(&peer->dump);
	char version[512], microcode[32] = "";
	uint64_t number_of = 0;
	uint32_t pid = 0;

	snprintf(version, sizeof(version), "%.*s%s%.*s", (int)system->os_version.size,
		 system->os_version.bytes, system->os_build.size ? " " : "",
		 (int)system->os_build.size, system->os_build.bytes);
	expect_text(peer, "os", text_of(minidump_os_long_name(system->os)), at(told, "os"));
	expect_text(peer, "os_ver", text_of(version), at(told, "os_ver"));
	expect_text(peer, "cpu_arch", text_of(minidump_cpu_name(system)), at(told, "cpu_arch"));
	expect_text(peer, "cpu_info", system->cpu_info, at(told, "cpu_info"));
	ck_assert_uint_eq(system->cpu_count, number(at(told, "cpu_count")));
	if (minidump_microcode(&peer->dump, &number_of))
		snprintf(microcode, sizeof(microcode), "0x%llx", (unsigned long long)number_of);
	expect_text(peer, "microcode", text_of(microcode), at(told, "cpu_microcode_version"));
	ck_assert(minidump_process_id(&peer->dump, &pid));
	ck_assert_uint_eq(pid, number(at(peer->whole, "pid")));
	expect_text(peer, "lsb id", release.id, at(lsb, "id"));
	expect_text(peer, "lsb release", release.release, at(lsb, "release"));
	expect_text(peer, "lsb codename", release.codename, at(lsb, "codename"));
	expect_text(peer, "lsb description", release.description, at(lsb, "description"));
}

static void check_crash(struct peer *peer)
{
	const cJSON *told = at(peer->run, "crash_info"), *thread = at(told, "crashing_thread");
	char reason[MINIDUMP_REASON_BYTES], address[32] = "";

	minidump_crash_reason(&peer->dump, reason);
	expect_text(peer, "reason", text_of(reason), at(told, "type"));
	if (peer->dump.has_exception)
		snprintf(address, sizeof(address), "0x%0*llx", peer->dump.system.is_64_bit ? 16 : 8,
			 (unsigned long long)minidump_crash_address(&peer->dump));
	expect_text(peer, "address", text_of(address), at(told, "address"));
	ck_assert_msg(peer->dump.requesting_thread ==
		      (cJSON_IsNumber(thread) ? (size_t)thread->valuedouble : MINIDUMP_NO_THREAD),
		      "%s: thread %zu crashed", peer->name, peer->dump.requesting_thread);
}

static void check_registers(const struct peer *peer, size_t thread, const cJSON *frame)
{
	const cJSON *registers = at(frame, "registers"), *told;
	struct unwind_registers got;

	if (!registers)
		return;
	ck_assert(minidump_thread_registers(&peer->dump, thread, &got));
	cJSON_ArrayForEach(told, registers) {
		unsigned n = unwind_register_named(got.arch, text_of(told->string));

		ck_assert_msg(n != UNWIND_NO_REGISTER && got.values[n] == number(told), "%s: %s",
			      peer->name, told->string);
	}
}

static void check_threads(struct peer *peer)
{
	const cJSON *threads = at(peer->facts, "threads"), *told;
	struct unwind_registers registers;
	size_t i = 0;

	cJSON_ArrayForEach(told, threads) {
		const struct minidump_thread *thread = &peer->dump.threads[i];
		const cJSON *walked = cJSON_GetArrayItem(at(peer->run, "threads"), (int)i);
		const cJSON *frame = cJSON_GetArrayItem(at(walked, "frames"), 0);
		const struct unwind_arch_facts *facts;

		ck_assert_uint_lt(i, peer->dump.thread_count);
		ck_assert_uint_eq(thread->id, number(at(told, "thread_id")));
		expect_text(peer, "thread name", thread->name, at(told, "name"));
		if (at(told, "stack_start"))
			ck_assert_uint_eq(thread->stack_start, number(at(told, "stack_start")));
		ck_assert_int_eq(minidump_thread_is_dumper(&peer->dump, i), frame == NULL);
		if (frame) {
			ck_assert(minidump_thread_registers(&peer->dump, i, &registers));
			facts = unwind_arch_facts(registers.arch);
			ck_assert_uint_eq(registers.values[facts->pc], number(at(frame, "instruction")));
			ck_assert(minidump_thread_stack(&peer->dump, i, &registers).bytes != NULL);
			check_registers(peer, i, frame);
		}
		i++;
	}
	ck_assert_uint_eq(i, peer->dump.thread_count);
}

static void check_module(struct peer *peer, const struct minidump_module *module,
			 const cJSON *fact, const cJSON *told)
{
	char version[MINIDUMP_VERSION_BYTES], id[DEBUGID_TEXT_BYTES] = "";

	ck_assert_uint_eq(module->base, number(at(fact, "base")));
	ck_assert_uint_eq(module->size, number(at(fact, "size")));
	ck_assert_uint_eq(module->time_date_stamp, number(at(fact, "time_date_stamp")));
	expect_text(peer, "code file", module->name, at(fact, "code_file"));
	ck_assert_uint_eq(module->base, number(at(told, "base_addr")));
	ck_assert_uint_eq(module->base + module->size, number(at(told, "end_addr")));
	expect_text(peer, "code id", module->code_id, at(told, "code_id"));
	expect_text(peer, "debug file", text_basename(module->debug_file), at(told, "debug_file"));
	if (!debugid_is_nil(&module->debug_id))
		debugid_format_breakpad(&module->debug_id, id);
	if (debugid_is_nil(&module->debug_id))
		ck_assert_str_eq(at(told, "debug_id")->valuestring, "000000000000000000000000000000000");
	else
		expect_text(peer, "debug id", text_of(id), at(told, "debug_id"));
	minidump_module_version(&peer->dump, module, version);
	expect_text(peer, "version", text_of(version), at(told, "version"));
	ck_assert_ptr_eq(minidump_module_at(&peer->dump, module->base), module);
	ck_assert_ptr_eq(minidump_module_at(&peer->dump, module->base + module->size - 1), module);
}

static void check_modules(struct peer *peer)
{
	const cJSON *facts = at(peer->facts, "modules"), *told = at(peer->run, "modules"), *item;
	size_t i = 0;

	cJSON_ArrayForEach(item, facts) {
		ck_assert_uint_lt(i, peer->dump.module_count);
		check_module(peer, &peer->dump.modules[i], item, cJSON_GetArrayItem(told, (int)i));
		i++;
	}
	ck_assert_uint_eq(i, peer->dump.module_count);
	i = 0;
	cJSON_ArrayForEach(item, at(peer->whole, "unloaded_modules")) {
		const struct minidump_unloaded_module *module = &peer->dump.unloaded[i];
		size_t next = 0;

		ck_assert_uint_lt(i, peer->dump.unloaded_count);
		ck_assert_uint_eq(module->base, number(at(item, "base_addr")));
		ck_assert_uint_eq(module->base + module->size, number(at(item, "end_addr")));
		expect_text(peer, "unloaded", text_basename(module->name), at(item, "filename"));
		ck_assert(minidump_unloaded_at(&peer->dump, module->base, &next) != NULL);
		i++;
	}
	ck_assert_uint_eq(i, peer->dump.unloaded_count);
}

static void check_streams(struct peer *peer)
{
	const cJSON *item;
	uint32_t i = 0;

	cJSON_ArrayForEach(item, at(peer->facts, "streams")) {
		struct minidump_stream stream = minidump_stream(&peer->dump, i++);
		const char *name = minidump_stream_name(stream.type);

		ck_assert_uint_eq(stream.type, number(at(item, "type")));
		ck_assert_uint_eq(stream.location.size, number(at(item, "data_size")));
		ck_assert_uint_eq(stream.location.rva, number(at(item, "rva")));
		if (strcmp(at(item, "name")->valuestring, "unknown") != 0)
			ck_assert_str_eq(name, at(item, "name")->valuestring);
	}
	ck_assert_uint_eq(i, peer->dump.stream_count);
	ck_assert_uint_eq(peer->dump.time_date_stamp, number(at(peer->facts, "time_date_stamp")));
}

/* Crashpad's annotations are told as lines: every text of ours is in one of them. */
static void check_annotations(struct peer *peer)
{
	const cJSON *lines = at(peer->facts, "crashpad_info"), *line;
	struct minidump_crashpad crashpad;
	struct err err = ERR_INIT;
	size_t told = 0;

	ck_assert_int_eq(minidump_crashpad(&peer->dump, &crashpad, &err), 0);
	ck_assert_int_eq(crashpad.is_there, lines != NULL);
	cJSON_ArrayForEach(line, lines)
		told += strstr(line->valuestring, "annotations[") != NULL;
	ck_assert_uint_eq(told, crashpad.annotation_count);
	for (size_t i = 0; i < crashpad.annotation_count; i++) {
		const struct minidump_annotation *it = &crashpad.annotations[i];
		bool found = it->kind == MINIDUMP_ANNOTATION_OBJECT && it->type != 1;

		cJSON_ArrayForEach(line, lines) {
			struct text told_value = text_of(line->valuestring);

			if (told_value.size < it->value.size)
				continue;
			told_value.bytes += told_value.size - it->value.size;
			told_value.size = it->value.size;
			found |= text_equal(told_value, it->value) &&
				 (!it->name.bytes ||
				  strstr(line->valuestring, support_printf("[\"%.*s\"]", (int)it->name.size,
									   it->name.bytes)));
		}
		ck_assert_msg(found, "%s: %.*s", peer->name, (int)it->value.size, it->value.bytes);
	}
}

static void check_handles(struct peer *peer)
{
	const cJSON *told = at(peer->whole, "handles"), *item;
	struct minidump_handle_list list;
	struct err err = ERR_INIT;
	size_t i = 0;

	ck_assert_int_eq(minidump_handles(&peer->dump, &list, &err), 0);
	cJSON_ArrayForEach(item, told) {
		ck_assert_uint_lt(i, list.count);
		ck_assert_uint_eq(list.items[i].handle, number(at(item, "handle")));
		expect_text(peer, "handle type", list.items[i].type_name, at(item, "type_name"));
		expect_text(peer, "handle", list.items[i].object_name, at(item, "object_name"));
		i++;
	}
	ck_assert_uint_eq(i, list.count);
}

static void check_maps(struct peer *peer)
{
	const cJSON *told = at(peer->whole, "linux_memory_map_count");
	struct text rest = minidump_text_stream(&peer->dump, 0x47670009);
	struct minidump_map map;
	size_t count = 0;

	while (minidump_next_map(&rest, &map))
		count++;
	if (cJSON_IsNumber(told))
		ck_assert_uint_eq(count, number(told));
}

START_TEST(real_dumps_are_read_as_others_read_them)
{
	const char *list = support_shared(FOLDER "index.json");
	struct peer peer;
	cJSON *index, *name;
	size_t count = 0;

	if (!list)
		return;
	index = parse(list);
	cJSON_ArrayForEach(name, at(index, "dumps")) {
		struct err err = ERR_INIT;

		if (open_peer(&peer, name->valuestring, &err)) {
			ck_assert_msg(cJSON_IsObject(peer.run), "%s is refused by others", peer.name);
			check_system(&peer);
			check_crash(&peer);
			check_threads(&peer);
			check_modules(&peer);
			check_streams(&peer);
			check_annotations(&peer);
			check_handles(&peer);
			check_maps(&peer);
			ck_assert_msg(peer.dump.loss_count == 0, "%s: %s", peer.name,
				      minidump_loss(&peer.dump, 0));
			count++;
		} else {
			ck_assert_msg(strstr(peer.name, "invalid-range"), "%s: %s", peer.name, err.text);
		}
		close_peer(&peer);
	}
	ck_assert_uint_ge(count, 25);
	cJSON_Delete(index);
}
END_TEST

/* Small dumps of several processors: registers as the case says them. */
START_TEST(contexts_of_other_processors)
{
	static const char *const cases[] = { "amd64_cfi_simple", "arm64_cfi_pac", "arm64_old_context",
					     "arm_cfi_saved", "arm_scan", "x86_cfi_deltas" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = support_shared(support_printf(FOLDER "synthetic/cases/%s.json", cases[i]));
		struct unwind_registers registers;
		struct err err = ERR_INIT;
		struct minidump dump;
		struct file_map map;
		struct arena arena;
		cJSON *json;
		const cJSON *it;

		if (!path)
			return;
		json = parse(path);
		map = support_read(support_shared(support_printf(
			FOLDER "synthetic/%s", at(json, "dump")->valuestring)));
		arena_init(&arena, ARENA_BYTES);
		ck_assert_int_eq(minidump_open(&dump, map.bytes, map.size, &arena, &err), 0);
		ck_assert_msg(minidump_read(&dump, &err) == 0, "%s: %s", cases[i], err.text);
		ck_assert(minidump_thread_registers(&dump, 0, &registers));
		cJSON_ArrayForEach(it, at(json, "registers")) {
			unsigned n = unwind_register_named(registers.arch, text_of(it->string));

			ck_assert_msg(n != UNWIND_NO_REGISTER && registers.values[n] == number(it),
				      "%s: %s", cases[i], it->string);
		}
		ck_assert(minidump_thread_stack(&dump, 0, &registers).start ==
			  number(at(at(json, "stack"), "start")));
		arena_release(&arena);
		cJSON_Delete(json);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("minidump_peers");
	TCase *tests = tcase_create("peers");

	tcase_add_test(tests, real_dumps_are_read_as_others_read_them);
	tcase_add_test(tests, contexts_of_other_processors);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
