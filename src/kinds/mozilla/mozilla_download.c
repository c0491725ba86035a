/*
 * mozilla_download.c -- GET /DEBUG_FILE/DEBUG_ID/NAME.sym, as Mozilla's symbol server: the .sym files of
 * the sources; and GET /CODE_FILE/CODE_ID/NAME.sym, which leads there where the file with the code is
 * to be had and says which its debug file is.
 */
#include "kinds/kinds.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/url.h"
#include "kinds/mozilla/mozilla_ids.h"
#include "lookup/module_lookup.h"
#include "work/answer_head.h"

#define DOWNLOAD_MISSES_SECONDS 600  /* as that server */
#define DEBUG_ID_LEAST 33u           /* digits; shorter ones are code ids */
#define PARTS 3u

enum download_way { DOWNLOAD_SYM, DOWNLOAD_CODE, DOWNLOAD_DONE };

struct download {
	struct text debug_file, id, sym_file, query;
	bool is_ignored;                     /* nobody is asked */
	enum download_way way;
	struct object_ids ids;
	struct source_query wanted;
	struct lookup sym, code;
	const struct candidate *found;       /* the .sym; NULL: there is none */
	const char *location;                /* where to ask instead; NULL: nowhere */
};

static const enum file_type sym_type = FILE_TYPE_BREAKPAD, code_type = FILE_TYPE_PE;

/* --- What is asked ---------------------------------------------------------------------------------- */

/* One part of the path, as it was meant; false: no file is called so. */
static bool read_part(struct text coded, char **at, struct text *part)
{
	*part = (struct text){ *at, url_unescape(coded, *at) };
	*at += part->size;
	for (size_t i = 0; i < part->size; i++)
		if ((unsigned char)part->bytes[i] < ' ' || (unsigned char)part->bytes[i] >= 0x7f ||
		    strchr("\\^`><{}[]#%\"'|/", part->bytes[i]))
			return false;
	return part->size > 0 && !text_is(*part, ".") && !text_is(*part, "..");
}

static bool is_nil(struct text id)
{
	for (size_t i = 0; i < id.size; i++)
		if (id.bytes[i] != '0')
			return false;
	return id.size == DEBUG_ID_LEAST;
}

static bool read_hex(struct text id, struct object_ids *ids, char *lower)
{
	for (size_t i = 0; i < id.size; i++)
		if (ascii_hex_value(id.bytes[i]) < 0)
			return false;
	if (codeid_normalise(id, lower))
		ids->code_id = text_of(lower);
	return id.size < DEBUG_ID_LEAST || debugid_parse_breakpad(id, &ids->debug_id);
}

/* "a.pdb" has "a.sym", "a.so" has "a.so.sym". */
static bool is_its_sym(struct text debug_file, struct text sym_file)
{
	struct text stem = sym_file;

	if (!text_ends_with(sym_file, ".sym"))
		return false;
	stem.size -= 4;
	if (debug_file.size == stem.size + 4 && memcmp(debug_file.bytes, stem.bytes, stem.size) == 0)
		return text_ends_with(debug_file, ".pdb") || text_ends_with(debug_file, ".dll") ||
		       text_ends_with(debug_file, ".exe");
	return text_equal(debug_file, stem);
}

static bool read_path(struct download *download, struct text path, char *plain, char *lower)
{
	struct text parts[PARTS];

	for (size_t i = 0; i < PARTS; i++) {
		const char *slash = path.size ? memchr(path.bytes, '/', path.size) : NULL;
		struct text part = { path.bytes, slash ? (size_t)(slash - path.bytes) : path.size };

		if (!read_part(part, &plain, &parts[i]) || (slash != NULL) != (i + 1 < PARTS))
			return false;
		path = text_from(path, part.size + (slash != NULL));
	}
	download->debug_file = parts[0];
	download->id = parts[1];
	download->sym_file = parts[2];
	download->ids.debug_file = download->ids.code_file = parts[0];
	download->is_ignored = text_is(parts[2], "file.ptr") || is_nil(parts[1]) ||
			       !text_ends_with(parts[2], ".sym");
	return read_hex(parts[1], &download->ids, lower);
}

