/* dbi.c -- the parts of the DBI stream: modules, contributions and maps of sections; section headers. */
#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/search.h"
#include "object/pdb/pdb_file.h"

#define DBI_HEADER_BYTES 64u
#define MODULE_HEAD_BYTES 64u
#define CONTRIBUTIONS_V60 (0xeffe0000u + 19970605u)
#define CONTRIBUTIONS_V2  (0xeffe0000u + 20140516u)
#define SECTION_HEADER_BYTES 40u
#define SECTION_MAP_ENTRY_BYTES 20u

/* --- Modules ------------------------------------------------------------------------- */

static struct pdb_module read_module(struct reader *reader)
{
	struct pdb_module module = { .stream = MSF_NO_STREAM };

	reader_skip(reader, 4 + 28 + 2);             /* unused, first contribution, flags */
	module.stream = reader_u16(reader);
	module.symbol_bytes = reader_u32(reader);
	module.c11_bytes = reader_u32(reader);
	module.c13_bytes = reader_u32(reader);
	reader_skip(reader, 16);                     /* files, unused, names of source and PDB */
	module.name = reader_string(reader);
	(void)reader_string(reader);                 /* of the object file or library */
	while (reader->pos % 4 != 0 && !reader_at_end(reader))
		reader_skip(reader, 1);
	return module;
}

static uint32_t count_modules(struct reader reader)
{
	uint32_t count = 0;

	while (reader_left(&reader) >= MODULE_HEAD_BYTES) {
		(void)read_module(&reader);
		if (reader.failed)
			break;
		count++;
	}
	return count;
}

static int read_modules(struct pdb *pdb, struct reader reader, struct arena *arena,
			struct err *err)
{
	pdb->unit_count = 0;
	pdb->module_count = count_modules(reader);
	if (pdb->module_count > LIMIT_UNITS)
		return err_set(err, ERR_LIMIT, "%u modules", pdb->module_count);
	pdb->modules = arena_alloc(arena, (size_t)pdb->module_count + 1, sizeof(*pdb->modules));
	pdb->units = arena_alloc(arena, (size_t)pdb->module_count + 1, sizeof(*pdb->units));
	if (!pdb->modules || !pdb->units)
		return err_set(err, ERR_NO_MEMORY, "no memory for %u modules", pdb->module_count);
	for (uint32_t i = 0; i < pdb->module_count; i++) {
		pdb->modules[i] = read_module(&reader);
		if (pdb->modules[i].stream != MSF_NO_STREAM)
			pdb->units[pdb->unit_count++] = i;
	}
	return 0;
}

/* --- Contributions ------------------------------------------------------------------- */

struct section_contribution {
	uint32_t section, offset, size, module;
};

static struct section_contribution contribution_at(const struct pdb *pdb, size_t index)
{
	struct reader reader = pdb->contributions;
	struct section_contribution contribution;

	reader_seek(&reader, index * pdb->contribution_width);
	contribution.section = reader_u32(&reader) & 0xffff;     /* 16 bits and padding */
	contribution.offset = reader_u32(&reader);
	contribution.size = reader_u32(&reader);
	reader_skip(&reader, 4);                     /* characteristics */
	contribution.module = reader_u16(&reader);
	return contribution;
}

static bool is_before(const struct section_contribution *contribution, uint32_t section,
		      uint32_t offset)
{
	return contribution->section != section ? contribution->section < section
						: contribution->offset <= offset;
}

static size_t contribution_count(const struct pdb *pdb)
{
	return pdb->contribution_width ? pdb->contributions.size / pdb->contribution_width : 0;
}

/* Used only when sorted, as every linker leaves them. */
static void read_contributions(struct pdb *pdb, struct reader reader)
{
	uint32_t version = reader_u32(&reader);
	size_t count;

	pdb->contributions = reader_part(&reader, "section contributions", reader_left(&reader));
	if (version == CONTRIBUTIONS_V60)
		pdb->contribution_width = 28;
	else if (version == CONTRIBUTIONS_V2)
		pdb->contribution_width = 32;
	count = contribution_count(pdb);
	for (size_t i = 1; i < count; i++) {
		struct section_contribution before = contribution_at(pdb, i - 1);
		struct section_contribution here = contribution_at(pdb, i);

		if (!is_before(&before, here.section, here.offset)) {
			pdb->contribution_width = 0;
			return;
		}
	}
}

