/* convert_asm.c -- in a cell: a stretch of an executable's code, disassembled. */
#include "convert/convert_internal.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "convert/disassemble.h"
#include "sandbox/sandbox.h"

#define NUMBER_DIGITS 8u
#define INSTRUCTION_BYTES_MAX 15u
#define ANSWER_BYTES_MAX ((size_t)32 << 20)

void convert_asm_text(const struct convert_asm *wanted, char out[CONVERT_ASM_TEXT_BYTES])
{
	snprintf(out, CONVERT_ASM_TEXT_BYTES, "%08x%08x%c", wanted->start, wanted->size,
		 wanted->to_function_end ? '+' : '.');
}

static bool read_parameters(struct text text, struct convert_asm *wanted)
{
	uint64_t start, size;

	if (text.size != CONVERT_ASM_TEXT_BYTES - 1 ||
	    !text_to_u64((struct text){ text.bytes, NUMBER_DIGITS }, 16, &start) ||
	    !text_to_u64((struct text){ text.bytes + NUMBER_DIGITS, NUMBER_DIGITS }, 16, &size))
		return false;
	*wanted = (struct convert_asm){ (uint32_t)start, (uint32_t)size, text.bytes[text.size - 1] == '+' };
	return true;
}

/* --- Where a function ends ------------------------------------------------------------------- */

struct end_search { uint64_t start, end; };

/* Symbols come ascending: the first behind the start ends what was before it. */
static int look_for_end(void *payload, const struct object_symbol *symbol)
{
	struct end_search *search = payload;

	if (symbol->address > search->start) {
		if (!search->end || symbol->address < search->end)
			search->end = symbol->address;
		return 1;
	}
	search->end = symbol->size && symbol->size > search->start - symbol->address ? symbol->address + symbol->size : 0;
	return 0;
}

/* 0: nobody knows. */
static uint64_t function_end(struct object *object, uint64_t start)
{
	struct end_search search = { start, 0 };
	struct err ignored = ERR_INIT;

	/* That it is stopped is no failure here. */
	if (object_prepare(object, &ignored) < 0 ||
	    object_each_symbol(object, look_for_end, &search, &ignored) < 0)
		err_clear(&ignored);
	return search.end;
}

/* --- The answer ------------------------------------------------------------------------------ */

static int write_answer(uint32_t arch, struct text code, const struct convert_asm *wanted, uint64_t size,
			struct json_writer *json, struct err *err)
{
	uint64_t read;

	if (code.size > size + INSTRUCTION_BYTES_MAX)
		code.size = (size_t)(size + INSTRUCTION_BYTES_MAX);
	json_object(json);
	json_member_hex(json, "startAddress", wanted->start);
	json_member_string(json, "arch", disassemble_arch(arch));
	json_key(json, "syntax");
	json_array(json);
	json_string(json, disassemble_syntax(arch));
	json_array_end(json);
	json_key(json, "instructions");
	json_array(json);
	if (disassemble_write(arch, code, wanted->start, size, json, &read, err) < 0)
		return -1;
	json_array_end(json);
	json_member_hex(json, "size", read);
	json_object_end(json);
	return 0;
}

static int disassemble_object(struct object *object, struct convert_asm *wanted, struct buf *out,
			      struct err *err)
{
	uint64_t size = wanted->size, end;
	struct json_writer json;
	struct text code;

	if (!disassemble_arch(object->arch))
		return err_set(err, ERR_UNSUPPORTED, "Unrecognized architecture \"%s\"", arch_name(object->arch));
	wanted->start -= wanted->start % disassemble_alignment(object->arch);
	code = object_image_at(object, wanted->start);
	if (!code.bytes || code.size == 0)
		return err_set(err, ERR_NOT_FOUND, "The requested address was not found in any section in the binary.");
	end = wanted->to_function_end ? function_end(object, wanted->start) : 0;
	if (end > wanted->start && end - wanted->start > size)
		size = end - wanted->start;
	if (size > CONVERT_ASM_BYTES_MAX)
		size = CONVERT_ASM_BYTES_MAX;
	json_writer_init(&json, out);
	if (write_answer(object->arch, code, wanted, size, &json, err) < 0)
		return -1;
	return buf_check(out, err);
}

int convert_run_asm(struct cell *cell, struct err *err)
{
	struct file_map map = { NULL, 0 };
	struct convert_asm wanted;
	struct object object;
	struct arena arena;
	struct buf out;
	int rc = -1;

	if (!read_parameters(cell->parameters, &wanted))
		return err_set(err, ERR_MALFORMED, "no stretch of code: %.*s", (int)cell->parameters.size,
			       cell->parameters.bytes);
	arena_init(&arena, cell->memory_bytes);
	buf_init(&out, ANSWER_BYTES_MAX);
	if (file_map_fd(&map, cell_input(cell, "object"), err) == 0 &&
	    object_open(&object, map.bytes, map.size, &arena, err) == 0) {
		rc = disassemble_object(&object, &wanted, &out, err);
		if (rc == 0)
			rc = file_write_all(cell_output(cell, "asm"), out.bytes, out.size, err);
		object_release(&object);
	}
	file_unmap(&map);
	buf_release(&out);
	arena_release(&arena);
	return rc;
}
