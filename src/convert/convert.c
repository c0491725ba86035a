/* convert.c -- the table of operations; parameters written and replies read. */
#include "convert/convert_internal.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "convert/disassemble.h"
#include "sandbox/sandbox.h"

_Static_assert(sizeof(CONVERT_TRANSCODE) == sizeof(CELL_STARTS_PROGRAM), "a transcoder is a program");

const struct cell_operation convert_operations[] = {
	{ "inspect", convert_run_inspect, NULL },
	{ "auxiliary", convert_run_auxiliary, NULL },
	{ "symcache", convert_run_symcache, NULL },
	{ "cficache", convert_run_cficache, NULL },
	{ "ppdbcache", convert_run_ppdbcache, NULL },
	{ "section", convert_run_section, NULL },
	{ "asm", convert_run_asm, disassemble_load },
	{ "sources", convert_run_sources, NULL },
	{ "sourcefile", convert_run_sourcefile, NULL },
	{ "sourcemap", convert_run_sourcemap, NULL },
	{ "jsfile", convert_run_jsfile, NULL },
	{ "jsbundle", convert_run_jsbundle, NULL },
	{ "bundled", convert_run_bundled, NULL },
	{ "symbfile", convert_run_symbfile, NULL },
	{ "symbfile-make", convert_run_symbfile_make, NULL },
	{ "proguard", convert_run_proguard, NULL },
	{ "listing", convert_run_listing, NULL },
	{ "minidump-raw", convert_run_minidump_raw, NULL },
	{ "demangle", convert_run_demangle, NULL },
	{ "minidump", convert_run_minidump, NULL },
	{ "applecrash", convert_run_applecrash, NULL },
	{ "stacktext", convert_run_stacktext, NULL },
	{ "coredump", convert_run_coredump, NULL },
	{ CELL_STARTS_PROGRAM, convert_run_transcode, NULL },
};
const size_t convert_operation_count =
	sizeof(convert_operations) / sizeof(convert_operations[0]);

/* --- inspect ---------------------------------------------------------------------------- */

/* Sizes as text: "no limit" is more than a double can say. */
static void member_size(struct json_writer *json, const char *key, uint64_t value)
{
	char digits[24];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	json_member_text(json, key, (struct text){ digits + at, sizeof(digits) - at });
}

int convert_inspect_parameters(const struct convert_inspect *inspect, struct buf *out,
			       struct err *err)
{
	char debug_id[DEBUGID_TEXT_BYTES];
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	if (!debugid_is_nil(&inspect->debug_id)) {
		debugid_format(&inspect->debug_id, debug_id);
		json_member_string(&json, "debug_id", debug_id);
	}
	json_member_text(&json, "code_id", inspect->code_id);
	member_size(&json, "max_bytes", inspect->max_bytes);
	member_size(&json, "max_section_bytes", inspect->max_section_bytes);
	if (inspect->is_copied)
		json_member_bool(&json, "copy", true);
	json_object_end(&json);
	return buf_check(out, err);
}

/* --- meta ------------------------------------------------------------------------------- */

static bool role_named(const char *name, enum object_role *role)
{
	for (unsigned i = 0; name && i < OBJECT_ROLES; i++) {
		if (strcmp(object_role_name((enum object_role)i), name) != 0)
			continue;
		*role = (enum object_role)i;
		return true;
	}
	return false;
}

static int read_wants(const cJSON *list, struct arena *arena, struct convert_meta *meta,
		      struct err *err)
{
	struct object_want *wants;
	const cJSON *item;
	size_t count = 0;

	if (!cJSON_IsArray(list))
		return 0;
	wants = arena_alloc(arena, LIMIT_CELL_WANTS, sizeof(*wants));
	if (!wants)
		return err_set(err, ERR_NO_MEMORY, "no memory for what an object wants");
	cJSON_ArrayForEach(item, list) {
		struct object_want *want = &wants[count];

		if (count == LIMIT_CELL_WANTS)
			return err_set(err, ERR_MALFORMED, "an object wants too many companions");
		if (!cJSON_IsObject(item) ||
		    !role_named(convert_json_string(item, "role"), &want->role))
			return err_set(err, ERR_MALFORMED, "an object wants what we do not know");
		if (convert_json_text(item, "id", arena, &want->id, err) < 0 ||
		    convert_json_text(item, "name", arena, &want->name, err) < 0)
			return -1;
		want->crc = (uint32_t)convert_json_u64(item, "crc");
		count++;
	}
	meta->wants = wants;
	meta->want_count = count;
	return 0;
}

