/* address.c -- from section and offset to where the code is in the image. */
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
	size_t low = 0, high = pdb->omap.size / OMAP_BYTES;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (omap_word(pdb, middle, 0) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
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
