/*
 * pdb_sources.c -- where the sources are: SourceLink documents and the source server stream.
 *
 * A file that the source server stream lists is told by its path.  SourceLink has patterns; they
 * go through the paths of frames, which have backslashes on Windows whatever the compiler wrote,
 * so a pattern of such a path has too.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "object/object.h"
#include "object/pdb/pdb_file.h"
#include "object/pdb/srcsrv.h"
#include "object/sourcelink.h"

/* What cannot be read costs itself; what memory was missing for says nothing of the file. */
static bool has_memory(struct err *err)
{
	if (err->kind == ERR_NO_MEMORY)
		return false;
	err_clear(err);
	return true;
}

struct telling {
	const struct object_source_sink *sink;
	struct arena *scratch;
	bool is_stopped;             /* by the sink */
};

static bool is_windows_path(struct text path)
{
	if (path.size >= 2 && path.bytes[1] == ':')
		return true;
	return path.size > 0 && memchr(path.bytes, '\\', path.size);
}

static int as_in_frames(struct text *path, struct arena *scratch, struct err *err)
{
	char *copy;

	if (!is_windows_path(*path) || !memchr(path->bytes, '/', path->size))
		return 0;
	copy = arena_strndup(scratch, path->bytes, path->size);
	if (!copy)
		return err_set(err, ERR_NO_MEMORY, "no memory for a path of %zu bytes", path->size);
	for (size_t i = 0; i < path->size; i++)
		if (copy[i] == '/')
			copy[i] = '\\';
	path->bytes = copy;
	return 0;
}

/* --- SourceLink ---------------------------------------------------------------------- */

static int tell_link(void *payload, const struct object_source_link *link, struct err *err)
{
	struct telling *telling = payload;
	struct object_source_link told = *link;

	if (as_in_frames(&told.pattern, telling->scratch, err) == 0 &&
	    (!telling->sink->link || telling->sink->link(telling->sink->payload, &told, err) == 0))
		return 0;
	telling->is_stopped = true;
	return -1;
}

/* A document that cannot be read costs its links. */
static int tell_documents(const struct pdb *pdb, struct telling *telling, struct err *err)
{
	const struct object_source_sink sink = { .payload = telling, .link = tell_link };

	for (uint32_t i = 0; i < pdb->link_stream_count; i++) {
		struct msf_stream stream;
		struct reader reader;

		if (msf_stream_open(&pdb->msf, pdb->link_streams[i], "SourceLink stream", &stream,
				    err) == 0 &&
		    msf_stream_in_arena(&stream, telling->scratch, &reader, err) == 0 &&
		    sourcelink_each((struct text){ (const char *)reader.bytes, reader.size },
				    &sink, err) == 0)
			continue;
		if (telling->is_stopped || !has_memory(err))
			return -1;
	}
	return 0;
}

/* --- Source server ------------------------------------------------------------------- */

static int tell_source(struct telling *telling, struct text path, struct text url,
		       struct err *err)
{
	struct object_source source = { .path = path, .url = url };

	if (as_in_frames(&source.path, telling->scratch, err) < 0)
		return -1;
	return telling->sink->source
		? telling->sink->source(telling->sink->payload, &source, err) : 0;
}

/* The paths the lines have, looked up in the stream: they differ in case at times. */
static int tell_indexed(const struct pdb *pdb, const struct srcsrv *srcsrv,
			struct telling *telling, struct err *err)
{
	struct reader strings = pdb->strings;
	struct buf url;
	int rc = 0;

	buf_init(&url, LIMIT_URL_BYTES);
	while (rc == 0 && !reader_at_end(&strings)) {
		struct text path = reader_string(&strings);

		if (path.size == 0)
			continue;
		rc = srcsrv_url(srcsrv, path, &url, err);
		if (rc == 0 && url.size > 0)
			rc = tell_source(telling, path, buf_text(&url), err);
	}
	buf_release(&url);
	return rc;
}

int pdb_srcsrv_stream(const struct pdb *pdb, struct arena *arena, struct reader *reader,
		      struct err *err)
{
	struct msf_stream stream;

	if (pdb->srcsrv_stream != MSF_NO_STREAM &&
	    msf_stream_open(&pdb->msf, pdb->srcsrv_stream, "srcsrv stream", &stream, err) == 0 &&
	    msf_stream_in_arena(&stream, arena, reader, err) == 0)
		return 0;
	*reader = reader_over("srcsrv stream", NULL, 0);
	return has_memory(err) ? 0 : -1;
}

int pdb_each_source(const struct object *object, struct arena *scratch,
		    const struct object_source_sink *sink, struct err *err)
{
	struct telling telling = { .sink = sink, .scratch = scratch };
	const struct pdb *pdb = object->state;
	struct srcsrv srcsrv;
	struct reader stream;

	if (pdb->srcsrv_stream == MSF_NO_STREAM && pdb->link_stream_count == 0)
		return err_set(err, ERR_UNSUPPORTED, "it does not say where its sources are");
	if (pdb_srcsrv_stream(pdb, scratch, &stream, err) < 0)
		return -1;
	if (stream.size > 0 &&
	    (srcsrv_open(&srcsrv, stream, scratch, err) < 0 ||
	     tell_indexed(pdb, &srcsrv, &telling, err) < 0))
		return -1;
	return tell_documents(pdb, &telling, err);
}

/* --- Are there any? ------------------------------------------------------------------ */

static int stop_at_source(void *payload, const struct object_source *source, struct err *err)
{
	(void)source;
	(void)err;
	*(bool *)payload = true;
	return -1;
}

static int stop_at_link(void *payload, const struct object_source_link *link, struct err *err)
{
	(void)link;
	(void)err;
	*(bool *)payload = true;
	return -1;
}

int pdb_find_sources(const struct object *object, bool *found, struct err *err)
{
	struct object_source_sink sink = { found, stop_at_source, stop_at_link };
	struct arena_mark mark = arena_mark(object->arena);
	int rc;

	*found = false;
	rc = pdb_each_source(object, object->arena, &sink, err);
	arena_rewind(object->arena, mark);
	return rc == 0 || *found || has_memory(err) ? 0 : -1;
}
