/*
 * task_steps.c -- see task_steps.h: each step with its part of the task, and what it reports.
 *
 * Whose file it is decides what a failure means: of somebody else's it is a fact, of what others
 * shared it is no fact about the file, of our own it is ours.
 */
#include "workshop/task_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/log.h"
#include "board/board.h"
#include "config/config.h"
#include "workshop/refresh.h"
#include "workshop/task_part.h"
#include "workshop/task_verbs.h"

#define LOCAL_TRIES 3u     /* as many as a download gets */

/* --- What others make ---------------------------------------------------------------------- */

static enum task_outcome look(struct task *task, struct err *err)
{
	switch (flight_look(&task_part(task)->flight, task_means(task), task->derive, err)) {
	case FLIGHT_NOTHING_NEW: return OUTCOME_PENDING;
	case FLIGHT_LANDED:      return OUTCOME_DONE;
	case FLIGHT_ABANDONED:   return OUTCOME_NONE;
	default:                 return OUTCOME_FAILED;
	}
}

/* --- Ask others ---------------------------------------------------------------------------- */

static void shared_told(struct sharing *sharing, bool is_hit)
{
	struct task *task = TASK_OF(sharing, sharing);
	enum task_outcome outcome = is_hit ? OUTCOME_COPY : OUTCOME_NONE;

	if (is_hit && task->step == TASK_ASK_ENTRY && task->derive->kind->check) {
		task_verb_take_shared(task);
		return;
	}
	if (is_hit)
		input_take(&task_part(task)->input, &sharing->file, true);
	task_report(task, outcome, NULL);
}

static enum task_outcome ask_entry(struct task *task, struct err *err)
{
	struct workshop_means *means = task_means(task);

	(void)err;
	return share_may_ask_entry(means, task->derive) &&
	       share_ask(&task_part(task)->sharing, &task->derive->key, share_bytes_max(means, task->derive))
	       ? OUTCOME_PENDING : OUTCOME_NONE;
}

static enum task_outcome ask_object(struct task *task, struct err *err)
{
	struct workshop_means *means = task_means(task);

	(void)err;
	return share_may_ask_object(means, task->derive) &&
	       share_ask(&task_part(task)->sharing, &task->derive->object_key,
			 means->config->max_download_bytes)
	       ? OUTCOME_PENDING : OUTCOME_NONE;
}

/* --- Open and obtain ----------------------------------------------------------------------- */

/* May the object be fetched again, although its failure is remembered? */
static bool may_try_again(const struct task *task)
{
	struct workshop_means *means = task_means(task);
	struct cache_found found = { 0 };
	struct err err = ERR_INIT;
	bool may;

	if ((!task->is_refresh && !task->derive->misses_since) ||
	    cache_find(means->cache, means->store, &task->derive->object_key, &found, &err) < 0)
		return false;
	may = task->is_refresh ? cache_may_have_passed(means->cache, &found)
			       : cache_failure_may_pass(found.failure) && found.state == CACHE_FAILED &&
				 found.made_at < task->derive->misses_since;
	cache_found_release(&found);
	return may;
}

/* Somebody deleted the copy of a file: what is remembered of that file goes too, so that it is fetched again. */
static void forget(const struct workshop_means *means, const struct cache_key *key)
{
	struct cache_found found = { .state = CACHE_ABSENT };
	struct err err = ERR_INIT;

	if (cache_find(means->cache, means->store, key, &found, &err) == 0 &&
	    found.state == CACHE_READY)
		cache_invalidate(means->cache, means->store, key, &found, "its file is gone");
	cache_found_release(&found);
}

/* The file of an entry that was there when the job looked. */
static enum task_outcome open_entry(struct task *task, const struct derive *entry, int *fd,
				    struct checksum_seal *seal, struct err *err)
{
	const struct location *location = entry->location;
	struct fetch_order order = { .fd = -1 };
	enum source_access access;
	int known = input_open_known(task_means(task), derive_file_key(entry), fd, seal, err);

