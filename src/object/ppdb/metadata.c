/* metadata.c -- root, streams, tables and heaps (ECMA-335 §II.24.2). */
#include "object/ppdb/ppdb.h"

#include "base/err.h"

#define MAGIC 0x424a5342u            /* "BSJB" */
#define VERSION_BYTES_MAX 256u
#define STREAM_NAME_BYTES 32u
#define HEAP_WIDE_STRINGS 0x01u      /* HeapSizes, §II.24.2.6 */
#define HEAP_WIDE_GUIDS   0x02u
#define HEAP_WIDE_BLOBS   0x04u
#define HEAP_EXTRA        0x40u      /* four more bytes follow the row counts */
#define SMALL_ROWS 0x10000u          /* more rows need an index of 4 bytes */
#define PARENT_TAG_BITS 5u
#define GUID_BYTES 16u

/* --- Numbers ----------------------------------------------------------------------------- */

static uint32_t read_compressed(struct reader *reader, unsigned *bits)
{
	uint32_t first = reader_u8(reader);
	uint32_t value;

	*bits = 7;
	if (first < 0x80)
		return first;
	if (first < 0xc0) {
		*bits = 14;
		return (first & 0x3f) << 8 | reader_u8(reader);
	}
	*bits = 29;
	if (first >= 0xe0)
		reader->failed = true;
	value = (first & 0x1f) << 24;
	value |= (uint32_t)reader_u8(reader) << 16;
	value |= (uint32_t)reader_u8(reader) << 8;
	return value | reader_u8(reader);
}

uint32_t ppdb_unsigned(struct reader *reader)
{
	unsigned bits;

	return read_compressed(reader, &bits);
}

/* The sign is the lowest bit: rotated, within the width that was used. */
int32_t ppdb_signed(struct reader *reader)
{
	unsigned bits;
	uint32_t raw = read_compressed(reader, &bits);
	int32_t value = (int32_t)(raw >> 1);

	return raw & 1 ? value - (int32_t)(1u << (bits - 1)) : value;
}

/* --- Heaps ------------------------------------------------------------------------------- */

int ppdb_blob(const struct ppdb *ppdb, uint32_t index, struct text *blob, struct err *err)
{
	struct reader heap = reader_over("#Blob", ppdb->blobs.bytes.bytes, ppdb->blobs.bytes.size);
	uint32_t size;

	*blob = TEXT("");
	if (index == 0)
		return 0;
	reader_seek(&heap, index);
	size = ppdb_unsigned(&heap);
	blob->bytes = (const char *)reader_take(&heap, size);
	blob->size = size;
	return reader_check(&heap, err);
}

const uint8_t *ppdb_guid(const struct ppdb *ppdb, uint32_t index)
{
	if (index == 0 || index > ppdb->guids.bytes.size / GUID_BYTES)
		return NULL;
	return (const uint8_t *)ppdb->guids.bytes.bytes + (size_t)(index - 1) * GUID_BYTES;
}

/* --- Tables ------------------------------------------------------------------------------ */

unsigned ppdb_row_index_width(const struct ppdb *ppdb, enum ppdb_table table)
{
	return ppdb->rows[table] < SMALL_ROWS ? 2 : 4;
}

/* HasCustomDebugInformation may name a row of any of these. */
unsigned ppdb_parent_width(const struct ppdb *ppdb)
{
	static const uint8_t parents[] = {
		0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0a, 0x00, 0x0e, 0x17, 0x14, 0x11, 0x1a, 0x1b,
		0x20, 0x23, 0x26, 0x27, 0x28, 0x2a, 0x2c, 0x2b, 0x30, 0x32, 0x33, 0x34, 0x35,
	};

	for (size_t i = 0; i < sizeof(parents); i++)
		if (ppdb->rows[parents[i]] >= SMALL_ROWS >> PARENT_TAG_BITS)
			return 4;
	return 2;
}

