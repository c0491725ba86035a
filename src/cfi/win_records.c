/* win_records.c -- STACK WIN records: in order, and of those that nest the innermost. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cfi/cfi_writer.h"

#define RECORD_BYTES_MAX 512u        /* without its program */

int cfi_writer_add_win(struct cfi_writer *writer, const struct cfi_win *win, struct err *err)
{
	if (vec_reserve(&writer->wins, &writer->win_capacity, writer->win_count + 1,
			sizeof(*writer->wins)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu unwind records",
			       writer->win_count + 1);
	writer->wins[writer->win_count] =
		(struct cfi_win_entry){ *win, (uint32_t)writer->win_count };
	writer->win_count++;
	return 0;
}

int cfi_writer_take_stack_frame(void *payload, const struct object_stack_frame *frame,
				struct err *err)
{
	struct cfi_win win = {
		.type = frame->type == CFI_WIN_FRAME_DATA ? CFI_WIN_FRAME_DATA : CFI_WIN_FPO,
		.start = frame->address, .size = frame->size,
		.prologue_bytes = frame->prologue_bytes,
		.parameter_bytes = frame->parameter_bytes,
		.saved_register_bytes = frame->saved_register_bytes,
		.local_bytes = frame->local_bytes, .max_stack_bytes = frame->max_stack_bytes,
		.program = frame->program, .allocates_base_pointer = frame->uses_base_pointer,
	};

	/* Traps and task switches (types 1 and 2) no reader unwinds. */
	if ((frame->type != CFI_WIN_FPO && frame->type != CFI_WIN_FRAME_DATA) || win.size == 0 ||
	    text_has_controls(frame->program))
		return 0;
	return cfi_writer_add_win(payload, &win, err);
}

/* Of one start the longer before the shorter, which lie in them; of one range the first. */
static int compare(const void *left, const void *right)
{
	const struct cfi_win_entry *a = left, *b = right;

	if (a->win.type != b->win.type)
		return a->win.type < b->win.type ? -1 : 1;
	if (a->win.start != b->win.start)
		return a->win.start < b->win.start ? -1 : 1;
	if (a->win.size != b->win.size)
		return a->win.size > b->win.size ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_same_range(const struct cfi_win_entry *a, const struct cfi_win_entry *b)
{
	return a->win.type == b->win.type && a->win.start == b->win.start &&
	       a->win.size == b->win.size;
}

/* --- Printing ------------------------------------------------------------------------ */

/* Programs of PDBs call registers by their numbers in CodeView; no reader knows these. */
static const struct {
	const char number[4], name[5];
} codeview_registers[] = {
	{ "$17", "$eax" }, { "$18", "$ecx" }, { "$19", "$edx" }, { "$20", "$ebx" },
	{ "$21", "$esp" }, { "$22", "$ebp" }, { "$23", "$esi" }, { "$24", "$edi" },
};

static struct text named(struct text word)
{
	for (size_t i = 0; i < sizeof(codeview_registers) / sizeof(codeview_registers[0]); i++)
		if (text_is(word, codeview_registers[i].number))
			return text_of(codeview_registers[i].name);
	return word;
}

static void print_program(struct cfi_out *out, struct text program)
{
	while (program.size > 0) {
		const char *blank = memchr(program.bytes, ' ', program.size);
		size_t size = blank ? (size_t)(blank - program.bytes) : program.size;
		size_t gap = size;

		while (gap < program.size && program.bytes[gap] == ' ')
			gap++;
		cfi_out_add(out, named((struct text){ program.bytes, size }));
		cfi_out_add(out, (struct text){ program.bytes + size, gap - size });
		program.bytes += gap;
		program.size -= gap;
	}
}

static void print_record(struct cfi_out *out, const struct cfi_win *win, uint64_t start,
			 uint64_t end)
{
	const uint64_t fields[] = {
		start, end - start, start == win->start ? win->prologue_bytes : 0,
		win->epilogue_bytes, win->parameter_bytes, win->saved_register_bytes,
		win->local_bytes, win->max_stack_bytes,
	};

	cfi_out_make_room(out);
	CFI_OUT_LITERAL(out, "STACK WIN ");
	cfi_out_hex(out, win->type);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		CFI_OUT_LITERAL(out, " ");
		cfi_out_hex(out, fields[i]);
	}
	if (win->program.bytes) {
		CFI_OUT_LITERAL(out, " 1 ");
		print_program(out, win->program);
	} else if (win->allocates_base_pointer) {
		CFI_OUT_LITERAL(out, " 0 1");
	} else {
		CFI_OUT_LITERAL(out, " 0 0");
	}
	cfi_out_make_room(out);
	cfi_out_end_line(out);
}

/* --- Nesting ------------------------------------------------------------------------- */

/* Records that have begun and may not be over, the outermost first; each is printed for what no
 * later one covers. */
struct open_records {
	const struct cfi_win_entry **entries;
	size_t count;
	uint64_t at;                 /* printed up to here */
};

static int print_until(struct cfi_writer *writer, struct open_records *open, uint64_t until,
		       struct err *err)
{
	while (open->count > 0 && open->at < until) {
		const struct cfi_win *win = &open->entries[open->count - 1]->win;
		uint64_t end = win->start + win->size < until ? win->start + win->size : until;

		if (end <= open->at) {
			open->count--;
			continue;
		}
		print_record(&writer->out, win, open->at, end);
		writer->report->records++;
		if (work_charge(&writer->work, RECORD_BYTES_MAX / WORK_BYTES_PER_STEP +
					       win->program.size / WORK_BYTES_PER_STEP, err) < 0)
			return -1;
		open->at = end;
	}
	return 0;
}

static int print_type(struct cfi_writer *writer, enum cfi_win_type type,
		      struct open_records *open, struct err *err)
{
	const struct cfi_win_entry *last = NULL;

	open->count = 0;
	open->at = 0;
	for (size_t i = 0; i < writer->win_count; i++) {
		const struct cfi_win_entry *entry = &writer->wins[i];

		if (entry->win.type != type || (last && is_same_range(last, entry)))
			continue;
		if (print_until(writer, open, entry->win.start, err) < 0)
			return -1;
		open->entries[open->count++] = last = entry;
		open->at = entry->win.start;
	}
	return print_until(writer, open, UINT64_MAX, err);
}

int cfi_writer_print_wins(struct cfi_writer *writer, struct err *err)
{
	struct open_records open = { .count = 0 };
	int rc;

	if (writer->win_count == 0)
		return 0;
	open.entries = mem_get_array(writer->win_count, sizeof(*open.entries));
	if (!open.entries)
		return err_set(err, ERR_NO_MEMORY, "no memory to sort %zu unwind records",
			       writer->win_count);
	qsort(writer->wins, writer->win_count, sizeof(*writer->wins), compare);
	rc = print_type(writer, CFI_WIN_FPO, &open, err);
	if (rc == 0)
		rc = print_type(writer, CFI_WIN_FRAME_DATA, &open, err);
	mem_give_back(open.entries);
	return rc;
}
