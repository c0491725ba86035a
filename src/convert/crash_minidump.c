/* crash_minidump.c -- in a cell: a minidump's threads walked, its modules and what is said of it. */
#include "convert/crash_walk.h"
#include "convert/convert_internal.h"
#include "convert/core_file.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "minidump/minidump.h"

static const char *module_type(enum minidump_os os)
{
	switch (os) {
	case MINIDUMP_WINDOWS:
		return "pe";
	case MINIDUMP_MACOS:
	case MINIDUMP_IOS:
		return "macho";
	case MINIDUMP_LINUX:
	case MINIDUMP_SOLARIS:
	case MINIDUMP_ANDROID:
		return "elf";
	default:
		return "unknown";
	}
}

static enum unwind_os unwind_os(enum minidump_os os)
{
	switch (os) {
	case MINIDUMP_WINDOWS:
		return UNWIND_OS_WINDOWS;
	case MINIDUMP_MACOS:
		return UNWIND_OS_MACOS;
	case MINIDUMP_IOS:
		return UNWIND_OS_IOS;
	default:
		return UNWIND_OS_OTHER;
	}
}

/* Modules by address; NULL with err. */
static struct crash_json_module *identify(const struct minidump *dump, struct arena *arena,
					  struct err *err)
{
	struct crash_json_module *identities = arena_alloc(arena, dump->mapped_count + 1,
							   sizeof(*identities));

	if (!identities)
		err_set(err, ERR_NO_MEMORY, "no memory for %zu modules", dump->mapped_count);
	for (size_t i = 0; identities && i < dump->mapped_count; i++) {
		const struct minidump_module *module = &dump->modules[dump->modules_by_address[i]];

		identities[i] = (struct crash_json_module){
			.type = module_type(dump->system.os), .base = module->base, .size = module->size,
			.code_file = module->name,
			.debug_file = module->debug_file.size > 0 ? module->debug_file : TEXT_NONE,
			.code_id = module->code_id, .debug_id = module->debug_id,
		};
	}
	return identities;
}

/* --- What is said of the whole ------------------------------------------------------------- */

/* "expression at file:line in function", as far as it is told. */
static int write_assertion(struct minidump *dump, struct crash_json *report, struct err *err)
{
	struct minidump_assertion assertion;
	int got = minidump_assertion(dump, &assertion, err);
	struct buf words;

	if (got < 0)
		return -1;
	buf_init(&words, LIMIT_CRASH_REPORT_BYTES);
	if (got > 0) {
		buf_add_text(&words, assertion.expression);
		if (assertion.file.size > 0) {
			buf_add_string(&words, words.size > 0 ? " at " : "at ");
			buf_add_text(&words, assertion.file);
			buf_printf(&words, ":%u", assertion.line);
		}
		if (assertion.function.size > 0) {
			buf_add_string(&words, words.size > 0 ? " in " : "in ");
			buf_add_text(&words, assertion.function);
		}
	}
	json_key(&report->json, "assertion");
	json_text(&report->json, words.size > 0 ? buf_text(&words) : TEXT(""));
	buf_release(&words);
	return 0;
}

static int write_facts(struct minidump *dump, struct crash_json *report, struct err *err)
{
	const struct crash_json_system facts = {
		.os_name = text_of(minidump_os_name(dump->system.os)),
		.os_version = dump->system.os_version, .os_build = dump->system.os_build,
		.cpu_arch = text_of(arch_name(dump->system.arch)),
	};
	char reason[MINIDUMP_REASON_BYTES], whole[MINIDUMP_REASON_BYTES + 32] = "";

	minidump_crash_reason(dump, reason);
	if (dump->has_exception)
		snprintf(whole, sizeof(whole), "%s / 0x%llx", reason,
			 (unsigned long long)minidump_crash_address(dump));
	json_member_u64(&report->json, "timestamp", dump->time_date_stamp);
	crash_json_system(report, &facts);
	json_member_bool(&report->json, "crashed", dump->has_exception);
	json_member_string(&report->json, "crash_reason", whole);
	return write_assertion(dump, report, err);
}

/* --- Threads ------------------------------------------------------------------------------- */

