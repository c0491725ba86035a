/*
 * fuzz_applecrash.c -- a crash report of either form.
 *
 * What was read must lie inside its arrays and name what it says it has.
 */
#include <stdint.h>
#include <stdlib.h>

#include "applecrash/applecrash.h"
#include "base/arena.h"
#include "base/err.h"

#define ARENA_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_thread(const struct applecrash_thread *thread)
{
	for (size_t i = 0; i < thread->frame_count; i++)
		if (thread->frames[i].module.bytes && thread->frames[i].module.size == 0)
			abort();
	for (size_t i = 0; i < thread->register_count; i++)
		if (thread->registers[i].name.size == 0)
			abort();
	if (thread->register_count > 0 && !thread->is_crashed)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text text = { (const char *)bytes, size };
	struct applecrash report;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, ARENA_BYTES);
	if (applecrash_read(&report, text, &arena, &err) == 0) {
		for (size_t i = 0; i < report.thread_count; i++)
			check_thread(&report.threads[i]);
		for (size_t i = 0; i < report.image_count; i++)
			if (report.images[i].base + report.images[i].size < report.images[i].base)
				abort();
		(void)applecrash_system_of(report.os_version);
	} else if (err.kind == ERR_NONE) {
		abort();
	}
	arena_release(&arena);
	return 0;
}
