/* disassemble.c -- see disassemble.h. */
#include "convert/disassemble.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "convert/disassembler.h"

static const struct disassembler_kind *const kinds[] = {
	&disassembler_x86_64, &disassembler_x86, &disassembler_arm64, &disassembler_arm,
};

static const struct disassembler_kind *kind_of(uint32_t arch)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i]->family == arch_family(arch))
			return kinds[i];
	return NULL;
}

void disassemble_load(void)
{
	disassembler_arm_load();
}

const char *disassemble_arch(uint32_t arch)
{
	const struct disassembler_kind *kind = kind_of(arch);

	return kind ? kind->arch : NULL;
}

const char *disassemble_syntax(uint32_t arch)
{
	return kind_of(arch)->syntax;
}

unsigned disassemble_alignment(uint32_t arch)
{
	return kind_of(arch)->alignment;
}

/* ".byte 0x00, 0x06 # Invalid instruction 00 06: ..." */
static void describe_none(struct text code, char line[DISASSEMBLER_LINE_BYTES])
{
	size_t at = 0;

	for (size_t i = 0; i < code.size; i++)
		at += (size_t)snprintf(line + at, DISASSEMBLER_LINE_BYTES - at, "%s0x%02x", i ? ", " : ".byte ",
				       (uint8_t)code.bytes[i]);
	at += (size_t)snprintf(line + at, DISASSEMBLER_LINE_BYTES - at, " # Invalid instruction");
	for (size_t i = 0; i < code.size; i++)
		at += (size_t)snprintf(line + at, DISASSEMBLER_LINE_BYTES - at, " %02x", (uint8_t)code.bytes[i]);
	snprintf(line + at, DISASSEMBLER_LINE_BYTES - at, ": nothing begins with it here");
}

int disassemble_write(uint32_t arch, struct text code, uint64_t address, uint64_t size, struct json_writer *json,
		      uint64_t *read, struct err *err)
{
	const struct disassembler_kind *kind = kind_of(arch);
	void *state = kind->open(kind, err);
	uint64_t at = 0;

	if (!state)
		return -1;
	while (at < size && at < code.size) {
		struct text left = text_from(code, (size_t)at);
		char line[DISASSEMBLER_LINE_BYTES];
		unsigned length = kind->describe(state, left, address + at, line);

		if (length == 0) {
			left.size = left.size < kind->alignment ? left.size : kind->alignment;
			length = (unsigned)left.size;
			describe_none(left, line);
		}
		json_array(json);
		json_u64(json, at);
		json_string(json, line);
		json_array_end(json);
		at += length;
	}
	kind->close(state);
	*read = at;
	return 0;
}