	if (known > 0)
		return OUTCOME_DONE;
	if (known < 0 && err_kind_is_ours(err->kind))
		return OUTCOME_LOST;
	if (entry->kind->is_object && !entry->is_extract && source_is_local(location->source) &&
	    source_reach(location, &task->maker->work->arena, &access, fd, &order, err) == 0)
		return OUTCOME_DONE;
	/* The task's key names this file: a result made without it would be another key's.  Whoever waits
	 * plans anew. */
	forget(task_means(task), &entry->key);
	err_set(err, ERR_IO, "%.*s is no longer available", (int)location->uri.size, location->uri.bytes);
	return OUTCOME_UNUSABLE;
}

static enum task_outcome open_object(struct task *task, struct err *err)
{
	struct input *input = &task_part(task)->input;
	int known;

	input_drop(input);
	if (task->derive->kind->from == DERIVED_FROM_ENTRY)
		return open_entry(task, task->derive->base, &input->file.fd, &input->seal, err);
	if (!task->derive->kind->keeps_object)
		return OUTCOME_NONE;
	known = input_open_known(task_means(task), &task->derive->object_key, &input->file.fd, &input->seal,
				 err);
	if (known < 0 && may_try_again(task))
		known = 0;
	return known < 0 ? OUTCOME_FAILED : known > 0 ? OUTCOME_DONE : OUTCOME_NONE;
}

static enum task_outcome take_obtained(struct task *task, struct err *err)
{
	struct task_part *part = task_part(task);

	if (part->obtaining.is_copy) {
		input_take(&part->input, &part->obtaining.file, false);
		return OUTCOME_COPY;
	}
	if (input_take_local(&part->input, &part->obtaining.file, derive_subject(task->derive), err) < 0)
		return OUTCOME_FAILED;
	return task->derive->is_extract ? OUTCOME_COPY : OUTCOME_DONE;
}

/* A folder whose disk or server fails again and again is a failure of the source (ERR_DOWNLOAD); that this
 * process lacks descriptors or was interrupted is not. */
static void blame_source(const struct task *task, struct err *err)
{
	bool is_short = err->os_errno == EMFILE || err->os_errno == ENFILE || err->os_errno == EINTR ||
			err->os_errno == EAGAIN;

	if (err->kind == ERR_IO && err->os_errno != 0 && !is_short &&
	    derive_is_of_folder(task->derive) && task->tries + 1 >= LOCAL_TRIES)
		err->kind = ERR_DOWNLOAD;
}

static void obtained(struct obtaining *obtaining, const struct err *failure)
{
	struct task *task = TASK_OF(obtaining, obtaining);
	struct err err = ERR_INIT;

	if (failure)
		task_verb_note_object(task, failure);
	else if (obtaining->is_unchanged)
		task_report(task, OUTCOME_UNCHANGED, NULL);
	else
		task_report(task, take_obtained(task, &err), &err);
}

static void segments_told(struct segments *segments, const struct err *failure)
{
	struct task *task = TASK_OF(segments, segments);

	if (!failure)
		input_take(&task_part(task)->input, &segments->file, false);
	task_report(task, failure ? OUTCOME_FAILED : OUTCOME_COPY, failure);
}

/* A descriptor of its own: the job keeps the body's. */
static int open_body(struct task *task, struct err *err)
{
	const struct work_body *body = &task_maker(task)->body;
	struct obtaining *obtaining = &task_part(task)->obtaining;

	if (body->fd < 0)
		return err_set(err, ERR_IO, "the file that was sent is gone");
	obtaining->is_copy = false;
	obtaining->file.fd = fcntl(body->fd, F_DUPFD_CLOEXEC, 0);
	return obtaining->file.fd < 0 ? err_os(err, errno, "opening the file that was sent") : 1;
}

/* What is here of the file, past its time: looked for once, so that what has gone meanwhile is fetched. */
static int obtain_from_web(struct task *task, uint64_t bytes_max, struct err *err)
{
	struct task_part *part = task_part(task);
	struct workshop_means *means = task_means(task);
	const struct derive *derive = task->derive;

	if (derive->fresh_until && !part->has_looked &&
	    cache_find_stale(means->cache, means->store, &derive->key, &task->maker->work->arena, &part->known,
			     err) < 0)
		return -1;
	part->has_looked = true;
	return obtain_link(&part->obtaining, derive->link, part->known.id ? &part->known : NULL, bytes_max, err);
}