static int read_meta(const cJSON *object, struct arena *arena, struct convert_meta *meta,
		     struct err *err)
{
	memset(meta, 0, sizeof(*meta));
	meta->has_debug_info = convert_json_bool(object, "has_debug_info");
	meta->has_unwind_info = convert_json_bool(object, "has_unwind_info");
	meta->has_symbols = convert_json_bool(object, "has_symbols");
	meta->has_sources = convert_json_bool(object, "has_sources");
	meta->is_extract = convert_json_bool(object, "is_extract");
	if (convert_json_text(object, "srcsrv_vcs", arena, &meta->srcsrv_vcs, err) < 0 ||
	    convert_json_text(object, "format", arena, &meta->format, err) < 0 ||
	    convert_json_text(object, "kind", arena, &meta->kind, err) < 0 ||
	    convert_json_text(object, "arch", arena, &meta->arch, err) < 0 ||
	    convert_json_text(object, "debug_id", arena, &meta->debug_id, err) < 0 ||
	    convert_json_text(object, "code_id", arena, &meta->code_id, err) < 0 ||
	    convert_json_text(object, "debug_file", arena, &meta->debug_file, err) < 0 ||
	    convert_json_text(object, "code_file", arena, &meta->code_file, err) < 0)
		return -1;
	meta->text_bytes = convert_json_u64(object, "text_bytes");
	return read_wants(cJSON_GetObjectItemCaseSensitive(object, "wants"), arena, meta, err);
}

int convert_meta_parse(struct text json, struct arena *arena, struct convert_meta *meta,
		       struct err *err)
{
	cJSON *object;
	int rc;

	if (convert_meta_read_quickly(json, arena, meta))
		return 0;
	if (convert_json_parse(json, &object, err) < 0)
		return err_while(err, "reading an object's features");
	rc = read_meta(object, arena, meta, err);
	cJSON_Delete(object);
	return rc;
}

static void write_want(struct json_writer *json, const struct object_want *want)
{
	json_object(json);
	json_member_string(json, "role", object_role_name(want->role));
	json_member_text(json, "id", want->id);
	json_member_text(json, "name", want->name);
	if (want->crc)
		json_member_u64(json, "crc", want->crc);
	json_object_end(json);
}

void convert_meta_write(const struct convert_meta *meta, struct json_writer *json)
{
	json_object(json);
	json_member_bool(json, "has_debug_info", meta->has_debug_info);
	json_member_bool(json, "has_unwind_info", meta->has_unwind_info);
	json_member_bool(json, "has_symbols", meta->has_symbols);
	json_member_bool(json, "has_sources", meta->has_sources);
	if (meta->is_extract)
		json_member_bool(json, "is_extract", true);
	json_member_text(json, "srcsrv_vcs", meta->srcsrv_vcs);
	json_member_text(json, "format", meta->format);
	json_member_text(json, "kind", meta->kind);
	json_member_text(json, "arch", meta->arch);
	json_member_text(json, "debug_id", meta->debug_id);
	json_member_text(json, "code_id", meta->code_id);
	json_member_text(json, "debug_file", meta->debug_file);
	json_member_text(json, "code_file", meta->code_file);
	if (meta->text_bytes)
		json_member_u64(json, "text_bytes", meta->text_bytes);
	json_key(json, "wants");
	json_array(json);
	for (size_t i = 0; i < meta->want_count; i++)
		write_want(json, &meta->wants[i]);
	json_array_end(json);
	json_object_end(json);
}

/* What is stored is what we read and wrote again, not what a cell wrote. */
int convert_inspect_reply(struct text reply, struct arena *arena, bool *object_written,
			  struct text *meta_json, struct err *err)
{
	struct convert_meta meta;
	struct json_writer json;
	cJSON *object, *part;
	struct buf out;
	int rc = -1;

