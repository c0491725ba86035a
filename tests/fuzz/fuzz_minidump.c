/* fuzz_minidump.c -- minidumps: every stream, every stack, and the listing of them all. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "minidump/minidump.h"
#include "minidump/streams.h"

#define ARENA_BYTES ((size_t)16 << 20)
#define LISTED_BYTES ((size_t)8 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What is told must be there: sanitizers see whether it is. */
static volatile unsigned sink;

static void touch(struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		sink += (unsigned char)text.bytes[i];
}

static void touch_memory(const struct minidump_memory *memory)
{
	touch((struct text){ (const char *)memory->bytes, memory->bytes ? memory->size : 0 });
}

static void walk_facts(struct minidump *dump)
{
	char reason[MINIDUMP_REASON_BYTES], version[MINIDUMP_VERSION_BYTES];
	struct unwind_registers registers;
	struct minidump_memory stack;
	uint64_t number;
	uint32_t word;

	minidump_crash_reason(dump, reason);
	number = minidump_crash_address(dump);
	(void)minidump_process_id(dump, &word);
	(void)minidump_microcode(dump, &number);
	for (size_t i = 0; i < dump->thread_count && i < 64; i++) {
		touch(dump->threads[i].name);
		(void)minidump_thread_last_error(dump, i, &word);
		if (!minidump_thread_registers(dump, i, &registers))
			continue;
		stack = minidump_thread_stack(dump, i, &registers);
		touch_memory(&stack);
	}
	for (size_t i = 0; i < dump->module_count && i < 64; i++) {
		touch(dump->modules[i].name);
		touch(dump->modules[i].debug_file);
		touch(dump->modules[i].code_id);
		touch(dump->modules[i].misc_name);
		minidump_module_version(dump, &dump->modules[i], version);
		if (!dump->modules[i].is_shadowed &&
		    minidump_module_at(dump, dump->modules[i].base) != &dump->modules[i])
			abort();
	}
	for (size_t i = 0; i < dump->memory_count && i < 64; i++) {
		touch_memory(&dump->memory[i]);
		if (minidump_memory_at(dump, dump->memory[i].start) != &dump->memory[i])
			abort();
	}
}

static void walk_lists(struct minidump *dump, struct err *err)
{
	struct minidump_memory_info_list infos;
	struct minidump_handle_list handles;
	struct minidump_crashpad crashpad;
	struct minidump_assertion assertion;
	struct minidump_mac_crash_list crashes;
	struct minidump_dso_debug debug;
	struct minidump_resource_limit limit;
	struct minidump_map map;
	struct text rest;

	if (minidump_memory_info(dump, &infos, err) < 0 || minidump_handles(dump, &handles, err) < 0 ||
	    minidump_crashpad(dump, &crashpad, err) < 0 ||
	    minidump_assertion(dump, &assertion, err) < 0 ||
	    minidump_mac_crash_info(dump, &crashes, err) < 0 ||
	    minidump_dso_debug(dump, &debug, err) < 0)
		return;
	for (size_t i = 0; i < crashpad.annotation_count && i < 64; i++) {
		touch(crashpad.annotations[i].name);
		touch(crashpad.annotations[i].value);
	}
	for (size_t i = 0; i < crashes.count; i++)
		touch(crashes.items[i].message);
	touch(minidump_mac_boot_args(dump));
	touch(minidump_linux_release(dump).id);
	rest = minidump_text_stream(dump, MD_LINUX_MAPS);
	while (minidump_next_map(&rest, &map))
		touch(map.path);
	rest = minidump_text_stream(dump, MD_MOZ_LINUX_LIMITS);
	while (minidump_next_limit(&rest, &limit))
		touch(limit.unit);
}

static int forget(void *payload, struct buf *out, struct err *err)
{
	(void)payload;
	(void)err;
	buf_clear(out);
	return 0;
}

static void list_raw(const uint8_t *bytes, size_t size, struct arena *arena)
{
	struct err err = ERR_INIT;
	struct minidump dump;
	struct buf out;

	buf_init(&out, LISTED_BYTES);
	if (minidump_open(&dump, bytes, size, arena, &err) == 0 &&
	    minidump_print_raw(&dump, &out, forget, NULL, &err) < 0)
		sink += err.kind;
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct minidump dump;
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	if (minidump_open(&dump, bytes, size, &arena, &err) == 0) {
		if (minidump_read(&dump, &err) == 0)
			walk_facts(&dump);
		walk_lists(&dump, &err);
		for (size_t i = 0; i < minidump_losses(&dump); i++)
			touch(text_of(minidump_loss(&dump, i)));
	}
	list_raw(bytes, size, &arena);
	arena_release(&arena);
	return 0;
}
