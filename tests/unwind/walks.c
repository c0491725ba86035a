/* walks.c -- see walks.h. */
#include "walks.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define MODULE_BYTES 0x10000u

/* Takes a hex number; what follows it is left. */
static uint64_t take_hex(const char **text)
{
	char *end;
	uint64_t value = strtoull(*text, &end, 16);

	ck_assert_msg(end != *text, "no number at \"%s\"", *text);
	*text = end;
	return value;
}

static void put_word(struct walk_world *world, const struct walk_case *walk_case, uint64_t value)
{
	unsigned width = unwind_arch_facts(walk_case->arch)->word_bytes;

	ck_assert_uint_le(world->region.size + width, sizeof(world->stack));
	for (unsigned i = 0; i < width; i++)
		world->stack[world->region.size + i] = (uint8_t)(
			value >> 8 * (walk_case->big_endian ? width - 1 - i : i));
	world->region.size += width;
}

static void fill_stack(struct walk_world *world, const struct walk_case *walk_case)
{
	const char *at = walk_case->stack;

	world->region = (struct unwind_region){ WALKS_STACK, world->stack, 0 };
	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		uint64_t value = take_hex(&at);
		unsigned long times = 1;

		if (*at == '*')
			times = strtoul(at + 1, (char **)&at, 10);
		while (times--)
			put_word(world, walk_case, value);
	}
}

static void fill_registers(struct walk_world *world, const struct walk_case *walk_case)
{
	const char *at = walk_case->registers;

	unwind_registers_init(&world->registers, walk_case->arch);
	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		size_t size = strcspn(at, "=");
		unsigned number = unwind_register_named(walk_case->arch,
							(struct text){ at, size });

		ck_assert_msg(number != UNWIND_NO_REGISTER, "no register at \"%s\"", at);
		at += size + 1;
		unwind_registers_set(&world->registers, number, take_hex(&at));
	}
}

/* The function that holds the address: its parameters' bytes; -1: none does. */
static long find_function(const struct walk_world *world, uint64_t address)
{
	const char *at = world->functions;

	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		uint64_t start = take_hex(&at), size, parameters = 0;

		at++;
		size = take_hex(&at);
		if (*at == ':') {
			at++;
			parameters = take_hex(&at);
		}
		if (address - start < size)
			return (long)parameters;
	}
	return -1;
}

static enum unwind_answer has_function(void *payload, uint32_t module, uint64_t address)
{
	(void)module;
	return find_function(payload, address) >= 0 ? UNWIND_YES : UNWIND_NO;
}

static uint32_t function_parameters(void *payload, uint32_t module, uint64_t address)
{
	long bytes = find_function(payload, address);

	(void)module;
	return bytes > 0 ? (uint32_t)bytes : 0;
}

static int open_cfi(struct walk_world *world, const char *text, struct err *err)
{
	static const char preamble[8] = { 'C', 'I', 'F', 'C', CFI_VERSION };
	size_t size = strlen(text);

	if (strncmp(text, "MODULE ", 7) != 0)
		return cfi_open(&world->cfi, text, size, err);
	ck_assert_uint_le(sizeof(preamble) + size, sizeof(world->cfi_file));
	memcpy(world->cfi_file, preamble, sizeof(preamble));
	memcpy(world->cfi_file + sizeof(preamble), text, size);
	return cfi_open(&world->cfi, world->cfi_file, sizeof(preamble) + size, err);
}

void walk_prepare(struct walk_world *world, const struct walk_case *walk_case)
{
	struct err err = ERR_INIT;

	memset(world, 0, sizeof(*world));
	fill_stack(world, walk_case);
	fill_registers(world, walk_case);
	world->memory = (struct unwind_memory){ &world->region, world->region.size > 0,
						walk_case->big_endian };
	for (unsigned i = 0; i < WALKS_MODULES; i++)
		world->items[i] = (struct unwind_module){
			.address = 0x40000000 + i * UINT64_C(0x10000000),
			.size = MODULE_BYTES, .state = UNWIND_CFI_ABSENT };
	if (walk_case->cfi) {
		ck_assert_msg(open_cfi(world, walk_case->cfi, &err) == 0, "%s: %s",
			      walk_case->what, err.text);
		world->items[0].cfi = &world->cfi;
		world->items[0].state = UNWIND_CFI_OPEN;
	}
	world->modules.items = world->items;
	world->modules.count = WALKS_MODULES;
	world->functions = walk_case->functions;
	world->symbols = (struct unwind_symbols){ has_function, function_parameters, world,
						  walk_case->symbols_decide };
	world->walk = (struct unwind){ .memory = &world->memory, .modules = &world->modules,
				       .symbols = walk_case->functions ? &world->symbols : NULL,
				       .os = walk_case->os, .frames = world->frames,
				       .frame_registers = world->frame_registers,
				       .capacity = WALKS_FRAMES_MAX };
	unwind_begin(&world->walk, &world->registers);
}

static void tell_registers(struct walk_world *world, size_t frame, const char *show, FILE *out)
{
	const struct unwind_registers *registers = &world->frame_registers[frame];

	for (show += strspn(show, " "); *show; show += strspn(show, " ")) {
		struct text name = { show, strcspn(show, " ") };
		unsigned number = unwind_register_named(registers->arch, name);

		ck_assert_msg(number != UNWIND_NO_REGISTER, "no register at \"%s\"", show);
		if (unwind_registers_has(registers, number))
			fprintf(out, " %.*s=%llx", (int)name.size, name.bytes,
				(unsigned long long)registers->values[number]);
		else
			fprintf(out, " %.*s=?", (int)name.size, name.bytes);
		show += name.size;
	}
}

const char *walk_tell(struct walk_world *world, const char *show)
{
	FILE *out = fmemopen(world->told, sizeof(world->told), "w");

	ck_assert_ptr_nonnull(out);
	for (size_t i = 0; i < world->walk.frame_count && i < WALKS_FRAMES_MAX; i++) {
		const struct unwind_frame *frame = &world->frames[i];

		fprintf(out, "%s%s %llx/%llx", i ? ", " : "", unwind_trust_name(frame->trust),
			(unsigned long long)frame->resume_address,
			(unsigned long long)frame->stack_pointer);
		if (i && show)
			tell_registers(world, i, show, out);
	}
	fclose(out);
	return world->told;
}

void walk_check(const struct walk_case *walk_case)
{
	static struct walk_world world;

	walk_prepare(&world, walk_case);
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	walk_tell(&world, walk_case->show);
	ck_assert_msg(strcmp(world.told, walk_case->frames) == 0, "%s:\n%s, not\n%s",
		      walk_case->what, world.told, walk_case->frames);
}