static void measure_rows(struct ppdb *ppdb)
{
	unsigned string = ppdb->strings.width, guid = ppdb->guids.width, blob = ppdb->blobs.width;
	unsigned document = ppdb_row_index_width(ppdb, PPDB_DOCUMENT);
	unsigned method = ppdb_row_index_width(ppdb, PPDB_METHOD_DEF);
	unsigned scope = ppdb_row_index_width(ppdb, PPDB_IMPORT_SCOPE);
	unsigned variable = ppdb_row_index_width(ppdb, PPDB_LOCAL_VARIABLE);
	unsigned constant = ppdb_row_index_width(ppdb, PPDB_LOCAL_CONSTANT);
	const unsigned sizes[PPDB_OWN_TABLES] = {
		[PPDB_DOCUMENT - PPDB_FIRST_TABLE] = blob + guid + blob + guid,
		[PPDB_METHOD_DEBUG - PPDB_FIRST_TABLE] = document + blob,
		[PPDB_LOCAL_SCOPE - PPDB_FIRST_TABLE] = method + scope + variable + constant + 8,
		[PPDB_LOCAL_VARIABLE - PPDB_FIRST_TABLE] = 2 + 2 + string,
		[PPDB_LOCAL_CONSTANT - PPDB_FIRST_TABLE] = string + blob,
		[PPDB_IMPORT_SCOPE - PPDB_FIRST_TABLE] = scope + blob,
		[PPDB_STATE_MACHINE - PPDB_FIRST_TABLE] = method + method,
		[PPDB_CUSTOM - PPDB_FIRST_TABLE] = ppdb_parent_width(ppdb) + guid + blob,
	};

	memcpy(ppdb->row_bytes, sizes, sizeof(sizes));
}

/* Row counts of the program's tables, which stand in #Pdb, and of the file's own. */
static void read_counts(struct ppdb *ppdb, struct reader *reader, uint64_t present)
{
	for (unsigned table = 0; table < PPDB_TABLES; table++)
		if (present >> table & 1)
			ppdb->rows[table] = reader_u32(reader);
}

static int read_debug(struct ppdb *ppdb, struct err *err)
{
	struct reader reader = reader_over("#Pdb", ppdb->debug.bytes, ppdb->debug.size);
	uint64_t present;

	reader_skip(&reader, PPDB_ID_BYTES + 4);
	present = reader_u64(&reader);
	if (present >> PPDB_FIRST_TABLE)
		return err_set(err, ERR_MALFORMED, "#Pdb counts rows of debug tables");
	read_counts(ppdb, &reader, present);
	return reader_check(&reader, err);
}

static int take_rows(struct ppdb *ppdb, struct reader *reader, struct err *err)
{
	measure_rows(ppdb);
	for (unsigned i = 0; i < PPDB_OWN_TABLES; i++) {
		uint64_t size = (uint64_t)ppdb->rows[PPDB_FIRST_TABLE + i] * ppdb->row_bytes[i];

		ppdb->rows_of[i].bytes = (const char *)reader_take(reader, size);
		ppdb->rows_of[i].size = (size_t)size;
		if (reader->failed)
			return err_set(err, ERR_MALFORMED,
				       "#~: table 0x%02x with %u rows ends after the stream, at byte %zu "
				       "of %zu", PPDB_FIRST_TABLE + i,
				       (unsigned)ppdb->rows[PPDB_FIRST_TABLE + i], reader->pos,
				       reader->size);
	}
	return 0;
}

static int read_tables(struct ppdb *ppdb, struct err *err)
{
	struct reader reader = reader_over("#~", ppdb->tables.bytes, ppdb->tables.size);
	unsigned heap_sizes;
	uint64_t present;

	reader_skip(&reader, 4 + 2);
	heap_sizes = reader_u8(&reader);
	reader_skip(&reader, 1);
	present = reader_u64(&reader);
	reader_skip(&reader, 8);
	if (present & (((uint64_t)1 << PPDB_FIRST_TABLE) - 1))
		return err_set(err, ERR_UNSUPPORTED, "#~ holds tables of a program");
	if (present >> PPDB_FIRST_TABLE >> PPDB_OWN_TABLES)
		return err_set(err, ERR_UNSUPPORTED, "#~ holds a table we do not know");
	read_counts(ppdb, &reader, present);
	if (heap_sizes & HEAP_EXTRA)
		reader_skip(&reader, 4);
	if (reader_check(&reader, err) < 0)
		return -1;
	ppdb->strings.width = heap_sizes & HEAP_WIDE_STRINGS ? 4 : 2;
	ppdb->guids.width = heap_sizes & HEAP_WIDE_GUIDS ? 4 : 2;
	ppdb->blobs.width = heap_sizes & HEAP_WIDE_BLOBS ? 4 : 2;
	return take_rows(ppdb, &reader, err);
}

