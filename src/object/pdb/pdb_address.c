/* pdb_address.c -- from section and offset to where the code is in the image. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/search.h"
#include "object/pdb/pdb_file.h"

#define SECTION_EXECUTE 0x20000000u
#define OMAP_BYTES      8u           /* an address and where it went; 0: nowhere */

uint32_t pdb_source_address(const struct pdb *pdb, uint32_t section, uint32_t offset)
{
	if (section == 0 || section > pdb->section_count)
		return PDB_NO_ADDRESS;
	if (offset > UINT32_MAX - pdb->sections[section - 1].address)
		return PDB_NO_ADDRESS;
	return pdb->sections[section - 1].address + offset;
}

bool pdb_is_code(const struct pdb *pdb, uint32_t section)
{
	return section > 0 && section <= pdb->section_count &&
	       (pdb->sections[section - 1].flags & SECTION_EXECUTE);
}

static uint32_t omap_word(const struct pdb *pdb, size_t index, unsigned word)
{
	struct reader reader = pdb->omap;

	reader_seek(&reader, index * OMAP_BYTES + word * 4);
	return reader_u32(&reader);
}

/* The first entry beyond the address. */
static size_t omap_after(const struct pdb *pdb, uint32_t address)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, pdb->omap.size / OMAP_BYTES,
			       omap_word(pdb, at, 0) <= address);
	return at;
}

struct pdb_stretch pdb_stretch_at(const struct pdb *pdb, uint32_t start, uint32_t end)
{
	struct pdb_stretch stretch = { start, end - start, start };
	size_t next;
	uint32_t target;

	if (pdb->omap.size == 0)
		return stretch;
	next = omap_after(pdb, start);
	if (next < pdb->omap.size / OMAP_BYTES) {
		uint32_t until = omap_word(pdb, next, 0);

		/* A table out of order must not lead backwards. */
		if (until > start && until < end)
			stretch.size = until - start;
	}
	stretch.image = PDB_NO_ADDRESS;
	if (next == 0)
		return stretch;
	target = omap_word(pdb, next - 1, 1);
	if (target != 0)
		stretch.image = target + (start - omap_word(pdb, next - 1, 0));
	return stretch;
}

/* --- The map, turned round ----------------------------------------------------------- */

/* Code of the image, and where it came from. */
struct omap_piece {
	uint32_t source, image, size;
};

static int compare_pieces(const void *left, const void *right)
{
	const struct omap_piece *a = left, *b = right;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->image < b->image ? -1 : a->image > b->image;
}

/* Entries are an address of the image and where it was, 0 for what the optimiser added; the
 * last one, which marks the end at best, goes on to the end of memory. */
static size_t read_pieces(struct reader back, struct omap_piece *pieces)
{
	size_t count = back.size / OMAP_BYTES, kept = 0;
	uint32_t image = reader_u32(&back), source = reader_u32(&back);

	for (size_t i = 0; i < count; i++) {
		uint32_t next = i + 1 < count ? reader_u32(&back) : UINT32_MAX;
		uint32_t next_source = reader_u32(&back);

		if (source != 0 && next > image)
			pieces[kept++] = (struct omap_piece){ source, image, next - image };
		image = next;
		source = next_source;
	}
	return kept;
}

static size_t put_pair(uint32_t *pairs, size_t count, uint32_t source, uint32_t image)
{
	pairs[count * 2] = source;
	pairs[count * 2 + 1] = image;
	return count + 1;
}

/* What no piece came from was removed. */
static size_t turn_round(const struct omap_piece *pieces, size_t count, uint32_t *pairs)
{
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t end = (uint64_t)pieces[i].source + pieces[i].size;
		uint64_t next = i + 1 < count ? pieces[i + 1].source : UINT64_MAX;

		/* Code that was copied: where the first copy is. */
		if (i > 0 && pieces[i].source == pieces[i - 1].source)
			continue;
		made = put_pair(pairs, made, pieces[i].source, pieces[i].image);
		if (end < next && end <= UINT32_MAX)
			made = put_pair(pairs, made, (uint32_t)end, 0);
	}
	return made;
}

/* Each of the two maps can be made from the other; we go from source to image. */
int pdb_read_omap(struct pdb *pdb, struct arena *arena, struct err *err)
{
	struct msf_stream stream, back;
	struct reader reader;
	struct omap_piece *pieces;
	uint32_t *pairs;
	size_t count;

	if (msf_stream_open(&pdb->msf, pdb->omap_stream, "OMAP stream", &stream, err) < 0 ||
	    msf_stream_in_capacity(&stream, &pdb->capacity, &pdb->omap, err) < 0)
		return -1;
	if (pdb->omap.size > 0)
		return 0;
	if (msf_stream_open(&pdb->msf, pdb->omap_back_stream, "OMAP stream", &back, err) < 0 ||
	    msf_stream_in_capacity(&back, &pdb->capacity, &reader, err) < 0)
		return -1;
	count = reader.size / OMAP_BYTES;
	if (count == 0)
		return 0;
	pieces = arena_alloc_raw(arena, count, sizeof(*pieces));
	pairs = arena_alloc_raw(arena, count, 2 * OMAP_BYTES);
	if (!pieces || !pairs)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu entries of the OMAP stream "
			       "(stream %u)", count, pdb->omap_back_stream);
	count = read_pieces(reader, pieces);
	qsort(pieces, count, sizeof(*pieces), compare_pieces);
	count = turn_round(pieces, count, pairs);
	pdb->omap = reader_over("OMAP", pairs, count * OMAP_BYTES);
	return 0;
}
