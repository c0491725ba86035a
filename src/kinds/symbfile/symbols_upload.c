/*
 * symbols_upload.c -- POST /api/symbols-ranges and /api/symbols-returnpads: a part of a symbfile is kept.
 *
 *	spool -> beside the other parts -> index, by a cell -> list
 *
 * A part that is no symbfile by itself is the middle or the end of one that was cut: it is listed unread, and
 * with the last of them all are put together and read as one.
 *
 * It counts once it is listed, and it is listed once a cell could read it; so a part that cannot be read
 * changes nothing.  All but reading the headers is a workshop's business.
 */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "kinds/kinds.h"
#include "kinds/kinds_counters.h"
#include "kinds/symbfile/symbfile_parts.h"
#include "kinds/symbfile/symbols_failure.h"
#include "work/request_json.h"

struct symbols_upload {
	enum symbols_kind kind;
	struct file_id id;
	uint32_t part, part_count;
	struct text build_id;
	int fd;
	uint64_t size;
	bool is_put;
	struct text path;
	enum upload_piece piece;
	struct held held;            /* its index */
	struct text joined;
	struct held whole;           /* the index of all parts together */
	struct work_aside aside;     /* on the files; id, path, joined and what follows are its own meanwhile */
	const struct config *config;
	struct arena arena;
	struct upload_part listing;
	struct text joining;
	const struct held *refused;  /* what says why nothing of it stays; NULL: it is not refused */
};

static struct symbols_upload *upload_of(struct work_aside *aside)
{
	return (struct symbols_upload *)(void *)((char *)aside - offsetof(struct symbols_upload, aside));
}

/* --- Headers -------------------------------------------------------------------------------------- */

static struct text header_of(const struct cJSON *headers, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(headers, name);

	return cJSON_IsString(item) ? text_trim(text_of(item->valuestring)) : TEXT_NONE;
}

static int read_count(const struct cJSON *headers, const char *name, const char *shown, uint32_t *value,
		      struct err *err)
{
	struct text text = header_of(headers, name);
	uint64_t number;

	if (!text.size)
		return err_set(err, ERR_BAD_REQUEST, "the header %s is missing", shown);
	if (!text_to_u64(text, 10, &number) || number > UINT32_MAX)
		return err_set(err, ERR_BAD_REQUEST, "the header %s is no number", shown);
	*value = (uint32_t)number;
	return 0;
}

static int read_headers(struct symbols_upload *upload, const struct cJSON *headers, struct err *err)
{
	struct text id = header_of(headers, "HTTP_FILEID");

	if (!id.size)
		return err_set(err, ERR_BAD_REQUEST, "the header FileID is missing");
	if (!file_id_parse(id, &upload->id))
		return err_set(err, ERR_BAD_REQUEST, "the header FileID is no file id: 16 bytes in base64 for "
			       "URLs, without padding");
	if (read_count(headers, "HTTP_FILEPART", "FilePart", &upload->part, err) < 0 ||
	    read_count(headers, "HTTP_FILEPARTS", "FileParts", &upload->part_count, err) < 0)
		return -1;
	if (upload->part_count == 0 || upload->part_count > LIMIT_SYMBFILE_PARTS)
		return err_set(err, ERR_BAD_REQUEST, "the header FileParts is %u, not 1 to %u",
			       upload->part_count, LIMIT_SYMBFILE_PARTS);
	if (upload->part >= upload->part_count)
		return err_set(err, ERR_BAD_REQUEST, "the header FilePart is %u, there are %u parts from 0 on",
			       upload->part, upload->part_count);
	upload->build_id = header_of(headers, "HTTP_BUILDID");
	return 0;
}

/* --- Counting ------------------------------------------------------------------------------------- */

static void count_refusal(const struct work *work, enum symbols_refusal reason)
{
	const struct symbols_upload *upload = work->state;

	kinds_count(work, &kinds_symbols_refused, (unsigned)upload->kind * SYMBOLS_REFUSALS + (unsigned)reason, 1);
}

/* What is our fault, or trouble that passes, may be tried again: it refuses nothing. */
static void count_failure(const struct work *work, const struct err *err)
{
	if (err_kind_is_ours(err->kind))
		return;
	count_refusal(work, err->kind == ERR_BAD_REQUEST ? SYMBOLS_REFUSED_MALFORMED
			    : err->kind == ERR_LIMIT || err->kind == ERR_TOO_LARGE ? SYMBOLS_REFUSED_LIMIT
			    : SYMBOLS_REFUSED_OTHER);
}

static void count_part(const struct work *work)
{
	const struct symbols_upload *upload = work->state;
	unsigned kind = (unsigned)upload->kind;

	kinds_count(work, &kinds_symbols_parts, kind, 1);
	kinds_count(work, &kinds_symbols_bytes, kind, upload->size);
	if (upload->part + 1 == upload->part_count)
		kinds_count(work, &kinds_symbols_uploads, kind, 1);
}

