/* rambundle.c -- see rambundle.h. */
#include "jsfile/rambundle.h"

#include "base/err.h"
#include "base/reader.h"

#define MAGIC 0xfb0bd1e5u
#define HEADER_BYTES ((size_t)12)
#define ENTRY_BYTES  ((size_t)8)

bool rambundle_probe(struct text bytes)
{
	struct reader reader = reader_over("the RAM bundle", bytes.bytes, bytes.size);

	return reader_u32(&reader) == MAGIC;
}

/* `size` bytes behind the table, the last of which is NUL. */
static int take_code(const struct rambundle *bundle, uint64_t offset, uint64_t size, struct text *code,
		     struct err *err)
{
	size_t left = bundle->bytes.size - bundle->code_at;

	if (offset > left || size > left - offset)
		return err_set(err, ERR_MALFORMED, "the RAM bundle has no %llu bytes at %llu",
			       (unsigned long long)size, (unsigned long long)(bundle->code_at + offset));
	*code = (struct text){ bundle->bytes.bytes + bundle->code_at + offset, (size_t)size };
	if (size && code->bytes[size - 1] != '\0')
		return err_set(err, ERR_MALFORMED, "the RAM bundle has no NUL at %llu",
			       (unsigned long long)(bundle->code_at + offset + size - 1));
	code->size -= size > 0;
	return 0;
}

int rambundle_open(struct rambundle *bundle, struct text bytes, struct err *err)
{
	struct reader reader = reader_over("the RAM bundle", bytes.bytes, bytes.size);
	uint32_t magic = reader_u32(&reader), count = reader_u32(&reader), startup = reader_u32(&reader);

	*bundle = (struct rambundle){ .bytes = bytes, .module_count = count };
	if (reader.failed || magic != MAGIC)
		return err_set(err, ERR_MALFORMED, "it is no RAM bundle");
	if (count > (bytes.size - HEADER_BYTES) / ENTRY_BYTES)
		return err_set(err, ERR_MALFORMED, "the RAM bundle's table of %lu modules ends behind it",
			       (unsigned long)count);
	bundle->code_at = HEADER_BYTES + (size_t)count * ENTRY_BYTES;
	return take_code(bundle, 0, startup, &bundle->startup, err);
}

int rambundle_module(const struct rambundle *bundle, uint32_t id, struct text *code, struct err *err)
{
	struct reader reader = reader_over("the RAM bundle", bundle->bytes.bytes, bundle->bytes.size);
	uint32_t offset, size;

	*code = TEXT_NONE;
	if (id >= bundle->module_count)
		return 0;
	reader.pos = HEADER_BYTES + (size_t)id * ENTRY_BYTES;
	offset = reader_u32(&reader);
	size = reader_u32(&reader);
	if (size == 0)
		return 0;
	return take_code(bundle, offset, size, code, err) < 0 ? -1 : 1;
}
