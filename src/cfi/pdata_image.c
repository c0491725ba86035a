/* pdata_image.c -- the bytes that unwind information of PE files refers to. */
#include "cfi/pdata.h"

struct reader pdata_image_at(const struct cfi_writer *writer, uint64_t address)
{
	struct text bytes = object_image_at(writer->object, address);

	return reader_over("unwind information", bytes.bytes, bytes.size);
}
