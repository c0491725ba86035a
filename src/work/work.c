/* work.c -- a request being answered, whatever its kind. */
#include "work/work.h"

#include "base/buf.h"
#include "base/clock.h"
#include "config/config.h"
#include "work/answer_head.h"
#include "work/envelope.h"

#define FILE_URI "file://"

struct text derive_subject(const struct derive *derive)
{
	return derive->location ? derive->location->uri : TEXT("the file that was sent");
}

const struct cache_key *derive_file_key(const struct derive *derive)
{
	return derive->kind->is_object ? &derive->object_key : &derive->key;
}

bool derive_is_of_folder(const struct derive *derive)
{
	return derive->location && !derive->link && source_is_local(derive->location->source);
}

void derive_set_answer(const struct derive *derive, struct answer_head *head)
{
	answer_head_set_entry(head, derive_file_key(derive));
	if (derive->kind->is_object && !derive->is_extract && derive_is_of_folder(derive) &&
	    text_starts_with(derive->location->uri, FILE_URI))
		head->file = text_from(derive->location->uri, sizeof(FILE_URI) - 1);
}

/* What is made of a file may be made of a copy of it: then there is nothing to look at. */
static const struct location *file_of(const struct derive *derive)
{
	bool is_file = derive->kind->from == DERIVED_FROM_LOCATION || derive->kind->looks_first;

	return is_file ? derive->location : NULL;
}

bool derive_is_told_only(const struct derive *derive, enum err_kind failure)
{
	return failure == ERR_NOT_FOUND && derive_is_of_folder(derive) && !file_of(derive);
}

bool derive_is_stale(const struct derive *derive, const struct cache_found *found,
		     struct source_absences *absences)
{
	const struct location *file;

	if (found->state == CACHE_READY)
		return found->made_at < derive->since;
	if (found->state == CACHE_FAILED && cache_failure_may_pass(found->failure) &&
	    found->made_at < derive->misses_since)
		return true;
	if (found->state != CACHE_FAILED || found->failure != ERR_NOT_FOUND ||
	    !derive_is_of_folder(derive))
		return false;
	file = file_of(derive);
	return !file || !source_lacks(file, absences);
}

static int64_t misses_since(const struct request_kind *kind)
{
	if (!kind->asks_anew && kind->misses_seconds == 0)
		return 0;
	return clock_unix_seconds() - (kind->asks_anew ? 0 : kind->misses_seconds);
}

int work_init(struct work *work, const struct request_kind *kind, const struct config *config,
	      const struct source_list *default_sources, struct text scope, struct err *err)
{
	static const struct source_list no_sources;
	char *copy;

	*work = (struct work){
		.kind = kind, .config = config,
		.default_sources = default_sources ? default_sources : &no_sources,
		.misses_since = misses_since(kind),
	};
	arena_init(&work->arena, config->request_memory_bytes > SIZE_MAX ? SIZE_MAX
				 : (size_t)config->request_memory_bytes);
	if (!scope.bytes)
		return 0;
	copy = arena_strndup(&work->arena, scope.bytes, scope.size);
	if (!copy)
		return err_no_memory(err);
	work->scope = (struct text){ copy, scope.size };
	return 0;
}

/* An arena refuses over its ceiling, which is the request's doing, or since the system has no
 * memory, which is not.  Whoever was refused need not know which. */
static void blame(struct work *work, struct err *err)
{
	struct arena *arena = &work->arena;

	if (arena->is_refused && !err_kind_is_ours(err->kind))
		err_set(err, ERR_NO_MEMORY, "no memory for a request");
	else if (arena->is_full && !arena->is_refused && err->kind == ERR_NO_MEMORY)
		err_no_memory(err);
	arena->is_full = arena->is_refused = false;
}

int work_parse(struct work *work, const struct work_body *body, struct err *err)
{
	int rc = work->kind->takes_file == (body->fd >= 0)
		 ? work->kind->parse(work, body, err)
		 : err_set(err, ERR_INTERNAL, "a body of kind %s is %s file", work->kind->name,
			   body->fd >= 0 ? "a" : "no");

	if (rc < 0)
		blame(work, err);
	return rc;
}