struct reader ppdb_row(const struct ppdb *ppdb, enum ppdb_table table, uint32_t row)
{
	static const char *const names[PPDB_OWN_TABLES] = {
		"Document", "MethodDebugInformation", "LocalScope", "LocalVariable",
		"LocalConstant", "ImportScope", "StateMachineMethod", "CustomDebugInformation",
	};
	unsigned index = table - PPDB_FIRST_TABLE;
	const struct text *rows = &ppdb->rows_of[index];

	if (row < 1 || row > ppdb->rows[table])
		return reader_over(names[index], NULL, 0);
	return reader_over(names[index], rows->bytes + (size_t)(row - 1) * ppdb->row_bytes[index],
			   ppdb->row_bytes[index]);
}

/* --- Streams ----------------------------------------------------------------------------- */

static struct text *stream_named(struct ppdb *ppdb, struct text name)
{
	static struct text ignored;

	if (text_is(name, "#Pdb"))
		return &ppdb->debug;
	if (text_is(name, "#~"))
		return &ppdb->tables;
	if (text_is(name, "#Strings"))
		return &ppdb->strings.bytes;
	if (text_is(name, "#GUID"))
		return &ppdb->guids.bytes;
	if (text_is(name, "#Blob"))
		return &ppdb->blobs.bytes;
	return text_is(name, "#US") ? &ignored : NULL;
}

/* NUL-ended and padded to a multiple of 4. */
static struct text read_stream_name(struct reader *reader)
{
	size_t start = reader->pos;
	struct text name = reader_string(reader);

	reader_skip(reader, (4 - (reader->pos - start) % 4) % 4);
	return name;
}

static int read_stream(struct ppdb *ppdb, const struct reader *file, struct reader *heads,
		       struct err *err)
{
	uint32_t offset = reader_u32(heads), size = reader_u32(heads);
	struct text name = read_stream_name(heads);
	struct reader stream;
	struct text *place;

	if (reader_check(heads, err) < 0)
		return -1;
	if (name.size > STREAM_NAME_BYTES)
		name.size = STREAM_NAME_BYTES;
	place = stream_named(ppdb, name);
	if (!place)
		return err_set(err, ERR_MALFORMED, "no stream is called \"%.*s\"", (int)name.size,
			       name.bytes);
	stream = reader_window(file, "stream", offset, size);
	if (stream.failed)
		return err_set(err, ERR_MALFORMED,
			       "stream %.*s of %u bytes at byte %u ends after the file", (int)name.size,
			       name.bytes, (unsigned)size, (unsigned)offset);
	if (!text_is(name, "#US"))
		*place = (struct text){ (const char *)stream.bytes, stream.size };
	return 0;
}

static int read_streams(struct ppdb *ppdb, const void *bytes, size_t size, struct err *err)
{
	struct reader file = reader_over("metadata root", bytes, size);
	struct reader heads = file;
	uint32_t version_bytes;
	unsigned count;

	if (reader_u32(&heads) != MAGIC)
		return err_set(err, ERR_MALFORMED, "no metadata: it does not begin with BSJB");
	reader_skip(&heads, 2 + 2 + 4);
	version_bytes = reader_u32(&heads);
	if (version_bytes > VERSION_BYTES_MAX)
		return err_set(err, ERR_MALFORMED, "metadata root: a version text of %u bytes",
			       (unsigned)version_bytes);
	reader_skip(&heads, version_bytes + 2);
	count = reader_u16(&heads);
	if (reader_check(&heads, err) < 0)
		return -1;
	while (count-- > 0)
		if (read_stream(ppdb, &file, &heads, err) < 0)
			return -1;
	return 0;
}

int ppdb_read_metadata(struct ppdb *ppdb, const void *bytes, size_t size, struct err *err)
{
	if (read_streams(ppdb, bytes, size, err) < 0)
		return -1;
	if (ppdb->debug.size && read_debug(ppdb, err) < 0)
		return -1;
	return ppdb->tables.size ? read_tables(ppdb, err) : 0;
}
