/* block.c -- the building blocks of paths: ids and names as symbol servers write them. */
#include "source/source_layout.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/limits.h"
#include "source/artifact.h"

#define DOTNET_AGE 0xffffffffu           /* portable PDBs are filed under this age */
#define UUID_DIGITS 32u
#define PE_STAMP_DIGITS 8u               /* a PE code id: time stamp, then image size */

static bool has_controls(struct text name)
{
	for (size_t i = 0; i < name.size; i++) {
		uint8_t c = (uint8_t)name.bytes[i];
		uint8_t next = i + 1 < name.size ? (uint8_t)name.bytes[i + 1] : 0;

		/* U+0080 to U+009F are C2 80 to C2 9F */
		if (c < 0x20 || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0))
			return true;
	}
	return false;
}

bool source_layout_is_name(struct text name)
{
	return name.size > 0 && name.size <= LIMIT_FILE_NAME_BYTES && !text_is(name, ".") &&
	       !text_is(name, "..") && !has_controls(name);
}

struct text source_layout_basename(struct text name)
{
	struct text base = text_basename(name);

	return source_layout_is_name(base) ? base : TEXT_NONE;
}

static void add_lower(struct buf *out, struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		buf_add_char(out, ascii_lower(text.bytes[i]));
}

static void add_upper(struct buf *out, struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		buf_add_char(out, ascii_upper(text.bytes[i]));
}

static void add_name(struct buf *out, struct text name, bool ssqp)
{
	if (ssqp)
		add_lower(out, name);
	else
		buf_add_text(out, name);
}

/* "ab/cdef" */
static bool add_split(struct buf *out, struct text id)
{
	if (id.size < 2)
		return false;
	buf_add(out, id.bytes, 2);
	buf_add_char(out, '/');
	buf_add(out, id.bytes + 2, id.size - 2);
	return true;
}

/* The last component of the code file */
static bool build_code(const struct source_query *query, bool ssqp, struct buf *out)
{
	struct text name = source_layout_basename(query->ids->code_file);

	add_name(out, name, ssqp);
	return name.bytes != NULL;
}

static bool build_code_id(const struct source_query *query, bool ssqp, struct buf *out)
{
	(void)ssqp;
	buf_add_text(out, query->ids->code_id);
	return query->ids->code_id.size > 0;
}

static bool build_code_id_upper(const struct source_query *query, bool ssqp, struct buf *out)
{
	(void)ssqp;
	add_upper(out, query->ids->code_id);
	return query->ids->code_id.size > 0;
}

/* gdb's .build-id folders: the code id split after two digits */
static bool build_gdb(const struct source_query *query, bool ssqp, struct buf *out)
{
	(void)ssqp;
	return add_split(out, query->ids->code_id);
}

/* 32 lower-case digits: the code id must be a UUID if there is one, else the debug id's. */
static bool mach_uuid(const struct object_ids *ids, char uuid[DEBUGID_TEXT_BYTES])
{
	if (ids->code_id.size > 0) {
		if (ids->code_id.size != UUID_DIGITS)
			return false;
		for (size_t i = 0; i < UUID_DIGITS; i++)
			uuid[i] = ascii_lower(ids->code_id.bytes[i]);
		uuid[UUID_DIGITS] = '\0';
		return true;
	}
	if (debugid_is_nil(&ids->debug_id))
		return false;
	debugid_format_uuid_simple(&ids->debug_id, uuid);
	return true;
}

static bool build_uuid(const struct source_query *query, bool ssqp, struct buf *out)
{
	char uuid[DEBUGID_TEXT_BYTES];

	(void)ssqp;
	if (!mach_uuid(query->ids, uuid))
		return false;
	buf_add_string(out, uuid);
	return true;
}

/* lldb's folders: XXXX/XXXX/XXXX/XXXX/XXXX/XXXXXXXXXXXX */
static bool build_lldb(const struct source_query *query, bool ssqp, struct buf *out)
{
	char uuid[DEBUGID_TEXT_BYTES];

	(void)ssqp;
	if (!mach_uuid(query->ids, uuid))
		return false;
	for (size_t i = 0; i < 20; i += 4) {
		add_upper(out, (struct text){ uuid + i, 4 });
		buf_add_char(out, '/');
	}
	add_upper(out, (struct text){ uuid + 20, UUID_DIGITS - 20 });
	return true;
}

