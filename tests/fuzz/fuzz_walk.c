/*
 * fuzz_walk.c -- makes a stack, registers and CFI of the input, and walks.
 *
 * Input: a byte each for architecture, operating system, flags and the number of words on the
 * stack; a value of three bytes for each register, one for each word; the rest is the CFI of the
 * first module.  The first byte of a value says what it is: unknown or 0, an address in the stack,
 * in a module, or a number.
 *
 * Stack pointers never go down, what is stored is what was counted, and a walk that had to wait for
 * everything ends as one that had it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/reader.h"
#include "unwind/unwind.h"

#define WORDS_MAX     255u
#define FRAMES_MAX    300u
#define MODULES       3u
#define STACK_AT      UINT64_C(0x80000000)
#define FLAG_BIG      1u
#define FLAG_DECIDES  2u
#define FLAG_SYMBOLS  4u
#define FLAG_HALVES   8u             /* the stack in two regions that overlap */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct world {
	struct unwind walk;
	struct unwind_memory memory;
	struct unwind_region regions[2];
	struct unwind_modules modules;
	struct unwind_module items[MODULES];
	struct unwind_symbols symbols;
	struct cfi cfi;
	struct unwind_registers registers;
	struct unwind_frame frames[FRAMES_MAX];
	bool has_symbols;
	uint8_t stack[WORDS_MAX * 8];
	size_t stack_bytes;
};

static enum unwind_answer has_function(void *payload, uint32_t module, uint64_t address)
{
	const struct world *world = payload;

	if (module >= MODULES || address >= world->items[module].size)
		abort();
	if (!world->has_symbols)
		return UNWIND_NOT_YET;
	return address & 0x100 ? UNWIND_NO : UNWIND_YES;
}

static uint32_t parameter_bytes(void *payload, uint32_t module, uint64_t address)
{
	(void)payload;
	return module == 1 ? (uint32_t)(address & 0xff) : 0;
}

static uint64_t take_value(struct reader *reader, bool *is_known)
{
	uint8_t kind = reader_u8(reader);
	uint16_t number = reader_u16(reader);

	*is_known = kind % 8 != 0;
	switch (kind % 8) {
	case 0:
		return 0;
	case 1:
	case 2:
		return STACK_AT + number % (WORDS_MAX * 8);
	case 3:
	case 4:
		return 0x40000000 + number;
	case 5:
		return 0x50000000 + number;
	case 6:
		return number;
	default:                     /* many high bits: not canonical, signed, or near the end */
		return ~(uint64_t)number ^ (uint64_t)kind << 48;
	}
}

static void put_word(struct world *world, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		world->stack[world->stack_bytes++] = (uint8_t)(
			value >> 8 * (world->memory.big_endian ? width - 1 - i : i));
}

/* False: the CFI is none. */
static bool make(struct world *world, const uint8_t *bytes, size_t size)
{
	struct reader reader = reader_over("walk", bytes, size);
	enum unwind_arch arch = (enum unwind_arch)(reader_u8(&reader) % UNWIND_ARCHES);
	enum unwind_os os = (enum unwind_os)(reader_u8(&reader) % 4);
	const struct unwind_arch_facts *facts = unwind_arch_facts(arch);
	uint8_t flags = reader_u8(&reader), words = reader_u8(&reader);
	struct err err = ERR_INIT;
	bool is_known;

	memset(world, 0, sizeof(*world));
	world->memory.big_endian = flags & FLAG_BIG;
	unwind_registers_init(&world->registers, arch);
	for (unsigned i = 0; i < facts->register_count; i++) {
		uint64_t value = take_value(&reader, &is_known);

		if (is_known)
			unwind_registers_set(&world->registers, i, value);
	}
	for (unsigned i = 0; i < words; i++)
		put_word(world, take_value(&reader, &is_known), facts->word_bytes);
	world->regions[0] = (struct unwind_region){ STACK_AT, world->stack, world->stack_bytes };
	world->regions[1] = (struct unwind_region){ STACK_AT + 64, world->stack, world->stack_bytes };
	world->memory.regions = world->regions;
	world->memory.count = unwind_memory_sort(world->regions, flags & FLAG_HALVES ? 2 : 1);
	world->items[0] = (struct unwind_module){ .address = 0x40000000, .size = 0x8000 };
	world->items[1] = (struct unwind_module){ .address = 0x50000000, .size = 0x10000 };
	world->items[2] = (struct unwind_module){ .address = UINT64_MAX - 0xfff, .size = 0x2000 };
	world->modules.items = world->items;
	world->modules.count = MODULES;
	world->symbols = (struct unwind_symbols){ has_function, parameter_bytes, world,
						  flags & FLAG_DECIDES };
	world->walk = (struct unwind){ .memory = &world->memory, .modules = &world->modules,
				       .symbols = flags & FLAG_SYMBOLS ? &world->symbols : NULL,
				       .os = os, .frames = world->frames, .capacity = FRAMES_MAX };
	return cfi_open(&world->cfi, bytes + reader.pos, size - reader.pos, &err) == 0;
}

static void open_module(struct world *world, uint32_t module)
{
	if (module >= MODULES || world->items[module].state != UNWIND_CFI_WANTED)
		abort();
	world->items[module].state = module == 0 ? UNWIND_CFI_OPEN : UNWIND_CFI_ABSENT;
	world->items[module].cfi = module == 0 ? &world->cfi : NULL;
}

/* Everything is got when the walk says that it needs it. */
static void walk_waiting(struct world *world)
{
	enum unwind_state state;

	unwind_begin(&world->walk, &world->registers);
	while ((state = unwind_walk(&world->walk)) != UNWIND_END) {
		if (!world->items[world->walk.needed].is_touched)
			abort();
		if (state == UNWIND_NEEDS_CFI)
			open_module(world, world->walk.needed);
		else if (world->has_symbols)
			abort();
		else
			world->has_symbols = true;
	}
}

static void walk_at_once(struct world *world)
{
	for (uint32_t i = 0; i < MODULES; i++)
		open_module(world, i);
	world->has_symbols = true;
	unwind_begin(&world->walk, &world->registers);
	if (unwind_walk(&world->walk) != UNWIND_END)
		abort();
}

static void check(const struct world *world)
{
	size_t count = world->walk.frame_count < FRAMES_MAX ? world->walk.frame_count : FRAMES_MAX;

	if (world->walk.frame_count > UNWIND_LIMIT_FRAMES)
		abort();
	for (size_t i = 0; i < count; i++) {
		const struct unwind_frame *frame = &world->frames[i];

		if ((i == 0) != (frame->trust == UNWIND_TRUST_CONTEXT) ||
		    frame->module != unwind_module_at(&world->modules, frame->instruction) ||
		    (i > 0 && frame->stack_pointer < world->frames[i - 1].stack_pointer) ||
		    (i > 0 && frame->resume_address < 4096))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct world waiting, direct;
	size_t count;

	if (!make(&waiting, bytes, size) || !make(&direct, bytes, size))
		return 0;
	walk_waiting(&waiting);
	walk_at_once(&direct);
	check(&waiting);
	count = waiting.walk.frame_count < FRAMES_MAX ? waiting.walk.frame_count : FRAMES_MAX;
	if (waiting.walk.frame_count != direct.walk.frame_count)
		abort();
	for (size_t i = 0; i < count; i++)
		if (waiting.frames[i].resume_address != direct.frames[i].resume_address ||
		    waiting.frames[i].stack_pointer != direct.frames[i].stack_pointer ||
		    waiting.frames[i].trust != direct.frames[i].trust)
			abort();
	return 0;
}