static enum task_outcome obtain(struct task *task, struct err *err)
{
	struct task_part *part = task_part(task);
	const struct derive *derive = task->derive;
	const struct config *config = task_means(task)->config;
	uint64_t bytes_max = derive->kind->input_bytes_max ? derive->kind->input_bytes_max(config)
							   : config->max_download_bytes;
	int there;

	input_drop(&part->input);
	switch (derive->kind->from) {
	case DERIVED_FROM_SEGMENTS:
		there = segments_begin(&part->segments, derive->listing, err);
		break;
	case DERIVED_FROM_LINK:
		there = obtain_from_web(task, bytes_max, err);
		break;
	case DERIVED_FROM_BODY:
		there = open_body(task, err);
		break;
	default:
		there = obtain_location(&part->obtaining, derive->location, bytes_max, err);
	}
	if (there < 0)
		blame_source(task, err);
	return there < 0 ? OUTCOME_FAILED : there > 0 ? take_obtained(task, err) : OUTCOME_PENDING;
}

/* --- Companions and wants ------------------------------------------------------------------ */

static const struct derive_companion *find_companion(const struct derive *derive,
						     const struct cell_event *event)
{
	for (size_t i = 0; i < derive->companion_count; i++)
		if (strcmp(object_role_name(derive->companions[i].role), event->role) == 0 &&
		    text_equal(derive->companions[i].id, event->id))
			return &derive->companions[i];
	return NULL;
}

static void stop_wanting(struct task *task)
{
	struct task_part *part = task_part(task);

	if (part->has_want)
		running_job_unwant(task_maker(task), &part->want);
	part->has_want = false;
}

static enum cell_task_answer answer_entry(struct task *task, const struct derive *entry, int *fd,
					  struct checksum_seal *seal)
{
	struct err err = ERR_INIT;
	enum task_outcome outcome = open_entry(task, entry, fd, seal, &err);

	if (outcome == OUTCOME_DONE)
		return CELL_TASK_FILE;
	task_report(task, outcome, &err);
	return CELL_TASK_ENDS;
}

/* The parked cell gets its answer. */
static void want_told(struct job_want *want, enum job_want_end end, const struct err *err)
{
	struct task *task = TASK_OF(want, want);
	struct cell_task *cell = &task_part(task)->cell;
	struct checksum_seal seal = { 0, 0, false };
	enum cell_task_answer answer = end == JOB_WANT_LATE ? CELL_TASK_LATE : CELL_TASK_ABSENT;
	int fd = -1;

	task_part(task)->has_want = false;
	if (end == JOB_WANT_FAILED) {
		task_report(task, err_kind_is_ours(err->kind) ? OUTCOME_LOST : OUTCOME_FAILED, err);
		return;
	}
	if (end == JOB_WANT_READY && want->want.entry)
		answer = answer_entry(task, want->want.entry, &fd, &seal);
	if (answer != CELL_TASK_ENDS)
		cell_task_answer(cell, answer, fd, &seal);
}

static bool copy_words(struct arena *arena, struct text words, struct text *copy)
{
	char *bytes = words.bytes ? arena_strndup(arena, words.bytes, words.size) : NULL;

	*copy = (struct text){ bytes, bytes ? words.size : 0 };
	return bytes || !words.bytes;
}

/* Only what is the job's alone may depend on entries its key does not name. */
static bool may_want(const struct task *task)
{
	return task->derive->kind->waits && task_is_of_job(task) && task_maker(task)->kind->want;
}

static bool copy_want(struct arena *arena, const struct cell_event *event, struct work_want *want)
{
	return copy_words(arena, text_of(event->role), &want->role) &&
	       copy_words(arena, event->id, &want->id) &&
	       copy_words(arena, event->name, &want->name);
}

