/* task_verbs.c -- see task_verbs.h. */
#include "workshop/task_verbs.h"

#include <sys/stat.h>

#include "base/arena.h"
#include "base/log.h"
#include "config/config.h"
#include "workshop/job_results.h"
#include "workshop/publish.h"
#include "workshop/task_part.h"

#define REPLY_ARENA_BYTES ((size_t)32 * 1024 * 1024)

static struct task *task_of(struct queued_verb *verb)
{
	return TASK_OF(verb, verb);
}

static enum task_outcome ask(struct task *task, int (*run)(struct queued_verb *verb, struct verb_means *means,
							   struct err *err),
			     void (*told)(struct queued_verb *verb))
{
	struct queued_verb *verb = &task_part(task)->verb;

	verb->run = run;
	verb->told = told;
	verb->whose = task->maker;
	verb_queue_ask(task_means(task)->verbs, verb);
	return OUTCOME_PENDING;
}

/* The verb is asked anew by what follows. */
static void report(struct queued_verb *verb, enum task_outcome outcome)
{
	const struct err err = verb->err;

	task_report(task_of(verb), outcome, &err);
}

/* --- Claim --------------------------------------------------------------------------------- */

static int run_claim(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct task *task = task_of(verb);

	return flight_claim(&task_part(task)->flight, means, task->derive, task->is_refresh, err);
}

static void claim_told(struct queued_verb *verb)
{
	report(verb, verb->rc < 0 ? OUTCOME_FAILED : verb->rc > 0 ? OUTCOME_DONE : OUTCOME_NONE);
}

enum task_outcome task_verb_claim(struct task *task, struct err *err)
{
	struct task_part *part = task_part(task);

	if (task_is_of_job(task))                /* nobody else could want it */
		return OUTCOME_DONE;
	if (!part->has_promise && flight_promise(&task_step_means(task)->owed, err) < 0)
		return OUTCOME_FAILED;
	part->has_promise = true;
	return ask(task, run_claim, claim_told);
}

void task_verb_unclaim(struct task *task)
{
	if (!task_is_of_job(task))
		flight_give_up(&task_step_means(task)->owed, &task->derive->key);
}

/* --- What others gave ----------------------------------------------------------------------- */

enum task_outcome task_verb_refuse(struct task *task, const struct err *why)
{
	struct task_part *part = task_part(task);

	if (!part->input.is_shared || err_kind_is_ours(why->kind))
		return OUTCOME_FAILED;
	share_refuse(task_means(task), task->derive, why);
	return OUTCOME_REFUSED;
}

static int run_take_shared(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct task *task = task_of(verb);

	return share_publish(&task_part(task)->sharing, means, task->derive, err);
}

static void take_shared_told(struct queued_verb *verb)
{
	struct task *task = task_of(verb);
	int rc = share_settle(&task_part(task)->sharing, task->derive, verb->rc < 0 ? &verb->err : NULL);

	report(verb, rc < 0 ? OUTCOME_FAILED : rc > 0 ? OUTCOME_DONE : OUTCOME_REFUSED);
}

void task_verb_take_shared(struct task *task)
{
	ask(task, run_take_shared, take_shared_told);
}

/* --- Publish -------------------------------------------------------------------------------- */