/* The debug id as symstore files it.  SSQP turns the case round: lower-case GUID (which is
 * all of the text but the age), upper-case age. */
static void add_symstore_id(const struct object_ids *ids, bool ssqp, struct buf *out)
{
	struct debugid id = ids->debug_id;
	char text[DEBUGID_TEXT_BYTES];
	char age[16];
	size_t guid_size;

	if (ids->type == OBJECT_TYPE_PE_DOTNET)
		id.age = DOTNET_AGE;
	debugid_format_breakpad(&id, text);
	guid_size = strlen(text) - (size_t)snprintf(age, sizeof(age), "%x", id.age);
	if (ssqp) {
		add_lower(out, (struct text){ text, guid_size });
		add_upper(out, text_of(age));
	} else {
		add_upper(out, (struct text){ text, guid_size });
		buf_add_string(out, age);
	}
}

/* <debug name>/<GUID><age>/<debug name> */
static bool build_pdb(const struct source_query *query, bool ssqp, struct buf *out)
{
	struct text name = source_layout_basename(query->ids->debug_file);

	if (!name.bytes || debugid_is_nil(&query->ids->debug_id))
		return false;
	add_name(out, name, ssqp);
	buf_add_char(out, '/');
	add_symstore_id(query->ids, ssqp, out);
	buf_add_char(out, '/');
	add_name(out, name, ssqp);
	return true;
}

/* The same without its extension */
static bool build_pdb_stem(const struct source_query *query, bool ssqp, struct buf *out)
{
	size_t start = out->size;

	if (!build_pdb(query, ssqp, out) || out->failed)
		return false;
	for (size_t i = out->size; i > start; i--) {
		if (out->bytes[i - 1] == '.') {
			out->size = i - 1;
			break;
		}
	}
	return true;
}

/* The same for PE modules alone, not for .NET */
static bool build_pe_stem(const struct source_query *query, bool ssqp, struct buf *out)
{
	return query->ids->type == OBJECT_TYPE_PE && build_pdb_stem(query, ssqp, out);
}

/* <code name>/<code id>/<code name> */
static bool build_pe(const struct source_query *query, bool ssqp, struct buf *out)
{
	struct text name = source_layout_basename(query->ids->code_file);
	struct text id = query->ids->code_id;

	if (!name.bytes || id.size == 0 || (!ssqp && id.size < PE_STAMP_DIGITS))
		return false;
	add_name(out, name, ssqp);
	buf_add_char(out, '/');
	if (ssqp) {
		add_lower(out, id);
	} else {
		add_upper(out, (struct text){ id.bytes, PE_STAMP_DIGITS });
		add_lower(out, (struct text){ id.bytes + PE_STAMP_DIGITS,
					      id.size - PE_STAMP_DIGITS });
	}
	buf_add_char(out, '/');
	add_name(out, name, ssqp);
	return true;
}

/*
 * What stands before `.sym`.  Folklore: Symbolicator takes one suffix after the
 * other off, but goes back to the whole name whenever one does not fit.  So only `.pdb`
 * goes (and `.pdb.dll`), and symbol folders are filed that way.  Test: breakpad_stems.
 */
static struct text breakpad_stem(struct text name)
{
	static const char *const suffixes[] = { ".exe", ".dll", ".pdb" };
	struct text stem = name;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (text_ends_with(stem, suffixes[i]))
			stem.size -= strlen(suffixes[i]);
		else
			stem = name;
	}
	return stem;
}

/* <debug name>/<breakpad id>/<stem> */
static bool build_breakpad(const struct source_query *query, bool ssqp, struct buf *out)
{
	struct text name = source_layout_basename(query->ids->debug_file);
	char id[DEBUGID_TEXT_BYTES];

	(void)ssqp;
	if (!name.bytes || debugid_is_nil(&query->ids->debug_id) || query->ids->type == OBJECT_TYPE_WASM)
		return false;
	debugid_format_breakpad(&query->ids->debug_id, id);
	buf_add_text(out, name);
	buf_add_char(out, '/');
	buf_add_string(out, id);
	buf_add_char(out, '/');
	buf_add_text(out, breakpad_stem(name));
	return true;
}