/* A prefetch has no answer; without memory it is left out. */
static enum cell_task_answer want_ahead(struct task *task, const struct cell_event *event)
{
	struct running_job *maker = task_maker(task);
	struct job_want *want = arena_alloc(&maker->work.arena, 1, sizeof(*want));

	if (want && copy_want(&maker->work.arena, event, &want->want))
		running_job_want_ahead(maker, want);
	return CELL_TASK_ABSENT;
}

static enum cell_task_answer want_entry(struct task *task, const struct cell_event *event)
{
	struct task_part *part = task_part(task);
	struct running_job *maker = task_maker(task);
	struct arena *arena = &maker->work.arena;
	struct err err = ERR_INIT;

	if (strcmp(event->role, CONVERT_WANT_AHEAD) == 0)
		return want_ahead(task, event);
	part->want = (struct job_want){ .told = want_told };
	if (maker->waiter.has_left)
		return CELL_TASK_LATE;
	if (!copy_want(arena, event, &part->want.want)) {
		err_no_memory(&err);
		task_report(task, OUTCOME_FAILED, &err);
		return CELL_TASK_ENDS;
	}
	part->has_want = true;
	running_job_want(maker, &part->want);
	return CELL_TASK_LATER;
}

static enum cell_task_answer wants(struct cell_task *cell, const struct cell_event *event, int *fd,
				   struct checksum_seal *seal)
{
	struct task *task = TASK_OF(cell, cell);
	const struct derive_companion *companion = find_companion(task->derive, event);

	if (companion)
		return companion->entry ? answer_entry(task, companion->entry, fd, seal)
					: CELL_TASK_ABSENT;
	return may_want(task) ? want_entry(task, event) : CELL_TASK_ABSENT;
}

/* --- Cells ---------------------------------------------------------------------------------- */

static enum task_outcome begin_cell(struct task *task, const struct derived_kind *kind)
{
	struct task_part *part = task_part(task);
	const struct derive *derive = task->derive;

	if (kind->heeds_head && !derive->part.bytes && part->obtaining.source_map) {
		part->headed = *derive;
		part->headed.part = text_of(part->obtaining.source_map);
		derive = &part->headed;
	}
	stop_wanting(task);
	cell_task_queue(&part->cell, kind, derive, part->input.file.fd, &part->input.seal);
	return OUTCOME_PENDING;
}

static enum task_outcome inspect(struct task *task, struct err *err)
{
	(void)err;
	return begin_cell(task, &derived_object_meta);
}

static enum task_outcome derive_entry(struct task *task, struct err *err)
{
	(void)err;
	return begin_cell(task, task->derive->kind);
}

/* Cells are not trusted: only those of their error kinds count that say something about the bytes.  An internal
 * error of a cell is one that these bytes provoke: as a crash, it is remembered for them. */
static void judge(struct err *status)
{
	switch (status->kind) {
	case ERR_NO_MEMORY:
		status->kind = ERR_LIMIT;
		break;
	case ERR_MALFORMED: case ERR_UNSUPPORTED: case ERR_LIMIT: case ERR_NOT_FOUND:
	case ERR_CRASHED: case ERR_IO:
		break;
	default:
		status->kind = ERR_CRASHED;
	}
}

static enum task_outcome failed(struct task *task, struct err *status)
{
	struct task_part *part = task_part(task);

	if (status->kind == ERR_IO && status->os_errno == CELL_INPUT_CHANGED && part->input.seal.is_set) {
		log_message(LOG_WARN, "cell_input", NULL, "%s; it is looked for anew", status->text);
		return OUTCOME_DAMAGED;
	}
	judge(status);
	if (input_has_changed(&part->input))
		err_set(status, ERR_IO, "the file changed while it was read");
	return err_kind_is_ours(status->kind) ? OUTCOME_LOST : task_verb_refuse(task, status);
}

static enum task_outcome done(struct task *task, struct err *status)
{
	const struct derived_kind *kind = task->derive->kind;
	struct task_part *part = task_part(task);