	if (convert_json_parse(reply, &object, err) < 0)
		return err_while(err, "reading a cell's reply");
	buf_init(&out, CONVERT_REPLY_BYTES_MAX);
	*object_written = convert_json_bool(object, "object_written");
	part = cJSON_GetObjectItemCaseSensitive(object, "meta");
	if (!cJSON_IsObject(part)) {
		err_set(err, ERR_MALFORMED, "a cell's reply tells nothing about the object");
		goto done;
	}
	if (read_meta(part, arena, &meta, err) < 0)
		goto done;
	json_writer_init(&json, &out);
	convert_meta_write(&meta, &json);
	if (buf_check(&out, err) < 0)
		goto done;
	*meta_json = (struct text){ arena_strndup(arena, buf_string(&out), out.size), out.size };
	rc = meta_json->bytes ? 0 : err_set(err, ERR_NO_MEMORY, "no memory for a cell's reply");
done:
	buf_release(&out);
	cJSON_Delete(object);
	return rc;
}

/* --- auxiliary -------------------------------------------------------------------------- */

int convert_auxiliary_parameters(const struct convert_auxiliary *auxiliary, struct buf *out,
				 struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_u64(&json, "kind", auxiliary->kind);
	member_size(&json, "max_bytes", auxiliary->max_bytes);
	json_object_end(&json);
	return buf_check(out, err);
}

int convert_auxiliary_reply(struct text reply, struct debugid *original, struct err *err)
{
	const char *told;
	cJSON *object;
	int rc = 0;

	*original = (struct debugid){ .kind = DEBUGID_NIL };
	if (convert_json_parse(reply, &object, err) < 0)
		return err_while(err, "reading a cell's reply");
	told = convert_json_string(object, "original");
	if (told && !debugid_parse(text_of(told), original))
		rc = err_set(err, ERR_MALFORMED, "a cell's reply has a UUID that is none");
	cJSON_Delete(object);
	return rc;
}

/* --- sources ---------------------------------------------------------------------------- */

int convert_sources_parameters(const struct convert_sources *sources, struct buf *out,
			       struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	member_size(&json, "source_max_bytes", sources->source_max_bytes);
	json_member_bool(&json, "by_url", sources->by_url);
	json_object_end(&json);
	return buf_check(out, err);
}

int convert_proguard_parameters(const struct convert_proguard *proguard, struct buf *out,
				struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	member_size(&json, "max_bytes", proguard->max_bytes);
	json_object_end(&json);
	return buf_check(out, err);
}

/* --- symcache --------------------------------------------------------------------------- */

int convert_symcache_parameters(const struct convert_symcache *symcache, struct buf *out,
				struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	member_size(&json, "max_section_bytes", symcache->max_section_bytes);
	json_member_u64(&json, "threads", symcache->threads);
	json_member_bool(&json, "wants_split_units", symcache->wants_split_units);
	json_member_bool(&json, "of_variables", symcache->of_variables);
	json_object_end(&json);
	return buf_check(out, err);
}

int convert_cficache_parameters(const struct convert_cficache *cficache, struct buf *out,
				struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	member_size(&json, "max_section_bytes", cficache->max_section_bytes);
	member_size(&json, "unwind_chain_max", cficache->unwind_chain_max);
	json_object_end(&json);
	return buf_check(out, err);
}

int convert_symcache_reply_parse(struct text reply, struct arena *arena,
				 struct convert_symcache_reply *out, struct err *err)
{
	cJSON *object;
	int rc;

	memset(out, 0, sizeof(*out));
	if (convert_json_parse(reply, &object, err) < 0)
		return err_while(err, "reading a cell's reply");
	out->units = convert_json_u64(object, "units");
	out->bad_units = convert_json_u64(object, "bad_units");
	out->ranges = convert_json_u64(object, "ranges");
	out->bytes = convert_json_u64(object, "bytes");
	out->steps = convert_json_u64(object, "steps");
	rc = convert_json_text(object, "first_bad", arena, &out->first_bad, err);
	cJSON_Delete(object);
	return rc;
}
