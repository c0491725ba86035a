/* makers.c -- see makers.h. */
#include "object/makers.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/mem.h"

#define MAKER_BYTES ((size_t)256 << 20)

static void put(struct buf *out, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		buf_add_char(out, (char)(i < 8 ? value >> 8 * i : 0));
}

static void put_string(struct buf *out, const char *string, size_t padded)
{
	size_t size = strlen(string) + 1;

	buf_add(out, string, size);
	while (padded && size++ % padded)
		buf_add_char(out, '\0');
}

/* Raw deflate, appended. */
static void put_deflated(struct buf *out, const void *bytes, size_t size)
{
	z_stream stream;
	size_t capacity = size + size / 8 + 64;
	char *at = buf_reserve(out, capacity);

	memset(&stream, 0, sizeof(stream));
	if (!at || deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	stream.next_in = (Bytef *)(uintptr_t)bytes;
	stream.avail_in = (uInt)size;
	stream.next_out = (Bytef *)at;
	stream.avail_out = (uInt)capacity;
	if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
		abort();
	out->size += stream.total_out;
	deflateEnd(&stream);
}

/* --- Portable PDB ------------------------------------------------------------------------ */

struct ppdb_parts {
	struct buf blobs, guids, tables, debug, strings;
	unsigned width;
};

static uint32_t add_blob(struct ppdb_parts *parts, const void *bytes, size_t size)
{
	uint32_t at = (uint32_t)parts->blobs.size;

	if (size < 0x80) {
		buf_add_char(&parts->blobs, (char)size);
	} else {
		buf_add_char(&parts->blobs, (char)(0x80 | size >> 8));
		buf_add_char(&parts->blobs, (char)size);
	}
	buf_add(&parts->blobs, bytes, size);
	return at;
}

static uint32_t add_text(struct ppdb_parts *parts, const char *text)
{
	return add_blob(parts, text, strlen(text));
}

static size_t unhex(const char *hex, uint8_t *out)
{
	size_t count = strlen(hex) / 2;

	for (size_t i = 0; i < count; i++)
		out[i] = (uint8_t)(ascii_hex_value(hex[2 * i]) << 4 | ascii_hex_value(hex[2 * i + 1]));
	return count;
}

static uint32_t add_hex(struct ppdb_parts *parts, const char *hex)
{
	uint8_t bytes[256];

	return add_blob(parts, bytes, unhex(hex, bytes));
}

static uint32_t add_guid(struct ppdb_parts *parts, const char *hex)
{
	uint8_t guid[16];

	unhex(hex, guid);
	buf_add(&parts->guids, guid, sizeof(guid));
	return (uint32_t)(parts->guids.size / 16);
}

/* Separator, then the numbers of the parts' blobs (all below 0x80 here). */
static uint32_t add_name(struct ppdb_parts *parts, char separator, const char *a, const char *b,
			 const char *c)
{
	uint8_t name[4] = { (uint8_t)separator };

	name[1] = *a ? (uint8_t)add_text(parts, a) : 0;
	name[2] = (uint8_t)add_text(parts, b);
	name[3] = (uint8_t)add_text(parts, c);
	return add_blob(parts, name, sizeof(name));
}

static void put_document(struct ppdb_parts *parts, uint32_t name, uint32_t language)
{
	put(&parts->tables, name, parts->width);
	put(&parts->tables, 0, parts->width);
	put(&parts->tables, 0, parts->width);
	put(&parts->tables, language, parts->width);
}

static void put_custom(struct ppdb_parts *parts, uint32_t parent, uint32_t kind, uint32_t value)
{
	put(&parts->tables, parent, 2);
	put(&parts->tables, kind, parts->width);
	put(&parts->tables, value, parts->width);
}

#define KIND_LINKS  "560511cc91a0384d9fec25ab9a351a6a"
#define KIND_SOURCE "1b578a0e26696e46b4ad8ab04611f5fe"
#define LINKS "{\"documents\":{\"C:\\\\src\\\\*\":\"https://example.org/raw/*\"}}"
#define TEXT_A "class A {\r\n}\r\n"
#define TEXT_B "let b = 1\n"

static void put_customs(struct ppdb_parts *parts, const char *links, bool no_sources)
{
	uint32_t kind_links = add_guid(parts, KIND_LINKS);
	uint32_t kind_source = add_guid(parts, KIND_SOURCE);
	struct buf blob;

	buf_init(&blob, MAKER_BYTES);
	if (!no_sources) {
		put(&blob, 0, 4);
		buf_add_string(&blob, TEXT_A);
		put_custom(parts, 1 << 5 | 22, kind_source, add_blob(parts, blob.bytes, blob.size));
		buf_clear(&blob);
		put(&blob, sizeof(TEXT_B) - 1, 4);
		put_deflated(&blob, TEXT_B, sizeof(TEXT_B) - 1);
		put_custom(parts, 2 << 5 | 22, kind_source, add_blob(parts, blob.bytes, blob.size));
	}
	if (*links)
		put_custom(parts, 1 << 5 | 7, kind_links, add_text(parts, links));
	buf_release(&blob);
}

static void put_rows(struct ppdb_parts *parts, const struct ppdb_maker *maker)
{
	const char *links = maker->links ? maker->links : LINKS;
	uint32_t customs = (maker->no_sources ? 0u : 2u) + (*links ? 1u : 0u);
	uint32_t csharp = add_guid(parts, "f862513fc607d311905300c04fa302a1");
	uint32_t fsharp = add_guid(parts, "ce384fabe6b6ba43be3b58080b2ccce3");
	uint32_t basic = add_guid(parts, "b8129d3a6cc2d011b44200a0244a1dd2");
	uint32_t a = add_name(parts, '\\', "C:", "src", "a.cs");
	uint32_t b = add_name(parts, '/', "", "src", "b.fs");
	uint32_t c = add_name(parts, '\\', "C:", "src", "c.vb");

	put(&parts->tables, 0, 4);
	put(&parts->tables, 2, 2);
	put(&parts->tables, maker->wide ? 7 : 0, 1);
	put(&parts->tables, 1, 1);
	put(&parts->tables, (uint64_t)0xc3 << 48, 8);
	put(&parts->tables, 0, 8);
	put(&parts->tables, 3, 4);
	put(&parts->tables, 3, 4);
	put(&parts->tables, 1, 4);
	put(&parts->tables, customs, 4);
	put_document(parts, a, csharp);
	put_document(parts, b, fsharp);
	put_document(parts, c, basic);
	/* locals; offset, lines, columns, line, column; ... */
	put(&parts->tables, 1, 2);
	put(&parts->tables, add_hex(parts, maker->bad_method ? maker->bad_method
				    : "00" "00" "0005" "0a01" "05" "0000" "04" "0005" "0400"),
	    parts->width);
	put(&parts->tables, 1, 2);
	put(&parts->tables, 0, parts->width);
	put(&parts->tables, 0, 2);
	put(&parts->tables, add_hex(parts, "00" "02" "00" "0005" "0701" "0001" "04" "0005" "2e00"),
	    parts->width);
	put(&parts->tables, 3, 2);
	put(&parts->tables, 2, 2);
	put_customs(parts, links, maker->no_sources);
	buf_add_string(&parts->strings, "");
}

static void put_debug(struct ppdb_parts *parts)
{
	uint8_t id[20];

	unhex("33221100554477668899aabbccddeeff" "78563412", id);
	buf_add(&parts->debug, id, sizeof(id));
	put(&parts->debug, 0, 4);
	put(&parts->debug, 0x41, 8);         /* Module and MethodDef */
	put(&parts->debug, 1, 4);
	put(&parts->debug, 3, 4);
}

struct stream { const char *name; const struct buf *bytes; };

static void put_root(const struct stream *streams, size_t count, struct buf *out)
{
	size_t at = 4 + 2 + 2 + 4 + 4 + 12 + 4;

	for (size_t i = 0; i < count; i++)
		at += 8 + (strlen(streams[i].name) + 4) / 4 * 4;
	buf_add_string(out, "BSJB");
	put(out, 1, 2);
	put(out, 1, 2);
	put(out, 0, 4);
	put(out, 12, 4);
	buf_add(out, "PDB v1.0\0\0\0\0", 12);
	put(out, 0, 2);
	put(out, count, 2);
	for (size_t i = 0; i < count; i++) {
		put(out, at, 4);
		put(out, streams[i].bytes->size, 4);
		put_string(out, streams[i].name, 4);
		at += streams[i].bytes->size;
	}
	for (size_t i = 0; i < count; i++)
		buf_add(out, streams[i].bytes->bytes, streams[i].bytes->size);
}

void make_ppdb(const struct ppdb_maker *maker, struct buf *out)
{
	struct ppdb_parts parts = { .width = maker->wide ? 4 : 2 };
	struct buf *bufs[] = { &parts.blobs, &parts.guids, &parts.tables, &parts.debug,
			       &parts.strings };
	struct stream streams[6] = {
		{ "#Pdb", &parts.debug }, { "#~", &parts.tables }, { "#Strings", &parts.strings },
		{ "#GUID", &parts.guids }, { "#Blob", &parts.blobs },
		{ maker->extra_stream, &parts.strings },
	};

	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		buf_init(bufs[i], MAKER_BYTES);
	buf_add_char(&parts.blobs, '\0');
	buf_add_char(&parts.strings, '\0');
	put_rows(&parts, maker);
	put_debug(&parts);
	put_root(streams, maker->extra_stream ? 6 : 5, out);
	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		buf_release(bufs[i]);
}

/* --- A program around one ---------------------------------------------------------------- */

#define PE_SECTION_AT 0x200u         /* in the file; 0x1000 in memory */

void make_pe_around(const struct buf *ppdb, int size_lie, struct buf *out)
{
	struct buf data;

	buf_init(&data, MAKER_BYTES);
	buf_add_string(&data, "MPDB");
	put(&data, ppdb->size + (size_t)size_lie, 4);
	put_deflated(&data, ppdb->bytes, ppdb->size);
	put(out, 0x5a4d, 2);
	put(out, 0, 0x3a);
	put(out, 0x40, 4);
	buf_add(out, "PE\0\0", 4);
	put(out, 0x8664, 2);
	put(out, 1, 2);
	put(out, 0x5ab38077, 4);
	put(out, 0, 8);
	put(out, 240, 2);
	put(out, 0x2022, 2);
	put(out, 0x20b, 2);
	put(out, 0, 22);
	put(out, 0x140000000, 8);
	put(out, 0x1000, 4);
	put(out, 0x200, 4);
	put(out, 0, 16);
	put(out, 0x9000, 4);
	put(out, PE_SECTION_AT, 4);
	put(out, 0, 44);
	put(out, 16, 4);
	put(out, 0, 6 * 8);
	put(out, 0x1000, 4);                 /* the debug directory */
	put(out, 28, 4);
	put(out, 0, 9 * 8);
	buf_add(out, ".text\0\0\0", 8);
	put(out, 0x8000, 4);
	put(out, 0x1000, 4);
	put(out, 28 + data.size, 4);
	put(out, PE_SECTION_AT, 4);
	put(out, 0, 12);
	put(out, 0x60000020, 4);
	put(out, 0, (unsigned)(PE_SECTION_AT - out->size));
	put(out, 0, 4);
	put(out, 0x5ab38077, 4);
	put(out, 0x01000100, 4);
	put(out, 17, 4);
	put(out, data.size, 4);
	put(out, 0x1000 + 28, 4);
	put(out, PE_SECTION_AT + 28, 4);
	buf_add(out, data.bytes, data.size);
	buf_release(&data);
}

/* --- Source bundle ----------------------------------------------------------------------- */

struct zipping {
	const struct bundle_maker *maker;
	struct buf *out, directory, packed;
	size_t base, count;
};

static void put_entry(struct zipping *zip, const char *name, const char *contents, size_t size)
{
	size_t at = zip->out->size - zip->base;
	uint32_t crc = (uint32_t)crc32_z(0, (const Bytef *)contents, size);
	uint32_t told = (uint32_t)size + (uint32_t)zip->maker->size_lie;
	unsigned method = zip->maker->stored ? 0 : 8;

	buf_clear(&zip->packed);
	if (method)
		put_deflated(&zip->packed, contents, size);
	else
		buf_add(&zip->packed, contents, size);
	for (int central = 0; central < 2; central++) {
		struct buf *out = central ? &zip->directory : zip->out;

		put(out, central ? 0x02014b50 : 0x04034b50, 4);
		if (central)
			put(out, 20, 2);
		put(out, 20, 2);
		put(out, 0, 2);
		put(out, method, 2);
		put(out, 0x00210000, 4);
		put(out, crc, 4);
		put(out, zip->packed.size, 4);
		put(out, told, 4);
		put(out, strlen(name), 2);
		put(out, central && zip->maker->bad_extra ? 8 : 0, 2);
		if (central) {
			put(out, 0, 10);
			put(out, at, 4);
		}
		buf_add_string(out, name);
		if (central && zip->maker->bad_extra)
			put(out, (uint64_t)100 << 16 | 1, 8);
	}
	buf_add(zip->out, zip->packed.bytes, zip->packed.size);
	zip->count++;
}

static void put_end(struct zipping *zip)
{
	size_t at = zip->out->size - zip->base;

	buf_add(zip->out, zip->directory.bytes, zip->directory.size);
	if (zip->maker->zip64) {
		size_t end = zip->out->size - zip->base;

		put(zip->out, 0x06064b50, 4);
		put(zip->out, 44, 8);
		put(zip->out, 0, 12);
		put(zip->out, zip->count, 8);
		put(zip->out, zip->count, 8);
		put(zip->out, zip->directory.size, 8);
		put(zip->out, at, 8);
		put(zip->out, 0x07064b50, 4);
		put(zip->out, 0, 4);
		put(zip->out, end, 8);
		put(zip->out, 1, 4);
	}
	put(zip->out, 0x06054b50, 4);
	put(zip->out, 0, 4);
	put(zip->out, zip->maker->zip64 ? 0xffff : zip->count, 2);
	put(zip->out, zip->maker->zip64 ? 0xffff : zip->count, 2);
	put(zip->out, zip->maker->zip64 ? 0xffffffff : zip->directory.size, 4);
	put(zip->out, zip->maker->zip64 ? 0xffffffff : at, 4);
	put(zip->out, 0, 2);
}

static void make_manifest(const struct bundle_maker *maker, struct buf *out)
{
	buf_add_string(out, "{\"files\":{");
	for (size_t i = 0; i < maker->count; i++) {
		const struct bundle_file *file = &maker->files[i];

		buf_printf(out, "%s\"%s\":{\"type\":\"source\"", i ? "," : "", file->zip_path);
		if (file->path)
			buf_printf(out, ",\"path\":\"%s\"", file->path);
		if (file->url)
			buf_printf(out, ",\"url\":\"%s\"", file->url);
		buf_add_char(out, '}');
	}
	buf_printf(out, "}%s%s}", maker->attributes ? "," : "",
		   maker->attributes ? maker->attributes : "");
}

void make_bundle(const struct bundle_maker *maker, struct buf *out)
{
	struct zipping zip = { .maker = maker, .out = out };
	struct buf manifest;

	buf_init(&manifest, MAKER_BYTES);
	buf_init(&zip.directory, MAKER_BYTES);
	buf_init(&zip.packed, MAKER_BYTES);
	buf_add_string(out, "SYSB");
	put(out, 2, 4);
	zip.base = maker->offsets_count_header ? 0 : out->size;
	for (size_t i = 0; i < maker->count; i++)
		if (maker->files[i].contents)
			put_entry(&zip, maker->files[i].zip_path, maker->files[i].contents,
				  maker->files[i].size ? maker->files[i].size
						       : strlen(maker->files[i].contents));
	if (maker->manifest)
		buf_add_string(&manifest, maker->manifest);
	else
		make_manifest(maker, &manifest);
	put_entry(&zip, "manifest.json", buf_string(&manifest), manifest.size);
	put_end(&zip);
	buf_release(&manifest);
	buf_release(&zip.directory);
	buf_release(&zip.packed);
}