/* Where a source bundle lies beside the module's own file */
static bool build_beside(const struct source_query *query, bool ssqp, struct buf *out)
{
	switch (query->ids->type) {
	case OBJECT_TYPE_PE:
	case OBJECT_TYPE_PE_DOTNET:
		return build_pdb_stem(query, ssqp, out);
	case OBJECT_TYPE_MACHO:
		return build_lldb(query, ssqp, out);
	case OBJECT_TYPE_ELF:
	case OBJECT_TYPE_WASM:
		return build_gdb(query, ssqp, out);
	default:
		return false;
	}
}

/* Any id split after two digits: the code id, or the UUID of the debug id */
static bool build_any(const struct source_query *query, bool ssqp, struct buf *out)
{
	char uuid[DEBUGID_TEXT_BYTES];

	(void)ssqp;
	if (query->ids->code_id.size > 0)
		return add_split(out, query->ids->code_id);
	if (debugid_is_nil(&query->ids->debug_id))
		return false;
	debugid_format_uuid_simple(&query->ids->debug_id, uuid);
	return add_split(out, text_of(uuid));
}

/* The debug id in Breakpad form, lower case, split after two digits */
static bool build_debug(const struct source_query *query, bool ssqp, struct buf *out)
{
	char id[DEBUGID_TEXT_BYTES];

	(void)ssqp;
	if (debugid_is_nil(&query->ids->debug_id))
		return false;
	debugid_format_breakpad(&query->ids->debug_id, id);
	for (size_t i = 0; id[i]; i++)
		id[i] = ascii_lower(id[i]);
	return add_split(out, text_of(id));
}

/* The unified id of what the module is */
static bool build_own(const struct source_query *query, bool ssqp, struct buf *out)
{
	switch (query->ids->type) {
	case OBJECT_TYPE_ELF:
		return build_gdb(query, ssqp, out);
	case OBJECT_TYPE_MACHO:
	case OBJECT_TYPE_WASM:
		return build_any(query, ssqp, out);
	case OBJECT_TYPE_PE:
	case OBJECT_TYPE_PE_DOTNET:
		return build_debug(query, ssqp, out);
	default:
		return false;
	}
}

static const struct source_layout_block blocks[] = {
	{ "code",     build_code },          /* libm-2.23.so                               */
	{ "code_id",  build_code_id },       /* dfb85de4...                                */
	{ "CODE_ID",  build_code_id_upper }, /* DFB85DE4...                                */
	{ "gdb",      build_gdb },           /* df/b85de4...                               */
	{ "uuid",     build_uuid },          /* 67e9247c814e392ba027dbde6748fcbf           */
	{ "lldb",     build_lldb },          /* 67E9/247C/814E/392B/A027/DBDE6748FCBF      */
	{ "pdb",      build_pdb },           /* crash.pdb/3249D99D...69361/crash.pdb       */
	{ "pe_stem",  build_pe_stem },       /* crash.pdb/3249D99D...69361/crash           */
	{ "pe",       build_pe },            /* crash.exe/5AB380779000/crash.exe           */
	{ "breakpad", build_breakpad },      /* crash.pdb/3249D99D...69361/crash           */
	{ "beside",   build_beside },        /* by module type: pdb's stem, lldb, gdb      */
	{ "any",      build_any },           /* 67/e9247c...: code id, else UUID           */
	{ "debug",    build_debug },         /* 32/49d99d...69361                          */
	{ "own",      build_own },           /* by module type: gdb, any, debug            */
	{ "release",  artifact_build_release },  /* releases/app@1.0/~, of a URL            */
	{ "host",     artifact_build_host }, /* example.org:8080, ~                        */
	{ "path",     artifact_build_path }, /* js/app.min.js                              */
};

const struct source_layout_block *source_layout_block_named(struct text name)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (text_is(name, blocks[i].name))
			return &blocks[i];
	return NULL;
}
