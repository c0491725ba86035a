/* types.c -- the TPI and IPI streams: where each record stands. */
#include "base/arena.h"
#include "base/err.h"
#include "object/pdb/pdb_file.h"

#define HEADER_BYTES     56u
#define RECORDS_PER_MARK 4u
#define KIND_BYTES       2u

/* The size a record says, counted behind itself; less than 2: the chain is broken. */
static uint32_t record_size(const struct msf_stream *stream, uint32_t at)
{
	uint8_t bytes[2];
	struct reader reader = reader_over("size", bytes, sizeof(bytes));
	const uint8_t *piece;

	if (stream->flat) {
		reader = reader_over("size", stream->flat, stream->size);
		reader_seek(&reader, at);
		return reader_u16(&reader);
	}
	piece = msf_stream_piece(stream, at, sizeof(bytes));
	if (piece)
		reader = reader_over("size", piece, sizeof(bytes));
	else if (!msf_stream_copy(stream, at, sizeof(bytes), bytes))
		return 0;
	return reader_u16(&reader);
}

/* Walks from record to record.  Types behind a broken record do not exist: the names that
 * wanted them stay as the symbols have them. */
static void mark_records(struct pdb_types *types, uint32_t at, uint32_t end, uint32_t most)
{
	const struct msf_stream *stream = &types->stream;

	for (types->count = 0; types->count < most && at < end; types->count++) {
		uint32_t size = record_size(stream, at);

		if (size < KIND_BYTES || size > end - at - 2)
			return;
		if (types->count % RECORDS_PER_MARK == 0)
			types->marks[types->count / RECORDS_PER_MARK] = at;
		at += 2 + size;
	}
}

int pdb_types_open(struct pdb_types *types, const struct msf *msf, uint32_t stream,
		   const char *name, struct arena *arena, struct err *err)
{
	uint8_t bytes[HEADER_BYTES];
	struct reader header = reader_over(name, bytes, sizeof(bytes));
	uint32_t header_bytes, begin, end, record_bytes;

	*types = (struct pdb_types){ .count = 0 };
	if (msf_stream_open(msf, stream, name, &types->stream, err) < 0)
		return -1;
	if (!msf_stream_copy(&types->stream, 0, sizeof(bytes), bytes))
		return 0;                            /* no types: names stay as they are */
	reader_skip(&header, 4);                     /* version */
	header_bytes = reader_u32(&header);
	begin = reader_u32(&header);
	end = reader_u32(&header);
	record_bytes = reader_u32(&header);
	if (header_bytes > types->stream.size || record_bytes > types->stream.size - header_bytes ||
	    end < begin)
		return err_set(err, ERR_MALFORMED, "%s (stream %u) of %u bytes says %u bytes of "
			       "records behind a header of %u", name, stream, types->stream.size,
			       record_bytes, header_bytes);
	if (end - begin > record_bytes / (2 + KIND_BYTES))
		return err_set(err, ERR_MALFORMED, "%s (stream %u) says %u types in %u bytes", name,
			       stream, end - begin, record_bytes);
	types->begin = begin;
	types->marks = arena_alloc_raw(arena, (end - begin) / RECORDS_PER_MARK + 1,
				       sizeof(*types->marks));
	if (!types->marks)
		return err_set(err, ERR_NO_MEMORY, "no memory for %u types", end - begin);
	mark_records(types, header_bytes, header_bytes + record_bytes, end - begin);
	return 0;
}

bool pdb_type_record(const struct pdb_types *types, uint32_t index, struct arena *scratch,
		     uint16_t *kind, struct reader *record)
{
	const uint8_t *piece;
	uint32_t at, size;

	if (!pdb_has_type(types, index))
		return false;
	index -= types->begin;
	at = types->marks[index / RECORDS_PER_MARK];
	for (uint32_t i = 0; i < index % RECORDS_PER_MARK; i++)
		at += 2 + record_size(&types->stream, at);
	size = record_size(&types->stream, at);
	piece = msf_stream_piece(&types->stream, at + 2, size);
	if (!piece) {
		void *copy = arena_alloc_raw(scratch, size, 1);

		if (!copy || !msf_stream_copy(&types->stream, at + 2, size, copy))
			return false;
		piece = copy;
	}
	*record = reader_over(types->stream.name, piece, size);
	*kind = reader_u16(record);
	return true;
}