enum stepped work_step(struct work *work, struct resolver *resolver, struct err *err)
{
	enum stepped stepped = work->kind->step(work, resolver, err);

	if (stepped == STEP_ERROR)
		blame(work, err);
	return stepped;
}

int work_answer(struct work *work, struct buf *reply, struct err *err)
{
	int rc = work->kind->answer(work, reply, err);

	if (rc == 0)
		rc = buf_check(reply, err);
	if (rc < 0)
		blame(work, err);
	return rc;
}

int work_head(struct work *work, struct answer_head *head, struct err *err)
{
	int rc;

	answer_head_init(head);
	rc = work->kind->head ? work->kind->head(work, head, err) : 0;
	if (rc < 0)
		blame(work, err);
	return rc;
}

int work_result(struct work *work, struct buf *result, struct err *err)
{
	struct answer_head head;

	if (!work->kind->head)
		return work_answer(work, result, err);
	if (work_head(work, &head, err) < 0 || answer_head_write(&head, result, err) < 0)
		return -1;
	return head.is_entry || head.file.bytes ? 0 : work_answer(work, result, err);
}

static int status_of(enum work_end end, enum err_kind kind)
{
	if (end == WORK_TIMEOUT)
		return 504;
	if (end == WORK_INTERNAL)
		return 500;
	switch (kind) {
	case ERR_BAD_REQUEST:
	case ERR_MALFORMED:
		return 400;
	case ERR_BAD_SHAPE:
		return 422;
	case ERR_NOT_FOUND:
		return 404;
	case ERR_TOO_LARGE:
	case ERR_LIMIT:
		return 413;
	default:
		return 500;
	}
}

static void end_plainly(enum work_end end, const struct err *failure, struct buf *result)
{
	struct answer_head head;
	struct err err = ERR_INIT;

	answer_head_init(&head);
	head.status = status_of(end, failure->kind);
	head.content_type = TEXT("text/plain; charset=utf-8");
	if (answer_head_write(&head, result, &err) == 0)
		buf_add_string(result, end == WORK_TIMEOUT ? "it took too long" :
			       end == WORK_INTERNAL ? "internal error" : failure->text);
}

enum resolved work_aside(struct work_aside *aside, work_aside_fn *run, struct resolver *resolver, struct err *err)
{
	bool is_done = aside->state == WORK_ASIDE_DONE && aside->run == run;

	if (aside->state == WORK_ASIDE_ASKED)
		return RESOLVED_WAIT;
	aside->state = WORK_ASIDE_NONE;
	if (is_done)
		return RESOLVED_READY;
	aside->run = run;
	err_clear(&aside->err);
	if (!resolver->aside) {
		aside->rc = run(aside, &aside->err);
		return RESOLVED_READY;
	}
	if (resolver->aside(resolver, aside, err) < 0)
		return RESOLVED_ERROR;
	aside->state = WORK_ASIDE_ASKED;
	return RESOLVED_WAIT;
}

void work_end_result(const struct request_kind *kind, enum work_end end, const struct err *failure,
		     struct buf *result)
{
	if (kind && !kind->has_pending)
		end_plainly(end, failure, result);
	else if (end == WORK_TIMEOUT)
		envelope_timeout(result);
	else if (end == WORK_INTERNAL)
		envelope_internal(result);
	else
		envelope_failed(result, text_of(failure->text));
}

void work_release(struct work *work)
{
	if (work->kind)
		work->kind->release(work);
	arena_release(&work->arena);
	work->kind = NULL;
}

int work_candidates(struct work *work, struct buf *json, struct err *err)
{
	if (!work->kind->candidates || !work->state)
		return err_set(err, ERR_UNSUPPORTED, "this kind of request has no candidates");
	return work->kind->candidates(work, json, err);
}