/* --- Parsing -------------------------------------------------------------------------------------- */

static int upload_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct symbols_upload *upload = arena_alloc(&work->arena, 1, sizeof(*upload));
	struct cJSON *headers = NULL;

	if (!upload)
		return err_no_memory(err);
	work->state = upload;
	upload->kind = work->kind == &request_kind_symbols_ranges ? SYMBOLS_RANGES : SYMBOLS_RETURNPADS;
	upload->config = work->config;
	arena_init(&upload->arena, work->arena.ceiling_bytes);
	upload->fd = body->fd;
	upload->size = body->size;
	if (request_json_parse(body->bytes, &work->arena, &headers, err) == 0 &&
	    read_headers(upload, headers, err) == 0)
		return 0;
	if (err->kind == ERR_BAD_REQUEST)
		count_refusal(work, SYMBOLS_REFUSED_HEADERS);
	return -1;
}

/* --- Keeping -------------------------------------------------------------------------------------- */

static int look_at(void *payload, struct text bytes, struct err *damage)
{
	struct symbfile_index index;

	(void)payload;
	return symbfile_index_open(&index, bytes.bytes, bytes.size, damage);
}

static struct upload_part part_of(const struct symbols_upload *upload)
{
	return (struct upload_part){ .kind = upload->kind, .part = upload->part, .part_count = upload->part_count,
				     .path = upload->path, .piece = upload->piece };
}

static enum stepped refuse(const struct held *held, const char *words, struct err *err)
{
	err_set(err, held->failure == ERR_MALFORMED ? ERR_BAD_REQUEST : held->failure, "%s%.*s", words,
		(int)held->details.size, held->details.bytes);
	return STEP_ERROR;
}

/* What is left over is removed when its id's lists change. */
static int run_drop(struct work_aside *aside, struct err *err)
{
	struct symbols_upload *upload = upload_of(aside);
	int rc = upload_folder_drop(upload->config, &upload->id, upload->path, &upload->arena, err);

	if (rc == 0 && upload->refused == &upload->whole)
		rc = upload_folder_drop(upload->config, &upload->id, upload->joined, &upload->arena, err);
	return rc;
}

/* The part goes, and what it made with the others; then as refuse(). */
static enum stepped drop_and_refuse(struct symbols_upload *upload, const struct held *held,
				    struct resolver *resolver, struct err *err)
{
	enum resolved resolved;

	upload->refused = held;
	resolved = work_aside(&upload->aside, run_drop, resolver, err);
	return resolved == RESOLVED_READY ? refuse(held, "", err) : work_stepped(resolved);
}

static int run_put(struct work_aside *aside, struct err *err)
{
	struct symbols_upload *upload = upload_of(aside);

	return upload_folder_put(upload->config, &upload->id, upload->part, upload->fd, &upload->arena,
				 &upload->path, err);
}

/* What came of it; STEP_DONE: nothing failed. */
static enum stepped run_aside(struct symbols_upload *upload, work_aside_fn *run, struct resolver *resolver,
			      struct err *err)
{
	enum resolved resolved = work_aside(&upload->aside, run, resolver, err);

	if (resolved != RESOLVED_READY)
		return work_stepped(resolved);
	if (upload->aside.rc >= 0)
		return STEP_DONE;
	*err = upload->aside.err;
	return STEP_ERROR;
}

static enum stepped put_part(struct symbols_upload *upload, struct work *work, struct resolver *resolver,
			     struct err *err)
{
	char magic[SYMBFILE_MAGIC_BYTES];
	enum stepped stepped = run_aside(upload, run_put, resolver, err);
	ssize_t size;

	if (stepped != STEP_DONE)
		return stepped;
	if (symbfile_derive_make(&upload->held.derive, upload->path, work, err) < 0)
		return STEP_ERROR;
	size = pread(upload->fd, magic, sizeof(magic), 0);
	if (upload->part > 0 && size > 0 && !symbfile_probe(magic, (size_t)size))
		upload->piece = UPLOAD_MORE;
	upload->is_put = true;
	return STEP_DONE;
}

/* The bytes of a file that goes on in the next part? */
static bool goes_on(const struct symbols_upload *upload)
{
	return upload->held.failure == ERR_MALFORMED && upload->part + 1 < upload->part_count &&
	       upload->held.details.bytes && memmem(upload->held.details.bytes, upload->held.details.size,
						    SYMBFILE_CUT_SHORT, strlen(SYMBFILE_CUT_SHORT));
}

/* READY: it is a symbfile, or a piece of one. */
static enum stepped read_part(struct symbols_upload *upload, struct work *work, struct resolver *resolver,
			      struct err *err)
{
	const struct held_opening opening = { .open = look_at, .arena = &work->arena };
	enum resolved resolved;

