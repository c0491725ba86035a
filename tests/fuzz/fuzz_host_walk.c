/*
 * fuzz_host_walk.c -- libunwind behind our accessors: hostile rules, tables and stacks.
 *
 * Input: the number of words on the stack, a word of three bytes each, as fuzz_walk.c reads them,
 * then the file of the one module from its .eh_frame_hdr on.  Walks end, within their reads, and
 * what is stored is what was counted.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/host_walk.h"

#define WORDS_MAX  64u
#define FRAMES_MAX 40u
#define STACK_AT   UINT64_C(0x80000000)
#define MODULE_AT  UINT64_C(0x400000)
#define TABLE_AT   (MODULE_AT + 0x1000)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct unwind_image *find_image(void *payload, uint32_t module, bool is_needed)
{
	const struct unwind_image *image = payload;

	(void)is_needed;
	if (module != 0)
		abort();
	return image->memory.count > 0 ? image : NULL;
}

static uint64_t word_of(const uint8_t *bytes)
{
	uint64_t low = bytes[1] | (uint64_t)bytes[2] << 8;

	switch (bytes[0] & 3) {
	case 0:  return STACK_AT + low % (WORDS_MAX * 8);
	case 1:  return MODULE_AT + low;
	case 2:  return low;
	default: return low << 48 | low;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	size_t words = size > 0 ? bytes[0] % WORDS_MAX : 0, used = 1 + words * 3;
	struct unwind_module item = { .address = MODULE_AT, .size = 0x10000 };
	static struct unwind_modules modules;
	struct unwind_frame frames[FRAMES_MAX];
	struct unwind_region file, stack;
	uint64_t values[WORDS_MAX];
	struct unwind_memory memory = { &stack, 1, false };
	struct unwind_image image = { .table_count = 0 };
	struct unwind_registers registers;
	struct unwind_host host;

	if (words < 4 || size < used || !unwind_host_can(UNWIND_X86_64))
		return 0;
	for (size_t i = 0; i < words; i++)
		values[i] = word_of(bytes + 1 + i * 3);
	stack = (struct unwind_region){ STACK_AT, (const uint8_t *)values, words * 8 };
	file = (struct unwind_region){ TABLE_AT, bytes + used, size - used };
	image.memory = (struct unwind_memory){ &file, unwind_memory_sort(&file, 1), false };
	(void)unwind_image_open(&image, &image.memory, TABLE_AT);
	memset(&modules, 0, sizeof(modules));
	modules.items = &item;
	modules.count = 1;
	unwind_registers_init(&registers, UNWIND_X86_64);
	for (unsigned i = 0; i < UNWIND_X86_64_REGISTERS; i++)
		unwind_registers_set(&registers, i, values[i % words]);
	unwind_registers_set(&registers, UNWIND_X86_64_RSP, STACK_AT);
	host = (struct unwind_host){
		.arch = UNWIND_X86_64, .memory = &memory, .modules = &modules, .image = find_image,
		.payload = &image, .frames = frames, .capacity = FRAMES_MAX,
	};
	unwind_host_walk(&host, &registers);
	if (host.frame_count == 0 || host.frame_count > FRAMES_MAX ||
	    host.all_reads > UNWIND_LIMIT_HOST_READS)
		abort();
	for (size_t i = 0; i < host.frame_count; i++)
		if (frames[i].resume_address - frames[i].instruction > 1 ||
		    (frames[i].module != 0 && frames[i].module != UNWIND_NO_MODULE))
			abort();
	return 0;
}
