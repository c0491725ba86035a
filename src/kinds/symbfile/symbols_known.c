/*
 * symbols_known.c -- GET /api/symbols-ranges/FILEID/PARTS/PART and the same of return pads: is that part here?
 *
 * PART is what a part is kept as: its number, the sum of its bytes and how many they are.  Who has sent it once need
 * not do so again.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "kinds/kinds.h"
#include "kinds/symbfile/symbols_failure.h"
#include "kinds/symbfile/upload_folder.h"
#include "work/answer_head.h"
#include "work/work.h"

struct symbols_known {
	struct file_id id;
	uint32_t part_count;
	struct text name;
	bool is_known;
};

static bool take_part(struct text *path, struct text *part)
{
	const char *slash = path->size ? memchr(path->bytes, '/', path->size) : NULL;

	*part = (struct text){ path->bytes, slash ? (size_t)(slash - path->bytes) : 0 };
	*path = text_from(*path, part->size + (slash != NULL));
	return slash != NULL;
}

static int known_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct symbols_known *known = arena_alloc(&work->arena, 1, sizeof(*known));
	const char *query = memchr(body->bytes.bytes, '?', body->bytes.size);
	struct text path = body->bytes, id, count;
	uint64_t number;

	if (!known)
		return err_no_memory(err);
	work->state = known;
	if (query)
		path.size = (size_t)(query - path.bytes);
	if (!take_part(&path, &id) || !take_part(&path, &count) || !file_id_parse(id, &known->id))
		return err_set(err, ERR_BAD_REQUEST, "the path is not FILEID/PARTS/PART, with a file id of 16 bytes in "
			       "base64 for URLs, without padding");
	if (!text_to_u64(count, 10, &number) || number == 0 || number > LIMIT_SYMBFILE_PARTS)
		return err_set(err, ERR_BAD_REQUEST, "there are 1 to %u parts", LIMIT_SYMBFILE_PARTS);
	known->part_count = (uint32_t)number;
	known->name = path;
	return 0;
}

static enum stepped known_step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct symbols_known *known = work->state;
	enum symbols_kind kind = work->kind == &request_kind_ranges_known ? SYMBOLS_RANGES : SYMBOLS_RETURNPADS;
	int rc = upload_part_is_listed(work->config, &known->id, kind, known->part_count, known->name, &work->arena, err);

	(void)resolver;
	known->is_known = rc > 0;
	return rc < 0 ? STEP_ERROR : STEP_DONE;
}

static int known_head(struct work *work, struct answer_head *head, struct err *err)
{
	const struct symbols_known *known = work->state;

	(void)err;
	head->status = known->is_known ? 200 : 404;
	if (!known->is_known)
		head->content_type = TEXT("text/plain; charset=utf-8");
	return 0;
}

static int known_answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct symbols_known *known = work->state;

	buf_add_string(reply, known->is_known ? "{\"success\":true,\"status\":200}" : "this part is not here");
	return buf_check(reply, err);
}

static void known_release(struct work *work)
{
	work->state = NULL;
}

#define SYMBOLS_KNOWN(what)                                                                              \
	{                                                                                                \
		.name = what, .needs_key = true, .failure = symbols_failure, .parse = known_parse,       \
		.step = known_step, .head = known_head, .answer = known_answer, .release = known_release, \
	}

const struct request_kind request_kind_ranges_known = SYMBOLS_KNOWN("ranges-known");
const struct request_kind request_kind_returnpads_known = SYMBOLS_KNOWN("returnpads-known");