static uint64_t bytes_of(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* An entry was published: that of the object, or the task's own. */
static void made(struct task *task, const struct cache_key *key, uint64_t bytes)
{
	const struct derive *derive = task->derive;
	struct input *input = &task_part(task)->input;
	bool was_shared = input->is_shared &&
			  (key == &derive->object_key || !derive->kind->keeps_object);

	share_made(task_means(task), derive, key, was_shared, bytes);
	if (was_shared)
		input->is_shared = false;
}

/* Nothing is made of the object: it is published when it is kept. */
static bool is_object_alone(const struct task *task)
{
	return task->derive->kind->cache == CACHE_OBJECTS;
}

static int run_keep_object(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct task *task = task_of(verb);

	return publish_file(means, &task->derive->object_key, &task_part(task)->input.file, 0, err);
}

static void keep_object_told(struct queued_verb *verb)
{
	struct task *task = task_of(verb);
	struct input *input = &task_part(task)->input;

	if (verb->rc < 0) {
		report(verb, task_verb_refuse(task, &verb->err));
		return;
	}
	made(task, &task->derive->object_key, bytes_of(input->file.fd));
	input->is_copy = false;
	report(verb, OUTCOME_DONE);
}

/* The output is the object where the cell had to write one, else what it was given is.  What a cell says
 * that cannot be read is the cell's doing. */
enum task_outcome task_verb_keep_object(struct task *task, struct err *err)
{
	struct task_part *part = task_part(task);
	struct input *input = &part->input;
	bool written = false;
	struct arena arena;
	struct text meta;
	int rc;

	arena_init(&arena, REPLY_ARENA_BYTES);
	rc = convert_inspect_reply(buf_text(&part->cell.reply), &arena, &written, &meta, err);
	arena_release(&arena);
	if (rc < 0)
		return task_verb_refuse(task, err);
	if (written)
		input_take(input, &part->cell.out, input->is_shared);
	temporary_drop(&part->cell.out);
	if (input->is_local && is_object_alone(task)) {
		err_set(err, ERR_NOT_FOUND, "it is packed no more");
		return OUTCOME_FAILED;
	}
	if (!input->is_copy)
		return task->derive->kind->is_object ? OUTCOME_DONE : OUTCOME_NONE;  /* it lies where it lies */
	return ask(task, run_keep_object, keep_object_told);
}

static int run_publish(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct task *task = task_of(verb);
	const struct derive *derive = task->derive;
	const struct obtaining *obtaining = &task_part(task)->obtaining;
	const struct cache_key key = publish_key(derive, obtaining->fresh_seconds, &obtaining->validators);
	struct cell_task *cell = &task_part(task)->cell;
	struct arena arena;
	struct text payload;
	int rc;

	if (!derive->kind->payload)
		return publish_file(means, &key, &cell->out, derive->kind->row_bytes_max, err);
	arena_init(&arena, REPLY_ARENA_BYTES);
	rc = derive->kind->payload(buf_text(&cell->reply), &arena, &payload, err);
	if (rc == 0)
		rc = cache_publish_small(means->cache, means->store, &key, payload, err);
	arena_release(&arena);
	return rc;
}

static void publish_told(struct queued_verb *verb)
{
	struct task *task = task_of(verb);

	if (verb->rc == 0)
		made(task, &task->derive->key, bytes_of(task_part(task)->cell.out.fd));
	report(verb, verb->rc == 0 ? OUTCOME_DONE : task_verb_refuse(task, &verb->err));
}

/* What was made of its own body is the job's, and no entry. */
static enum task_outcome give_to_job(struct task *task, struct err *err)
{
	const struct derive *derive = task->derive;
	struct arena arena;
	struct text payload;
	int rc;

	arena_init(&arena, REPLY_ARENA_BYTES);
	rc = derive->kind->payload(buf_text(&task_part(task)->cell.reply), &arena, &payload, err);
	if (rc == 0)
		rc = job_result_take(task_maker(task), &derive->key, payload, err);
	arena_release(&arena);
	return rc < 0 ? task_verb_refuse(task, err) : OUTCOME_DONE;
}

enum task_outcome task_verb_publish(struct task *task, struct err *err)
{
	if (is_object_alone(task))
		return OUTCOME_DONE;
	return task_is_of_job(task) ? give_to_job(task, err) : ask(task, run_publish, publish_told);
}

/* --- Renew ---------------------------------------------------------------------------------- */

static int run_renew(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct task *task = task_of(verb);
	const struct obtaining *obtaining = &task_part(task)->obtaining;
	const struct cache_key key = publish_key(task->derive, obtaining->fresh_seconds, &obtaining->validators);

	return cache_renew(means->cache, means->store, &key, task_part(task)->known.id, err);
}

/* What is gone by now is fetched, whatever is said of it. */
static void renew_told(struct queued_verb *verb)
{
	task_part(task_of(verb))->known.id = 0;
	report(verb, verb->rc < 0 ? OUTCOME_FAILED : verb->rc > 0 ? OUTCOME_DONE : OUTCOME_NONE);
}

enum task_outcome task_verb_renew(struct task *task, struct err *err)
{
	(void)err;
	return ask(task, run_renew, renew_told);
}

/* --- What is damaged ------------------------------------------------------------------------ */

static void drop_if_damaged(struct verb_means *means, const struct cache_key *key)
{
	struct err err = ERR_INIT;

	if (cache_drop_if_damaged(means->cache, means->store, key, &err) < 0)
		log_message(LOG_WARN, "cache_drop", NULL, "%s", err.text);
}

/* Everything of the cache that the cell was given. */
static int run_drop_damaged(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	const struct derive *derive = task_of(verb)->derive;

	(void)err;
	drop_if_damaged(means, derive->base ? derive_file_key(derive->base) : &derive->object_key);
	for (size_t i = 0; i < derive->companion_count; i++)
		if (derive->companions[i].entry)
			drop_if_damaged(means, derive_file_key(derive->companions[i].entry));
	return 0;
}

static void drop_damaged_told(struct queued_verb *verb)
{
	verb->err = task_part(task_of(verb))->failure;
	report(verb, OUTCOME_DAMAGED);
}

void task_verb_drop_damaged(struct task *task, const struct err *why)
{
	task_part(task)->failure = *why;
	ask(task, run_drop_damaged, drop_damaged_told);
}

/* --- Failures ------------------------------------------------------------------------------- */

static int run_note_object(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct task *task = task_of(verb);

	return cache_publish_failure(means->cache, means->store, &task->derive->object_key,
				     &task_part(task)->failure, err);
}

static void note_object_told(struct queued_verb *verb)
{
	if (verb->rc < 0)
		log_message(LOG_ERROR, "cache_publish", NULL, "%s", verb->err.text);
	verb->err = task_part(task_of(verb))->failure;
	report(verb, OUTCOME_FAILED);
}

/* What keeps us from an object is so for all that is made of it. */
void task_verb_note_object(struct task *task, const struct err *failure)
{
	struct task_part *part = task_part(task);

	if (!task->derive->kind->keeps_object || !part->obtaining.is_copy ||
	    !cache_remembers(task_means(task)->cache, &task->derive->object_key, failure->kind)) {
		task_report(task, OUTCOME_FAILED, failure);
		return;
	}
	part->failure = *failure;
	ask(task, run_note_object, note_object_told);
}

static int run_remember(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct task *task = task_of(verb);
	const struct cache_key key = publish_key(task->derive, -1, NULL);

	return cache_publish_failure(means->cache, means->store, &key, &task->failure, err);
}

static void done_or_failed(struct queued_verb *verb)
{
	report(verb, verb->rc < 0 ? OUTCOME_FAILED : OUTCOME_DONE);
}

/* What says something about the file is remembered for its time; being offline says nothing
 * about it. */
enum task_outcome task_verb_remember(struct task *task, struct err *err)
{
	const struct derive *derive = task->derive;
	const struct workshop_means *means = task_means(task);
	enum err_kind kind = task->failure.kind;

	(void)err;
	if (task_is_of_job(task) || derive->kind->forgets_failures || derive_is_told_only(derive, kind) ||
	    !cache_remembers(means->cache, &derive->key, kind) ||
	    (means->config->offline && kind == ERR_DOWNLOAD))
		return OUTCOME_NONE;
	return ask(task, run_remember, done_or_failed);
}

static int run_keep_old(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	const struct cache_key *key = &task_of(verb)->derive->key;
	struct cache_found found = { .state = CACHE_ABSENT };
	int rc = -1;

	if (cache_find(means->cache, means->store, key, &found, err) < 0)
		return -1;
	if (found.state == CACHE_READY)
		rc = cache_publish_small(means->cache, means->store, key, found.payload, err);
	cache_found_release(&found);
	return rc;
}

enum task_outcome task_verb_keep_old(struct task *task, struct err *err)
{
	(void)err;
	return ask(task, run_keep_old, done_or_failed);
}
