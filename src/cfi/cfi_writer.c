/* cfi_writer.c -- see cfi_writer.h: what readers tell while they collect. */
#include "cfi/cfi_writer.h"

#include <stdio.h>

#include "base/vec.h"

void cfi_writer_blame(struct cfi_writer *writer, const struct err *why)
{
	if (writer->report->bad_records++ == 0)
		snprintf(writer->report->first_bad, sizeof(writer->report->first_bad), "%.239s",
			 why->text);
}

int cfi_writer_add(struct cfi_writer *writer, uint64_t start, uint64_t size, uint32_t source,
		   uint64_t reference, struct err *err)
{
	if (size == 0 || size > UINT32_MAX || size > UINT64_MAX - start)
		return 0;
	if (writer->entry_count == writer->entry_capacity &&
	    vec_reserve(&writer->entries, &writer->entry_capacity, writer->entry_count + 1,
			sizeof(*writer->entries)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu unwind records",
			       writer->entry_count + 1);
	writer->entries[writer->entry_count++] =
		(struct cfi_entry){ start, reference, (uint32_t)size, source };
	return 0;
}