uint32_t pdb_owner(const struct pdb *pdb, uint32_t section, uint32_t offset)
{
	struct section_contribution found;
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, contribution_count(pdb),
			       (found = contribution_at(pdb, at),
				is_before(&found, section, offset)));
	if (at == 0)
		return PDB_NO_MODULE;
	found = contribution_at(pdb, at - 1);
	if (found.section != section || offset - found.offset >= found.size ||
	    found.module >= pdb->module_count)
		return PDB_NO_MODULE;
	return found.module;
}

/* --- Sections ------------------------------------------------------------------------ */

static int read_sections(struct pdb *pdb, struct arena *arena, struct err *err)
{
	struct msf_stream stream;
	struct reader reader;
	size_t count;

	if (msf_stream_open(&pdb->msf, pdb->section_stream, "section headers", &stream, err) < 0 ||
	    msf_stream_in_arena(&stream, arena, &reader, err) < 0)
		return -1;
	count = reader.size / SECTION_HEADER_BYTES;
	if (count > UINT16_MAX)
		count = UINT16_MAX;
	pdb->sections = arena_alloc(arena, count + 1, sizeof(*pdb->sections));
	if (!pdb->sections)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu sections", count);
	for (size_t i = 0; i < count; i++) {
		struct pdb_section *section = &pdb->sections[i];

		reader_skip(&reader, 8);             /* name */
		section->size = reader_u32(&reader);
		section->address = reader_u32(&reader);
		reader_skip(&reader, 20);
		section->flags = reader_u32(&reader);
	}
	pdb->section_count = count;
	return 0;
}

/* Segments are what symbols call sections.  The map says for each which section it is and where
 * in it; linkers number them alike, the last being one for what is in no section. */
static int read_section_map(struct pdb *pdb, struct reader map, struct arena *arena,
			    struct err *err)
{
	size_t count = reader_u16(&map), most = map.size / SECTION_MAP_ENTRY_BYTES;
	struct pdb_section *segments;
	bool is_needed = false;

	reader_skip(&map, 2);
	if (count > most)
		count = most;
	segments = arena_alloc(arena, count + 1, sizeof(*segments));
	if (!segments)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu segments", count);
	for (size_t i = 0; i < count && !map.failed; i++) {
		uint32_t frame, offset;

		reader_skip(&map, 6);                /* flags, overlay, group */
		frame = reader_u16(&map);
		reader_skip(&map, 4);                /* names */
		offset = reader_u32(&map);
		reader_skip(&map, 4);                /* size */
		segments[i].address = PDB_NO_ADDRESS;
		if (frame == 0 || frame > pdb->section_count ||
		    offset > pdb->sections[frame - 1].size)
			continue;
		segments[i] = pdb->sections[frame - 1];
		segments[i].address += offset;
		segments[i].size -= offset;
		is_needed |= frame != i + 1 || offset != 0;
	}
	if (is_needed && !map.failed) {
		pdb->sections = segments;
		pdb->section_count = count;
	}
	return 0;
}

int pdb_read_dbi(struct pdb *pdb, struct arena *arena, struct err *err)
{
	struct reader dbi, part, map;

	if (!pdb->has_dbi || pdb->has_modules)
		return 0;
	if (msf_stream_in_capacity(&pdb->dbi_stream, &pdb->capacity, &dbi, err) < 0)
		return -1;
	reader_skip(&dbi, DBI_HEADER_BYTES);
	part = reader_part(&dbi, "modules of the DBI stream", pdb->module_bytes);
	if (read_modules(pdb, part, arena, err) < 0)
		return -1;
	part = reader_part(&dbi, "section contributions", pdb->contribution_bytes);
	map = reader_part(&dbi, "section map", pdb->section_map_bytes);
	if (reader_check(&dbi, err) < 0)
		return -1;
	read_contributions(pdb, part);
	if (pdb_read_omap(pdb, arena, err) < 0 || read_sections(pdb, arena, err) < 0)
		return -1;
	if (read_section_map(pdb, map, arena, err) < 0)
		return -1;
	pdb->has_modules = true;
	return 0;
}
