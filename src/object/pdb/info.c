/* info.c -- PDB info stream (1), the head of the DBI stream (3). */
#include "object/pdb/pdb_file.h"

#include "base/arch.h"
#include "base/arena.h"
#include "base/err.h"

#define STREAM_INFO 1u
#define STREAM_DBI  3u
#define DBI_SIGNATURE UINT32_MAX     /* before it stood the format of Visual C++ 4 */
#define DBI_HEADER_BYTES 64u
#define DEBUG_STREAMS_MAX 16u

enum {                               /* positions in the optional debug header */
	DEBUG_FPO = 0, DEBUG_OMAP_TO_SOURCE = 3, DEBUG_OMAP_FROM_SOURCE = 4, DEBUG_SECTIONS = 5,
	DEBUG_FRAME_DATA = 9, DEBUG_SECTIONS_ORIGINAL = 10
};

uint32_t pdb_arch(uint16_t machine)
{
	switch (machine) {
	case 0x014c:
		return ARCH_X86;
	case 0x8664:
		return ARCH_X86_64;
	case 0x01c0: case 0x01c2: case 0x01c4:
		return ARCH_ARM;
	case 0xaa64: case 0xa641: case 0xa64e:
		return ARCH_ARM64;
	case 0x01f0: case 0x01f1:
		return ARCH_PPC;
	default:
		return ARCH_UNKNOWN;
	}
}

/* --- Info stream --------------------------------------------------------------------- */

static void take_named_stream(struct pdb *pdb, struct text name, uint32_t stream)
{
	if (text_is(name, "/names"))
		pdb->names_stream = stream;
	else if (text_is(name, "srcsrv"))
		pdb->srcsrv_stream = stream;
	else if ((text_is(name, "sourcelink") || text_starts_with(name, "sourcelink$")) &&
		 pdb->link_stream_count < PDB_LINK_STREAMS_MAX)
		pdb->link_streams[pdb->link_stream_count++] = stream;
}

/* Names in one run of bytes, and a hash table from their places to streams: two bit sets
 * (present, deleted), then a pair for each that is present. */
static void read_named_streams(struct pdb *pdb, struct reader *reader)
{
	struct reader names = reader_part(reader, "names of streams", reader_u32(reader));
	uint32_t count = reader_u32(reader);

	reader_skip(reader, 4);                      /* capacity */
	reader_skip(reader, (uint64_t)reader_u32(reader) * 4);
	reader_skip(reader, (uint64_t)reader_u32(reader) * 4);
	for (uint32_t i = 0; i < count && !reader_at_end(reader); i++) {
		struct reader name = names;
		uint32_t place = reader_u32(reader), stream = reader_u32(reader);

		reader_seek(&name, place);
		take_named_stream(pdb, reader_string(&name), stream);
	}
}

static int read_info(struct pdb *pdb, struct debugid *id, struct arena *arena, struct err *err)
{
	struct msf_stream stream;
	struct reader reader;
	const uint8_t *guid;

	if (msf_stream_open(&pdb->msf, STREAM_INFO, "PDB info stream", &stream, err) < 0 ||
	    msf_stream_in_arena(&stream, arena, &reader, err) < 0)
		return -1;
	reader_skip(&reader, 8);                     /* version, time stamp */
	pdb->info_age = reader_u32(&reader);
	guid = reader_take(&reader, DEBUGID_UUID_BYTES);
	if (reader_check(&reader, err) < 0)
		return -1;
	*id = debugid_from_guid(guid, pdb->info_age);
	read_named_streams(pdb, &reader);
	return 0;
}

/* --- DBI stream's head --------------------------------------------------------------- */

static uint32_t debug_stream(struct reader streams, uint32_t which)
{
	reader_seek(&streams, (uint64_t)which * 2);
	which = reader_u16(&streams);
	return streams.failed ? MSF_NO_STREAM : which;
}

/* An optimiser that moved code left what is needed to follow it: sections as they were, and
 * maps from there to where they are and back. */