/* "code_file=a.dll" and "code_id=..." of a query: what is told of the code, to look for it by and for the list
 * of what is missing.  What is odd is left out. */
static struct text parameter(struct text query, struct text name, struct arena *arena)
{
	while (query.size) {
		const char *end = memchr(query.bytes, '&', query.size);
		struct text one = { query.bytes, end ? (size_t)(end - query.bytes) : query.size };
		struct text value;
		char *copy;

		query = text_from(query, one.size + (end != NULL));
		if (!text_starts_with(one, name.bytes) || one.size - name.size > LIMIT_FILE_NAME_BYTES)
			continue;
		copy = arena_strndup(arena, one.bytes + name.size, one.size - name.size);
		if (!copy)
			return TEXT_NONE;
		value = (struct text){ copy, url_unescape(text_from(one, name.size), copy) };
		return text_has_controls(value) || !text_is_utf8(value) ? TEXT_NONE : value;
	}
	return TEXT_NONE;
}

static void read_query(struct download *download, struct arena *arena)
{
	struct text query = download->query.size ? text_from(download->query, 1) : TEXT_NONE;
	struct text file = text_basename(parameter(query, TEXT("code_file="), arena));
	struct text id = parameter(query, TEXT("code_id="), arena);
	char *lower = id.size ? arena_alloc(arena, id.size + 1, 1) : NULL;

	if (file.size)
		download->ids.code_file = file;
	if (lower && codeid_normalise(id, lower))
		download->ids.code_id = text_of(lower);
	if (mozilla_ids_are_elf(&download->ids))
		download->ids.type = OBJECT_TYPE_ELF;    /* whose .sym a layout may file by its build id */
}

static bool has_refresh(struct text query)
{
	while (query.size) {
		struct text one = text_from(query, 1);       /* behind "?" or "&" */
		const char *end = one.size ? memchr(one.bytes, '&', one.size) : NULL;

		if (end)
			one.size = (size_t)(end - one.bytes);
		query = text_from(query, one.size + 1);
		if (text_is(one, "_refresh") || text_starts_with(one, "_refresh="))
			return true;
	}
	return false;
}

static int download_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct download *download = arena_alloc(&work->arena, 1, sizeof(*download));
	struct text path = body->bytes;
	const char *query = memchr(path.bytes, '?', path.size);
	char *plain = arena_alloc(&work->arena, path.size + 1, 1);
	char *lower = arena_alloc(&work->arena, path.size + 1, 1);

	if (!download || !plain || !lower)
		return err_no_memory(err);
	work->state = download;
	if (query) {
		path.size = (size_t)(query - path.bytes);
		download->query.bytes = arena_strndup(&work->arena, query, body->bytes.size - path.size);
		download->query.size = body->bytes.size - path.size;
		if (!download->query.bytes)
			return err_no_memory(err);
	}
	if (has_refresh(download->query))
		work->misses_since = clock_unix_seconds();
	if (!read_path(download, path, plain, lower) || download->is_ignored ||
	    !is_its_sym(download->debug_file, download->sym_file))
		download->way = DOWNLOAD_DONE;
	else if (download->id.size < DEBUG_ID_LEAST)
		download->way = DOWNLOAD_CODE;
	if (download->way == DOWNLOAD_SYM) {
		download->ids.code_file = download->ids.code_id = TEXT_NONE;
		read_query(download, &work->arena);
	}
	return 0;
}

/* --- Looking ---------------------------------------------------------------------------------------- */

static enum resolved look(struct download *download, struct lookup *lookup, const enum file_type *type,
			  struct work *work, struct resolver *resolver, struct err *err)
{
	const struct lookup_request request = {
		.sources = work->default_sources, .query = &download->wanted,
	};

