/*
 * buildid_kind.c -- GET /buildid/ID/...: files by build id, as debuginfod serves them.
 *
 * Its refusals are debuginfod's own, status and words.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/http_date.h"
#include "kinds/debuginfod/buildid_files.h"
#include "kinds/debuginfod/buildid_request.h"
#include "kinds/debuginfod/buildid_source.h"
#include "kinds/debuginfod/federation.h"
#include "kinds/kinds.h"
#include "lookup/object_file.h"
#include "work/answer_head.h"

#define MISSES_SECONDS 600           /* as debuginfod's own cache */
#define SIZE_HEADER    TEXT("X-DEBUGINFOD-SIZE")
#define FILE_HEADER    TEXT("X-DEBUGINFOD-FILE")
#define ARCHIVE_HEADER TEXT("X-DEBUGINFOD-ARCHIVE")

struct buildid {
	struct buildid_request request;
	struct federation federation;
	struct buildid_files files;
	struct buildid_source source;
	const struct candidate *object;      /* debuginfo, executable: the file; section: what it is in */
	struct object_file object_files[2];  /* debuginfo, executable */
	struct held sections[2];             /* in each of them */
	const struct held *section;          /* the one that was found */
};

static int buildid_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct buildid *buildid = arena_alloc(&work->arena, 1, sizeof(*buildid));

	if (!buildid)
		return err_no_memory(err);
	work->state = buildid;
	if (buildid_request_read(&buildid->request, body->bytes, &work->arena, err) < 0 ||
	    federation_join(&buildid->federation, &buildid->request, work->config, work->default_sources,
			    &work->arena, err) < 0)
		return -1;
	buildid_files_init(&buildid->files, &buildid->request, &buildid->federation);
	buildid_source_init(&buildid->source, &buildid->request, &buildid->federation);
	return 0;
}

/* --- Steps -------------------------------------------------------------------------------------- */

static void note_trouble(struct buildid *buildid, const struct held *held)
{
	if (err_kind_is_ours(held->failure) || held->failure == ERR_DOWNLOAD ||
	    held->failure == ERR_RESOLVE || held->failure == ERR_TIMEOUT)
		buildid->files.trouble = held->details;
}

static enum resolved find_object(struct buildid *buildid, struct work *work, struct resolver *resolver,
				 struct err *err)
{
	struct object_file *file = &buildid->object_files[buildid->request.artifact];
	const struct candidate *found;
	enum resolved resolved = buildid_files_find(&buildid->files, buildid->request.artifact, &found, work,
						    resolver, err);

	if (resolved != RESOLVED_READY || !found)
		return resolved;
	resolved = object_file_resolve(file, found, work, resolver, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	if (file->copy.failure)
		note_trouble(buildid, &file->copy);
	else
		buildid->object = found;
	return RESOLVED_READY;
}

/* It is sent, not read. */
static int look_at(void *payload, struct text bytes, struct err *damage)
{
	(void)payload;
	(void)bytes;
	(void)damage;
	return 0;
}

static int describe_section(struct held *section, const struct candidate *object, struct text name,
			    struct work *work, struct err *err)
{
	const struct derive *derive = &object->held.derive;
	struct text place;
	char *text;

	if (lookup_location_text(derive->location, &work->arena, &place, err) < 0)
		return -1;
	text = arena_printf(&work->arena, "%.*ssection: %.*s\n", (int)place.size, place.bytes,
			    (int)name.size, name.bytes);
	if (!text)
		return err_no_memory(err);
	section->derive = (struct derive){
		.kind = &derived_section, .location = derive->location, .object_key = derive->object_key,
		.part = name, .is_extract = derive->is_extract,
	};
	return lookup_make_key(&section->derive.key, work, CACHE_SECTIONS, derive->location, text_of(text),
			       err);
}

static enum resolved resolve_section(struct buildid *buildid, unsigned which,
				     const struct candidate *object, struct work *work,
				     struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = { .open = look_at, .arena = &work->arena };
	struct held *section = &buildid->sections[which];

	if (!section->derive.kind &&
	    describe_section(section, object, buildid->request.name, work, err) < 0)
		return RESOLVED_ERROR;
	return held_resolve(section, &opening, resolver, err);
}

static enum resolved find_section(struct buildid *buildid, struct work *work, struct resolver *resolver,
				  struct err *err)
{
	if (buildid->request.name.size > CONVERT_SECTION_NAME_BYTES ||
	    text_has_controls(buildid->request.name))
		return RESOLVED_READY;
	for (unsigned i = BUILDID_DEBUGINFO; i <= BUILDID_EXECUTABLE && !buildid->section; i++) {
		const struct candidate *object;
		enum resolved resolved = buildid_files_find(&buildid->files, (enum buildid_artifact)i,
							    &object, work, resolver, err);

		if (resolved == RESOLVED_READY && object)
			resolved = resolve_section(buildid, i, object, work, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		if (object && !buildid->sections[i].failure) {
			buildid->object = object;
			buildid->section = &buildid->sections[i];
		} else if (object) {
			note_trouble(buildid, &buildid->sections[i]);
		}
	}
	return RESOLVED_READY;
}

static enum stepped buildid_step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct buildid *buildid = work->state;
	enum resolved resolved;