static void read_debug_header(struct pdb *pdb)
{
	uint8_t bytes[DEBUG_STREAMS_MAX * 2];
	uint32_t size = pdb->debug_header_bytes < sizeof(bytes) ? pdb->debug_header_bytes
							       : sizeof(bytes);
	struct reader streams = reader_over("debug header", bytes, size);
	uint32_t original;

	if (!msf_stream_copy(&pdb->dbi_stream, pdb->debug_header_at, size, bytes))
		return;
	pdb->fpo_stream = debug_stream(streams, DEBUG_FPO);
	pdb->frame_data_stream = debug_stream(streams, DEBUG_FRAME_DATA);
	pdb->section_stream = debug_stream(streams, DEBUG_SECTIONS);
	pdb->omap_stream = debug_stream(streams, DEBUG_OMAP_FROM_SOURCE);
	pdb->omap_back_stream = debug_stream(streams, DEBUG_OMAP_TO_SOURCE);
	original = debug_stream(streams, DEBUG_SECTIONS_ORIGINAL);
	if ((pdb->omap_stream != MSF_NO_STREAM || pdb->omap_back_stream != MSF_NO_STREAM) &&
	    original != MSF_NO_STREAM)
		pdb->section_stream = original;
}

static int read_dbi_head(struct pdb *pdb, struct err *err)
{
	uint8_t bytes[DBI_HEADER_BYTES];
	struct reader reader = reader_over("DBI stream", bytes, sizeof(bytes));
	uint64_t at = DBI_HEADER_BYTES;

	if (msf_stream_open(&pdb->msf, STREAM_DBI, "DBI stream", &pdb->dbi_stream, err) < 0)
		return -1;
	pdb->has_dbi = pdb->dbi_stream.size > 0;
	if (!pdb->has_dbi)
		return 0;
	if (!msf_stream_copy(&pdb->dbi_stream, 0, sizeof(bytes), bytes))
		return err_set(err, ERR_MALFORMED, "DBI stream (stream 3) ends early, at byte %u of %u",
			       pdb->dbi_stream.size, DBI_HEADER_BYTES);
	if (reader_u32(&reader) != DBI_SIGNATURE)
		return err_set(err, ERR_UNSUPPORTED, "DBI stream of the format before Visual C++ 5");
	reader_skip(&reader, 4);                     /* version */
	pdb->dbi_age = reader_u32(&reader);
	reader_skip(&reader, 8);                     /* globals, build, publics, version of the DLL */
	pdb->symbol_stream = reader_u16(&reader);
	reader_skip(&reader, 2);
	at += pdb->module_bytes = reader_u32(&reader);
	at += pdb->contribution_bytes = reader_u32(&reader);
	at += pdb->section_map_bytes = reader_u32(&reader);
	at += reader_u32(&reader);                   /* source files */
	at += reader_u32(&reader);                   /* type servers */
	reader_skip(&reader, 4);
	pdb->debug_header_bytes = reader_u32(&reader);
	at += reader_u32(&reader);                   /* edit and continue */
	reader_skip(&reader, 2);                     /* flags */
	pdb->machine = reader_u16(&reader);
	if (at > pdb->dbi_stream.size)
		return err_set(err, ERR_MALFORMED, "DBI stream (stream 3) of %u bytes says parts of "
			       "%llu", pdb->dbi_stream.size, (unsigned long long)at);
	pdb->debug_header_at = (uint32_t)at;
	read_debug_header(pdb);
	return 0;
}

int pdb_read_identity(struct pdb *pdb, struct debugid *id, struct arena *arena, struct err *err)
{
	pdb->names_stream = pdb->srcsrv_stream = pdb->symbol_stream = MSF_NO_STREAM;
	pdb->omap_stream = pdb->omap_back_stream = pdb->section_stream = MSF_NO_STREAM;
	pdb->fpo_stream = pdb->frame_data_stream = MSF_NO_STREAM;
	if (read_info(pdb, id, arena, err) < 0 || read_dbi_head(pdb, err) < 0)
		return -1;
	/* Tools that write a PDB again count in the DBI stream; the image knows that age. */
	if (pdb->has_dbi)
		id->age = pdb->dbi_age;
	return 0;
}
