/*
 * cfi_writer -- what the readers of each kind of unwind information share.
 *
 * Private to cfi.  A reader collects entries first: which code, and where in its section it is told
 * how to unwind it.  Then the entries are sorted, and those that stay are printed one by one.
 *
 * May include: base, object.
 */
#ifndef CFI_CFI_WRITER_H
#define CFI_CFI_WRITER_H

#include "base/work_budget.h"
#include "cfi/cfi.h"
#include "cfi/cfi_out.h"
#include "cfi/cfi_registers.h"
#include "object/object.h"

#define CFI_SOURCES_MAX 4u
#define CFI_CHAIN_MAX   128u

struct cfi_entry {
	uint64_t start;              /* relative */
	uint64_t reference;          /* the source's own */
	uint32_t size;               /* > 0 */
	uint32_t source;
};

struct cfi_writer;
struct frame_section;

/* One section with its reader.  Both give -1 only where the whole file is at an end; a bad record
 * is told to cfi_writer_blame(). */
struct cfi_source {
	struct object_unwind section;
	int (*collect)(struct cfi_writer *writer, uint32_t source, struct err *err);
	int (*print)(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err);
	struct frame_section *frames;        /* of DWARF, opened */
};

/* A STACK WIN record: of a PDB's stream, or a line of a symbol file. */
struct cfi_win_entry {
	struct cfi_win win;
	uint32_t order;
};

struct cfi_writer {
	struct object *object;
	struct cfi_report *report;
	const struct cfi_registers *registers;       /* NULL: none are known */
	unsigned chain_max;
	struct work_allowance work;
	struct cfi_source sources[CFI_SOURCES_MAX];
	uint32_t source_count;
	struct cfi_entry *entries;
	size_t entry_count, entry_capacity;
	struct cfi_win_entry *wins;
	size_t win_count, win_capacity;
	struct cfi_out out;
};

/* Counts a record that cannot be used, and keeps the words of the first. */
void cfi_writer_blame(struct cfi_writer *writer, const struct err *why);

/* Empty ones, and those larger than a record can say, are left out. */
int cfi_writer_add(struct cfi_writer *writer, uint64_t start, uint64_t size, uint32_t source,
		   uint64_t reference, struct err *err) __attribute__((warn_unused_result));
int cfi_writer_add_win(struct cfi_writer *writer, const struct cfi_win *win, struct err *err)
	__attribute__((warn_unused_result));

/* cfi_sort.c: ascending and without overlaps.  Of identical ranges the first added stays, of
 * equal starts the shorter, else the one that starts first. */
int cfi_writer_sort(struct cfi_writer *writer, struct err *err)
	__attribute__((warn_unused_result));

/* win_records.c: sorts and prints; where records nest, the innermost holds. */
int cfi_writer_print_wins(struct cfi_writer *writer, struct err *err)
	__attribute__((warn_unused_result));
int cfi_writer_take_stack_frame(void *writer, const struct object_stack_frame *frame,
				struct err *err);

/* frame_section.c (DWARF), compact_unwind.c, pdata.c, cfi_breakpad.c */
int frame_section_collect(struct cfi_writer *writer, uint32_t source, struct err *err);
int frame_section_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err);
int compact_unwind_collect(struct cfi_writer *writer, uint32_t source, struct err *err);
int compact_unwind_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err);
int pdata_collect(struct cfi_writer *writer, uint32_t source, struct err *err);
int pdata_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err);
int breakpad_collect(struct cfi_writer *writer, uint32_t source, struct err *err);
int breakpad_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err);

#endif