	if (input_has_changed(&part->input)) {
		err_set(status, ERR_IO, "the file changed while it was read");
		return OUTCOME_FAILED;
	}
	if (task->step == TASK_DERIVE && kind->report)
		kind->report(task->derive, buf_text(&part->cell.reply));
	return OUTCOME_DONE;
}

/* What ended it says nothing about the file (an operator, a system short of memory, a disk that is
 * full): another one tries, with the object that is there already. */
static enum task_outcome lost(struct task *task, const struct err *why)
{
	if (input_has_changed(&task_part(task)->input))
		return OUTCOME_FAILED;
	log_message(LOG_WARN, "cell_lost", NULL, "%s; another one tries", why->text);
	return OUTCOME_LOST;
}

static void cell_told(struct cell_task *cell, enum cell_task_end end, const struct err *status)
{
	struct task *task = TASK_OF(cell, cell);
	struct err err = ERR_INIT;
	enum task_outcome outcome;

	if (status)
		err = *status;
	stop_wanting(task);
	switch (end) {
	case CELL_TASK_DONE:
		outcome = done(task, &err);
		break;
	case CELL_TASK_FAILED:
		outcome = failed(task, &err);
		break;
	default:
		outcome = OUTCOME_LOST;
	}
	if (outcome == OUTCOME_LOST)
		outcome = lost(task, &err);
	if (outcome == OUTCOME_DONE)
		cell_task_let_go(cell);
	else
		cell_task_stop(cell);
	if (outcome == OUTCOME_DAMAGED)
		task_verb_drop_damaged(task, &err);
	else
		task_report(task, outcome, &err);
}

/* --- Ends ----------------------------------------------------------------------------------- */

static void begin(struct task *task)
{
	struct task_part *part = task_part(task);
	struct task_step_means *steps = task_step_means(task);
	struct arena *arena = &task->maker->work->arena;
	const struct location *location = task->derive->location;

	part->sharing.means = part->obtaining.means = part->segments.means = steps->means;
	part->obtaining.arena = part->segments.arena = arena;
	part->sharing.told = shared_told;
	part->obtaining.told = obtained;
	part->segments.told = segments_told;
	part->segments.queue = steps->segments;
	part->cell.cells = steps->cells;
	part->cell.told = cell_told;
	part->cell.wants = wants;
	part->cell.claim = (struct cell_claim){
		.job = task->maker, .scope = task->maker->work->scope,
		.source = location ? location->source->id : TEXT_NONE,
	};
	temporary_init(&part->sharing.file);
	temporary_init(&part->obtaining.file);
	temporary_init(&part->segments.file);
	input_init(&part->input);
	cell_task_init(&part->cell);
}

static void stop(struct task *task)
{
	struct task_part *part = task_part(task);

	stop_wanting(task);
	obtain_stop(&part->obtaining);
	segments_stop(&part->segments);
	share_stop(&part->sharing);
	cell_task_stop(&part->cell);
	input_drop(&part->input);
	part->has_looked = false;
}

static void ended(struct task *task, bool was_made)
{
	if (task_part(task)->has_promise)
		flight_fulfil(&task_step_means(task)->owed);
	task_part(task)->has_promise = false;
	if (task->is_refresh)
		refresh_ended(task_maker(task), task->derive, was_made);
}

const struct task_steps workshop_task_steps = {
	.part_bytes = sizeof(struct task_part),
	.run = {
		[TASK_CLAIM] = task_verb_claim,
		[TASK_ASK_ENTRY] = ask_entry,
		[TASK_OPEN] = open_object,
		[TASK_ASK_OBJECT] = ask_object,
		[TASK_OBTAIN] = obtain,
		[TASK_RENEW] = task_verb_renew,
		[TASK_INSPECT] = inspect,
		[TASK_KEEP_OBJECT] = task_verb_keep_object,
		[TASK_DERIVE] = derive_entry,
		[TASK_PUBLISH] = task_verb_publish,
		[TASK_KEEP_OLD] = task_verb_keep_old,
		[TASK_REMEMBER] = task_verb_remember,
	},
	.begin = begin, .stop = stop, .look = look, .unclaim = task_verb_unclaim, .ended = ended,
};