	if (upload->piece != UPLOAD_WHOLE)
		return STEP_DONE;
	resolved = held_resolve(&upload->held, &opening, resolver, err);
	if (resolved != RESOLVED_READY)
		return work_stepped(resolved);
	if (upload->held.failure && goes_on(upload)) {
		upload->piece = UPLOAD_BEGUN;
		return STEP_DONE;
	}
	if (!upload->held.failure)
		return STEP_DONE;
	return drop_and_refuse(upload, &upload->held, resolver, err);
}

static int begin_whole(struct symbols_upload *upload, struct text joined, struct work *work, struct err *err)
{
	if (text_equal(upload->joined, joined))
		return 0;
	held_release(&upload->whole);
	memset(&upload->whole, 0, sizeof(upload->whole));
	upload->joined = joined;
	return symbfile_derive_make(&upload->whole.derive, joined, work, err);
}

/* What the parts are together. */
static enum stepped read_whole(struct symbols_upload *upload, struct work *work, struct resolver *resolver,
			       struct err *err)
{
	const struct held_opening opening = { .open = look_at, .arena = &work->arena };
	enum resolved resolved = held_resolve(&upload->whole, &opening, resolver, err);

	if (resolved != RESOLVED_READY)
		return work_stepped(resolved);
	if (!upload->whole.failure || upload->whole.failure == ERR_MALFORMED)
		return STEP_DONE;
	return drop_and_refuse(upload, &upload->whole, resolver, err);
}

static int run_list(struct work_aside *aside, struct err *err)
{
	struct symbols_upload *upload = upload_of(aside);
	int rc = upload_list_part(upload->config, &upload->id, &upload->listing, &upload->joining,
				  &upload->arena, err);

	return rc != 0 ? rc : upload_folder_note_build_id(upload->config, upload->build_id, &upload->id,
							  &upload->arena, err);
}

/* Once more, with what they are together. */
static enum stepped look_at_whole(struct symbols_upload *upload, struct work *work, struct resolver *resolver,
				  struct err *err)
{
	enum stepped stepped = begin_whole(upload, upload->joining, work, err) < 0 ? STEP_ERROR
			       : read_whole(upload, work, resolver, err);

	upload->listing.joined = upload->joined;
	upload->listing.is_bad = upload->whole.failure != ERR_NONE;
	return stepped;
}

static enum stepped list_part(struct symbols_upload *upload, struct work *work, struct resolver *resolver,
			      struct err *err)
{
	enum stepped stepped = STEP_DONE;

	if (upload->aside.state != WORK_ASIDE_ASKED)
		upload->listing = part_of(upload);
	while (stepped == STEP_DONE) {
		stepped = run_aside(upload, run_list, resolver, err);
		if (stepped != STEP_DONE || upload->aside.rc == 0)
			return stepped;
		if (upload->aside.rc == 2)           /* none of them says which is wrong */
			return refuse(&upload->whole, "the parts make no symbfile, all of them have to be sent "
				      "again: ", err);
		stepped = look_at_whole(upload, work, resolver, err);
	}
	return stepped;
}

static enum stepped keep(struct work *work, struct resolver *resolver, struct err *err)
{
	struct symbols_upload *upload = work->state;
	enum stepped stepped = STEP_DONE;

	if (upload->refused)
		return drop_and_refuse(upload, upload->refused, resolver, err);
	if (!upload->is_put)
		stepped = put_part(upload, work, resolver, err);
	if (stepped == STEP_DONE)
		stepped = read_part(upload, work, resolver, err);
	return stepped == STEP_DONE ? list_part(upload, work, resolver, err) : stepped;
}

static enum stepped upload_step(struct work *work, struct resolver *resolver, struct err *err)
{
	enum stepped stepped;

	if (resolver->stops_at_wait)         /* a front writes nothing */
		return STEP_WAIT;
	stepped = keep(work, resolver, err);
	if (stepped == STEP_ERROR)
		count_failure(work, err);
	return stepped;
}

static int upload_answer(struct work *work, struct buf *reply, struct err *err)
{
	count_part(work);
	buf_add_string(reply, "{\"success\":true,\"status\":200}");
	return buf_check(reply, err);
}

static void upload_release(struct work *work)
{
	struct symbols_upload *upload = work->state;

	if (upload) {
		held_release(&upload->held);
		held_release(&upload->whole);
		arena_release(&upload->arena);
	}
}

#define SYMBOLS_UPLOAD(what)                                                             \
	{                                                                                \
		.name = what, .takes_file = true, .needs_key = true, .failure = symbols_failure, \
		.parse = upload_parse, .step = upload_step, .answer = upload_answer,     \
		.release = upload_release,                                               \
	}

const struct request_kind request_kind_symbols_ranges = SYMBOLS_UPLOAD("symbols-ranges");
const struct request_kind request_kind_symbols_returnpads = SYMBOLS_UPLOAD("symbols-returnpads");