	if (buildid->request.refusal)
		return STEP_DONE;
	switch (buildid->request.artifact) {
	case BUILDID_SECTION:
		resolved = find_section(buildid, work, resolver, err);
		break;
	case BUILDID_SOURCE:
		resolved = buildid_source_find(&buildid->source, &buildid->request, work, resolver, err);
		break;
	default:
		resolved = find_object(buildid, work, resolver, err);
	}
	return work_stepped(resolved);
}

/* --- Answers ------------------------------------------------------------------------------------ */

static int tell_file(struct answer_head *head, struct text name, struct text value, struct err *err)
{
	return value.bytes && !text_has_controls(value) ? answer_head_add(head, name, value, err) : 0;
}

static int head_of_file(const struct buildid *buildid, struct answer_head *head, struct err *err)
{
	if (buildid->section)
		answer_head_set_entry(head, &buildid->section->derive.key);
	else
		object_file_answer(&buildid->object_files[buildid->request.artifact], head);
	head->size_name = SIZE_HEADER;
	head->bytes_max = buildid->request.bytes_max;
	head->is_dated = true;
	return tell_file(head, FILE_HEADER, buildid->object->held.derive.location->path, err);
}

static bool is_too_large(const struct buildid *buildid)
{
	return buildid->request.bytes_max > 0 && buildid->source.contents.size > buildid->request.bytes_max;
}

static int head_of_source(const struct buildid *buildid, struct answer_head *head, struct arena *arena,
			  struct err *err)
{
	const struct buildid_source *source = &buildid->source;
	const char *size = arena_printf(arena, "%zu", source->contents.size);
	char *date = arena_alloc(arena, HTTP_DATE_BYTES, 1);

	if (!size || !date)
		return err_no_memory(err);
	if (source->modified_at > 0) {
		http_date_format(source->modified_at, date);
		if (answer_head_add(head, TEXT("Last-Modified"), text_of(date), err) < 0)
			return -1;
	}
	if (answer_head_add(head, SIZE_HEADER, text_of(size), err) < 0 ||
	    tell_file(head, FILE_HEADER, buildid->request.canonical, err) < 0)
		return -1;
	return tell_file(head, ARCHIVE_HEADER, source->archive, err);
}

/* 200: it was found. */
static int status_of(const struct buildid *buildid)
{
	bool is_found = buildid->object || buildid->source.is_found;

	if (buildid->request.refusal)
		return 503;
	if (is_found)
		return buildid->object || !is_too_large(buildid) ? 200 : 406;
	return buildid->files.trouble.bytes || buildid->source.trouble.bytes ? 503 : 404;
}

static int buildid_head(struct work *work, struct answer_head *head, struct err *err)
{
	const struct buildid *buildid = work->state;

	head->status = status_of(buildid);
	head->content_type = TEXT("text/plain");
	if (head->status != 200)
		return 0;
	head->content_type = TEXT("application/octet-stream");
	if (answer_head_add(head, TEXT("Cache-Control"), TEXT("public"), err) < 0)
		return -1;
	return buildid->object ? head_of_file(buildid, head, err)
			       : head_of_source(buildid, head, &work->arena, err);
}

static void explain(const struct buildid *buildid, int status, struct buf *reply)
{
	struct text trouble = buildid->files.trouble.bytes ? buildid->files.trouble : buildid->source.trouble;

	if (buildid->request.refusal) {
		buf_add_string(reply, buildid->request.refusal);
	} else if (status == 406) {
		buf_printf(reply, "File too large, max size=%llu",
			   (unsigned long long)buildid->request.bytes_max);
	} else if (status == 503) {
		buf_add_string(reply, "upstream query failed: ");
		buf_add_text(reply, trouble);
	} else {
		buf_add_string(reply, "not found");
		if (buildid->federation.is_far)
			buf_add_string(reply, ", --forwared-ttl-limit reached and will not query the "
				       "upstream servers");
	}
}

static int buildid_answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct buildid *buildid = work->state;
	int status = status_of(buildid);

	if (status == 200)
		buf_add_text(reply, buildid->source.contents);
	else
		explain(buildid, status, reply);
	return buf_check(reply, err);
}

static void buildid_release(struct work *work)
{
	struct buildid *buildid = work->state;

	if (!buildid)
		return;
	for (unsigned i = 0; i < 2; i++) {
		object_file_release(&buildid->object_files[i]);
		held_release(&buildid->sections[i]);
	}
	buildid_files_release(&buildid->files);
	buildid_source_release(&buildid->source);
}

const struct request_kind request_kind_buildid = {
	.name = "buildid", .headers = buildid_headers, .misses_seconds = MISSES_SECONDS,
	.parse = buildid_parse, .step = buildid_step, .head = buildid_head, .answer = buildid_answer,
	.release = buildid_release,
};