	download->wanted = (struct source_query){ .ids = &download->ids, .types = type, .type_count = 1 };
	if (!lookup->is_planned && lookup_plan(lookup, work, &request, resolver, err) < 0)
		return RESOLVED_ERROR;
	return lookup_resolve(lookup, work, resolver, err);
}

static const struct candidate *first_of(const struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->locations.count; i++)
		if (!lookup->candidates[i]->held.failure)
			return lookup->candidates[i];
	return NULL;
}

/* "/a.pdb/44E4EC8C2F41492B9369D6B9A059577C2/a.sym", and the query. */
static int lead_on(struct download *download, const struct convert_meta *meta, struct work *work,
		   struct err *err)
{
	struct text name = text_basename(meta->debug_file), query = download->query;
	char id[DEBUGID_TEXT_BYTES];
	struct debugid debug_id;
	struct text stem = name;

	if (!name.size || !debugid_parse(meta->debug_id, &debug_id) || text_has_controls(name))
		return 0;
	if (text_ends_with(name, ".pdb"))
		stem.size -= 4;
	debugid_format_breakpad(&debug_id, id);
	for (char *at = id; *at; at++)
		*at = ascii_upper(*at);
	if (query.size <= 1)
		query.size = 0;
	download->location = arena_printf(&work->arena, "/%.*s/%s/%.*s.sym%.*s", (int)name.size, name.bytes,
					  id, (int)stem.size, stem.bytes, (int)query.size, query.bytes);
	return download->location ? 0 : err_no_memory(err);
}

static enum stepped download_step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct download *download = work->state;
	bool is_code = download->way == DOWNLOAD_CODE;
	struct lookup *lookup = is_code ? &download->code : &download->sym;
	const struct candidate *found;
	enum resolved resolved;

	if (download->way == DOWNLOAD_DONE)
		return STEP_DONE;
	if (is_code)
		download->ids.type = OBJECT_TYPE_PE;
	resolved = look(download, lookup, is_code ? &code_type : &sym_type, work, resolver, err);
	if (resolved != RESOLVED_READY)
		return work_stepped(resolved);
	found = first_of(lookup);
	if (is_code && found && lead_on(download, &found->meta, work, err) < 0)
		return STEP_ERROR;
	if (!is_code)
		download->found = found;
	download->way = DOWNLOAD_DONE;
	return STEP_DONE;
}

/* --- Answers ---------------------------------------------------------------------------------------- */

static int download_head(struct work *work, struct answer_head *head, struct err *err)
{
	const struct download *download = work->state;

	head->content_type = TEXT("text/plain; charset=utf-8");
	if (answer_head_add(head, TEXT("Access-Control-Allow-Origin"), TEXT("*"), err) < 0 ||
	    answer_head_add(head, TEXT("Access-Control-Allow-Methods"), TEXT("GET"), err) < 0)
		return -1;
	if (download->found) {
		derive_set_answer(&download->found->held.derive, head);
	} else if (download->location) {
		head->status = 302;
		return answer_head_add(head, TEXT("Location"), text_of(download->location), err);
	} else {
		head->status = 404;
	}
	return 0;
}

static int download_answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct download *download = work->state;

	if (!download->location)
		buf_add_string(reply, download->is_ignored ? "Symbol Not Found (and ignored)"
							   : "Symbol Not Found");
	return buf_check(reply, err);
}

static void download_release(struct work *work)
{
	struct download *download = work->state;

	if (download) {
		lookup_release(&download->sym);
		lookup_release(&download->code);
	}
	work->state = NULL;
}

const struct request_kind request_kind_mozilla_download = {
	.name = "mozilla-download", .misses_seconds = DOWNLOAD_MISSES_SECONDS,
	.parse = download_parse, .step = download_step, .head = download_head,
	.answer = download_answer, .release = download_release,
};
