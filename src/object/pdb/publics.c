/* publics.c -- S_PUB32: the linker's names, decorated, without sizes. */
#include "base/arena.h"
#include "base/err.h"
#include "object/pdb/codeview.h"
#include "object/pdb/pdb_file.h"

#define PLACE_UNIT 4u                /* records stand at multiples of it */
#define HEAD_BYTES 14u               /* size, kind, flags, offset, section */

struct public {
	uint16_t size, kind;
	uint32_t offset, section;
};

static bool read_head(const struct msf_stream *stream, uint32_t at, struct public *public)
{
	uint8_t bytes[HEAD_BYTES] = { 0 };
	uint32_t left = stream->size - at;
	uint32_t size = left < HEAD_BYTES ? left : HEAD_BYTES;
	const uint8_t *piece = msf_stream_piece(stream, at, size);
	struct reader reader = reader_over("public symbol", piece ? piece : bytes, size);

	if (!piece && !msf_stream_copy(stream, at, size, bytes))
		return false;
	public->size = reader_u16(&reader);
	public->kind = reader_u16(&reader);
	if (reader.failed || public->size < 2)
		return false;
	reader_skip(&reader, 4);
	public->offset = reader_u32(&reader);
	public->section = reader_u16(&reader);
	return true;
}

static bool names_code(const struct pdb *pdb, const struct public *public, uint32_t *address)
{
	uint32_t source;

	if ((public->kind != S_PUB32 && public->kind != S_PUB32_ST) ||
	    public->size < HEAD_BYTES - 2 || !pdb_is_code(pdb, public->section))
		return false;
	source = pdb_source_address(pdb, public->section, public->offset);
	if (source == PDB_NO_ADDRESS)
		return false;
	*address = pdb_stretch_at(pdb, source, source + 1).image;
	return *address != PDB_NO_ADDRESS;
}

/* Counts, or adds where the count is known. */
static size_t walk(struct pdb *pdb, bool adding)
{
	const struct msf_stream *stream = &pdb->symbol_records;
	struct public public;
	size_t count = 0;

	for (uint32_t at = 0; at < stream->size && read_head(stream, at, &public);) {
		uint32_t address;

		if (names_code(pdb, &public, &address)) {
			count++;
			if (adding)
				symbols_add(&pdb->publics, address, 0, 0, at / PLACE_UNIT);
		}
		if (public.size > stream->size - at - 2)
			break;
		at += 2u + public.size;
		at = (at + PLACE_UNIT - 1) / PLACE_UNIT * PLACE_UNIT;
	}
	return count;
}

int pdb_read_publics(struct pdb *pdb, struct arena *arena, struct err *err)
{
	if (msf_stream_open(&pdb->msf, pdb->symbol_stream, "symbol record stream",
			    &pdb->symbol_records, err) < 0 ||
	    symbols_reserve(&pdb->publics, walk(pdb, false), arena, err) < 0)
		return -1;
	walk(pdb, true);
	return symbols_settle(&pdb->publics, arena, err);
}

/* In place where the record is; else a copy is kept. */
int pdb_public_name(const struct pdb *pdb, const struct symbol_record *record, struct text *name,
		    struct err *err)
{
	const struct msf_stream *stream = &pdb->symbol_records;
	uint32_t at = symbol_index(record) * PLACE_UNIT;
	uint8_t copy[2 + UINT16_MAX];
	struct public public;
	const uint8_t *piece;
	struct reader reader;
	struct pdb_name *kept;

	*name = TEXT_NONE;
	if (!read_head(stream, at, &public))
		return 0;
	piece = msf_stream_piece(stream, at, 2u + public.size);
	if (!piece && !msf_stream_copy(stream, at, 2u + public.size, copy))
		return 0;
	reader = reader_over("public symbol", piece ? piece : copy, 2u + public.size);
	reader_skip(&reader, HEAD_BYTES);
	*name = codeview_name(&reader, public.kind);
	if (piece || name->size == 0)
		return 0;
	kept = pdb_names_keep(pdb->names, *name, err);
	if (!kept)
		return -1;
	*name = (struct text){ kept->bytes, kept->size };
	return 0;
}