/* Instead of what was walked here; package and function are as they were told. */
static void write_prewalked(const struct minidump_prewalked *stacks, uint32_t first, uint32_t count,
			    const struct crash_walk *walk, const struct crash_walk_told *told,
			    const struct unwind_registers *registers, struct crash_json *report)
{
	struct json_writer *json = &report->json;

	crash_walk_begin_thread(walk, told, registers, report);
	for (uint32_t i = 0; i < count; i++) {
		struct minidump_prewalked_frame frame = minidump_prewalked_frame(stacks, first + i);

		json_object(json);
		json_member_hex(json, "instruction_addr", frame.address);
		json_member_text(json, "function", frame.symbol);
		json_member_string(json, "trust", unwind_trust_name(UNWIND_TRUST_PREWALKED));
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

/* Of a thread that is walked. */
static bool read_thread(const struct minidump *dump, size_t thread, struct unwind_registers *registers,
			struct unwind_region *region)
{
	struct minidump_memory stack;

	if (minidump_thread_is_dumper(dump, thread) || !dump->system.has_unwind_arch ||
	    !minidump_thread_registers(dump, thread, registers))
		return false;
	stack = minidump_thread_stack(dump, thread, registers);
	*region = (struct unwind_region){ stack.start, stack.bytes, (size_t)stack.size };
	return true;
}

static void expect_modules(const struct minidump *dump, struct crash_walk *walk)
{
	for (size_t i = 0; i < dump->thread_count; i++) {
		struct unwind_registers registers;
		struct unwind_region region;
		struct unwind_memory memory = { &region, 0, dump->big_endian };

		if (!read_thread(dump, i, &registers, &region))
			continue;
		memory.count = region.bytes != NULL;
		crash_walk_expect(walk, &registers, &memory);
	}
}

static int write_thread(const struct minidump *dump, const struct minidump_prewalked *stacks,
			size_t thread, struct crash_walk *walk, struct crash_json *report,
			struct err *err)
{
	bool is_dumper = minidump_thread_is_dumper(dump, thread), has_registers;
	bool has_requesting = dump->requesting_thread != MINIDUMP_NO_THREAD &&
			      !minidump_thread_is_dumper(dump, dump->requesting_thread);
	const struct crash_walk_told told = {
		.id = dump->threads[thread].id,
		.name = is_dumper ? TEXT_NONE : dump->threads[thread].name,
		.has_requesting = has_requesting,
		.is_requesting = has_requesting && thread == dump->requesting_thread,
	};
	struct unwind_registers registers;
	struct unwind_region region;
	struct unwind_memory memory = { &region, 0, dump->big_endian };
	uint32_t first, count;

	walk->frame_count = 0;
	has_registers = read_thread(dump, thread, &registers, &region);
	if (has_registers) {
		memory.count = region.bytes != NULL;
		if (crash_walk_thread(walk, &registers, &memory, err) < 0)
			return -1;
	}
	count = minidump_prewalked_find(stacks, dump->threads[thread].id, &first);
	if (count > 0)
		write_prewalked(stacks, first, count, walk, &told, has_registers ? &registers : NULL,
				report);
	else
		crash_walk_write_thread(walk, &told, has_registers ? &registers : NULL, report);
	return 0;
}

/* --- Modules ------------------------------------------------------------------------------- */

/* Unwind rules made from a PE file name the PDB the dump may not have named. */
static void fill_ids(const struct crash_walk *walk, size_t module, struct crash_json_module *told)
{
	struct text rest, id, file;
	size_t blank;

	if (walk->modules.items[module].state != UNWIND_CFI_OPEN)
		return;
	rest = walk->caches[module].cfi.module;
	for (unsigned words = 0; words < 2 && rest.size > 0; words++) {
		const char *end = memchr(rest.bytes, ' ', rest.size);

		if (!end)
			return;
		blank = (size_t)(end - rest.bytes);
		rest = (struct text){ end + 1, rest.size - blank - 1 };
	}
	for (blank = 0; blank < rest.size && rest.bytes[blank] != ' '; blank++)
		;
	id = (struct text){ rest.bytes, blank };
	file = blank < rest.size ? (struct text){ rest.bytes + blank + 1, rest.size - blank - 1 } : TEXT_NONE;
	if (debugid_is_nil(&told->debug_id) && !debugid_parse_breakpad(id, &told->debug_id))
		told->debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	if (!told->debug_file.bytes && file.size > 0)
		told->debug_file = file;
}

static void write_modules(const struct crash_walk *walk, struct crash_json *report)
{
	crash_json_modules(report);
	for (size_t i = 0; i < walk->modules.count; i++) {
		struct crash_json_module told = walk->identities[i];

		if (!walk->modules.items[i].is_touched && debugid_is_nil(&told.debug_id) &&
		    told.code_id.size == 0)
			continue;
		fill_ids(walk, i, &told);
		crash_json_module(report, &told);
	}
	crash_json_list_end(report);
}

/* --- The whole ------------------------------------------------------------------------------ */

static int write_dump(struct minidump *dump, struct crash_walk *walk, struct crash_json *report,
		      struct err *err)
{
	struct minidump_prewalked stacks;

	if (write_facts(dump, report, err) < 0)
		return -1;
	(void)minidump_prewalked_read(dump, &stacks);
	expect_modules(dump, walk);
	crash_json_threads(report);
	for (size_t i = 0; i < dump->thread_count; i++)
		if (write_thread(dump, &stacks, i, walk, report, err) < 0)
			return -1;
	crash_json_list_end(report);
	if (crash_walk_finish(walk, err) < 0)
		return -1;
	write_modules(walk, report);
	return 0;
}

static int read_file(struct cell *cell, struct text file, struct arena *arena, void *payload,
		     struct err *err)
{
	struct crash_json_module *identities;
	struct crash_json report;
	struct crash_walk walk;
	struct minidump dump;

	(void)payload;
	if (minidump_open(&dump, file.bytes, file.size, arena, err) < 0 ||
	    minidump_read(&dump, err) < 0)
		return -1;
	identities = identify(&dump, arena, err);
	if (!identities ||
	    crash_walk_open(&walk, cell, identities, dump.mapped_count, unwind_os(dump.system.os),
			    arena, err) < 0)
		return -1;
	crash_json_begin(&report);
	return crash_json_end(&report, cell, write_dump(&dump, &walk, &report, err), err);
}

/* Its directory may lie anywhere: what was cut off is told, not read around. */
static int map_file(struct cell *cell, struct file_map *map, void *payload, struct err *err)
{
	struct core_file file;

	(void)payload;
	if (core_file_map(cell, map, &file, err) < 0)
		return -1;
	if (file.damage.kind == ERR_NONE)
		return 0;
	*err = file.damage;
	return err_while(err, "unpacking a minidump");
}

int convert_run_minidump(struct cell *cell, struct err *err)
{
	return crash_json_run(cell, map_file, read_file, NULL, err);
}
