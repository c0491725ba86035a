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
#include "workshop/input.h"
#include "workshop/obtain.h"
#include "workshop/publish.h"
#include "workshop/refresh.h"
#include "workshop/share.h"

#define REPLY_ARENA_BYTES ((size_t)32 * 1024 * 1024)
#define LOCAL_TRIES       3u     /* as many as a download gets */

struct task_part {
	struct flight flight;
	struct sharing sharing;
	struct obtaining obtaining;
	struct segments segments;
	struct input input;
	struct cell_task cell;
	struct derive headed;        /* the task's, with what the head of the answer said */
	struct job_want want;        /* of its cell */
	bool has_want;
};

static struct task_part *part_of(struct task *task)
{
	return (struct task_part *)(void *)task->part;
}

#define TASK_OF(member, pointer) \
	((struct task *)(void *)((char *)(pointer) - offsetof(struct task_part, member) - \
				 offsetof(struct task, part)))

static struct task_step_means *steps_of(const struct task *task)
{
	return task->list->means;
}

static struct workshop_means *means_of(const struct task *task)
{
	return steps_of(task)->means;
}

static bool is_of_job(const struct task *task)
{
	return derived_is_of_job(task->derive->kind);
}

static struct running_job *maker_of(const struct task *task)
{
	return running_job_of_waiter(task->maker);
}

/* --- Claim --------------------------------------------------------------------------------- */

static enum task_outcome claim(struct task *task, struct err *err)
{
	int mine;

	if (is_of_job(task))                /* nobody else could want it */
		return OUTCOME_DONE;
	mine = flight_claim(&part_of(task)->flight, means_of(task), task->derive, task->is_refresh, err);
	return mine < 0 ? OUTCOME_FAILED : mine > 0 ? OUTCOME_DONE : OUTCOME_NONE;
}

static enum task_outcome look(struct task *task, struct err *err)
{
	switch (flight_look(&part_of(task)->flight, means_of(task), task->derive, err)) {
	case FLIGHT_NOTHING_NEW: return OUTCOME_PENDING;
	case FLIGHT_LANDED:      return OUTCOME_DONE;
	case FLIGHT_ABANDONED:   return OUTCOME_NONE;
	default:                 return OUTCOME_FAILED;
	}
}

static void unclaim(struct task *task)
{
	if (!is_of_job(task))
		flight_give_up(&steps_of(task)->owed, means_of(task), &task->derive->key);
}

/* --- Ask others ---------------------------------------------------------------------------- */

static void take_shared(struct task *task, struct err *err, enum task_outcome *outcome)
{
	struct task_part *part = part_of(task);
	int rc;

	if (task->step == TASK_ASK_OBJECT || !task->derive->kind->check) {
		input_take(&part->input, &part->sharing.file, true);
		*outcome = OUTCOME_COPY;
		return;
	}
	rc = share_take(&part->sharing, task->derive, err);
	*outcome = rc < 0 ? OUTCOME_FAILED : rc > 0 ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static void shared_told(struct sharing *sharing, bool is_hit)
{
	struct task *task = TASK_OF(sharing, sharing);
	enum task_outcome outcome = OUTCOME_NONE;
	struct err err = ERR_INIT;

	if (is_hit)
		take_shared(task, &err, &outcome);
	task_report(task, outcome, &err);
}

static enum task_outcome ask_entry(struct task *task, struct err *err)
{
	struct workshop_means *means = means_of(task);

	(void)err;
	return share_may_ask_entry(means, task->derive) &&
	       share_ask(&part_of(task)->sharing, &task->derive->key, share_bytes_max(means, task->derive))
	       ? OUTCOME_PENDING : OUTCOME_NONE;
}

static enum task_outcome ask_object(struct task *task, struct err *err)
{
	struct workshop_means *means = means_of(task);

	(void)err;
	return share_may_ask_object(means, task->derive) &&
	       share_ask(&part_of(task)->sharing, &task->derive->object_key,
			 means->config->max_download_bytes)
	       ? OUTCOME_PENDING : OUTCOME_NONE;
}

/* --- Open and obtain ----------------------------------------------------------------------- */

/* Though its object failed some time ago. */
static bool may_try_again(const struct task *task)
{
	struct workshop_means *means = means_of(task);
	struct cache_found found = { 0 };
	struct err err = ERR_INIT;
	bool may;

	if (!task->is_refresh ||
	    cache_find(means->cache, means->store, &task->derive->object_key, &found, &err) < 0)
		return false;
	may = cache_may_have_passed(means->cache, &found);
	cache_found_release(&found);
	return may;
}

/* What is known of a file whose copy somebody deleted: whoever asks has it fetched again. */
static void forget(const struct workshop_means *means, const struct cache_key *key)
{
	struct cache_found found = { .state = CACHE_ABSENT };
	struct err err = ERR_INIT;

	if (cache_find(means->cache, means->store, key, &found, &err) == 0 &&
	    found.state == CACHE_READY)
		cache_invalidate(means->cache, means->store, key, &found, "its file is gone");
	cache_found_release(&found);
}

/* The file of an entry that is there, or was when the job looked. */
static enum task_outcome open_entry(struct task *task, const struct derive *entry, int *fd,
				    struct checksum_seal *seal, struct err *err)
{
	const struct location *location = entry->location;
	struct fetch_order order = { .fd = -1 };
	enum source_access access;
	int known = input_open_known(means_of(task), derive_file_key(entry), fd, seal, err);

	if (known > 0)
		return OUTCOME_DONE;
	if (known < 0 && err_kind_is_ours(err->kind))
		return OUTCOME_LOST;
	if (entry->kind->is_object && !entry->is_extract && source_is_local(location->source) &&
	    source_reach(location, &task->maker->work->arena, &access, fd, &order, err) == 0)
		return OUTCOME_DONE;
	/* The key promises it: without it the result would be another key's.  Who waits looks for it
	 * anew. */
	forget(means_of(task), &entry->key);
	err_set(err, ERR_IO, "%.*s is no longer available", (int)location->uri.size, location->uri.bytes);
	return OUTCOME_UNUSABLE;
}

static enum task_outcome open_object(struct task *task, struct err *err)
{
	struct input *input = &part_of(task)->input;
	int known;

	input_drop(input);
	if (task->derive->kind->from == DERIVED_FROM_ENTRY)
		return open_entry(task, task->derive->base, &input->file.fd, &input->seal, err);
	if (!task->derive->kind->keeps_object)
		return OUTCOME_NONE;
	known = input_open_known(means_of(task), &task->derive->object_key, &input->file.fd, &input->seal,
				 err);
	if (known < 0 && may_try_again(task))
		known = 0;
	return known < 0 ? OUTCOME_FAILED : known > 0 ? OUTCOME_DONE : OUTCOME_NONE;
}

static enum task_outcome take_obtained(struct task *task, struct err *err)
{
	struct task_part *part = part_of(task);

	if (part->obtaining.is_copy) {
		input_take(&part->input, &part->obtaining.file, false);
		return OUTCOME_COPY;
	}
	if (input_take_local(&part->input, &part->obtaining.file, derive_subject(task->derive), err) < 0)
		return OUTCOME_FAILED;
	return task->derive->is_extract ? OUTCOME_COPY : OUTCOME_DONE;
}

/* A folder of somebody else's whose disk or server fails is a source that fails us, when it does so
 * again and again; that we are short of something never is. */
static void blame_source(const struct task *task, struct err *err)
{
	bool is_short = err->os_errno == EMFILE || err->os_errno == ENFILE || err->os_errno == EINTR ||
			err->os_errno == EAGAIN;

	if (err->kind == ERR_IO && err->os_errno != 0 && !is_short &&
	    derive_is_of_folder(task->derive) && task->tries + 1 >= LOCAL_TRIES)
		err->kind = ERR_DOWNLOAD;
}

/* What keeps us from an object is so for all that is made of it. */
static void note_object_failure(const struct task *task, const struct err *failure)
{
	struct workshop_means *means = means_of(task);
	const struct cache_key *key = &task->derive->object_key;
	struct err err = ERR_INIT;

	if (task->derive->kind->keeps_object && part_of((struct task *)task)->obtaining.is_copy &&
	    cache_remembers(means->cache, key, failure->kind) &&
	    cache_publish_failure(means->cache, means->store, key, failure, &err) < 0)
		log_message(LOG_ERROR, "cache_publish", NULL, "%s", err.text);
}

static void obtained(struct obtaining *obtaining, const struct err *failure)
{
	struct task *task = TASK_OF(obtaining, obtaining);
	struct err err = ERR_INIT;

	if (failure) {
		err = *failure;
		note_object_failure(task, failure);
	}
	task_report(task, failure ? OUTCOME_FAILED : take_obtained(task, &err), &err);
}

static void segments_told(struct segments *segments, const struct err *failure)
{
	struct task *task = TASK_OF(segments, segments);

	if (!failure)
		input_take(&part_of(task)->input, &segments->file, false);
	task_report(task, failure ? OUTCOME_FAILED : OUTCOME_COPY, failure);
}

/* To a cell it is a file like others; the job keeps its own descriptor. */
static int open_body(struct task *task, struct err *err)
{
	const struct work_body *body = &maker_of(task)->body;
	struct obtaining *obtaining = &part_of(task)->obtaining;

	if (body->fd < 0)
		return err_set(err, ERR_IO, "the file that was sent is gone");
	obtaining->is_copy = false;
	obtaining->file.fd = fcntl(body->fd, F_DUPFD_CLOEXEC, 0);
	return obtaining->file.fd < 0 ? err_os(err, errno, "opening the file that was sent") : 1;
}

static enum task_outcome obtain(struct task *task, struct err *err)
{
	struct task_part *part = part_of(task);
	const struct derive *derive = task->derive;
	const struct config *config = means_of(task)->config;
	uint64_t bytes_max = derive->kind->input_bytes_max ? derive->kind->input_bytes_max(config)
							   : config->max_download_bytes;
	int there;

	input_drop(&part->input);
	switch (derive->kind->from) {
	case DERIVED_FROM_SEGMENTS:
		there = segments_begin(&part->segments, derive->listing, err);
		break;
	case DERIVED_FROM_LINK:
		there = obtain_link(&part->obtaining, derive->link, bytes_max, err);
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
	struct task_part *part = part_of(task);

	if (part->has_want)
		running_job_unwant(maker_of(task), &part->want);
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

/* The cell is parked until now. */
static void want_told(struct job_want *want, enum job_want_end end, const struct err *err)
{
	struct task *task = TASK_OF(want, want);
	struct cell_task *cell = &part_of(task)->cell;
	struct checksum_seal seal = { 0, 0, false };
	enum cell_task_answer answer = end == JOB_WANT_LATE ? CELL_TASK_LATE : CELL_TASK_ABSENT;
	int fd = -1;

	part_of(task)->has_want = false;
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
	return task->derive->kind->waits && is_of_job(task) && maker_of(task)->kind->want;
}

static bool copy_want(struct arena *arena, const struct cell_event *event, struct work_want *want)
{
	return copy_words(arena, text_of(event->role), &want->role) &&
	       copy_words(arena, event->id, &want->id) &&
	       copy_words(arena, event->name, &want->name);
}

/* There is no answer to wait for, and without memory no need for it. */
static enum cell_task_answer want_ahead(struct task *task, const struct cell_event *event)
{
	struct running_job *maker = maker_of(task);
	struct job_want *want = arena_alloc(&maker->work.arena, 1, sizeof(*want));

	if (want && copy_want(&maker->work.arena, event, &want->want))
		running_job_want_ahead(maker, want);
	return CELL_TASK_ABSENT;
}

static enum cell_task_answer want_entry(struct task *task, const struct cell_event *event)
{
	struct task_part *part = part_of(task);
	struct running_job *maker = maker_of(task);
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
	struct task_part *part = part_of(task);
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

/* Everything of the cache that a cell was given: what is damaged goes.  Hardly ever, so this
 * thread may take the time. */
static void drop_damaged_inputs(const struct task *task)
{
	const struct workshop_means *means = means_of(task);
	const struct derive *derive = task->derive;
	struct err err = ERR_INIT;

	if (cache_drop_if_damaged(means->cache, means->store,
				  derive->base ? derive_file_key(derive->base) : &derive->object_key,
				  &err) < 0)
		log_message(LOG_WARN, "cache_drop", NULL, "%s", err.text);
	for (size_t i = 0; i < derive->companion_count; i++) {
		const struct derive *entry = derive->companions[i].entry;

		if (entry && cache_drop_if_damaged(means->cache, means->store, derive_file_key(entry),
						   &err) < 0)
			log_message(LOG_WARN, "cache_drop", NULL, "%s", err.text);
	}
}

/* A cell is hostile: of its kinds only those count that say something about the bytes.  What it
 * calls its own fault is a fault of ours that these bytes meet. */
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

/* A file that was shared and is not what it should be is no failure of the entry's. */
static enum task_outcome refuse(struct task *task, const struct err *why)
{
	struct task_part *part = part_of(task);

	if (!part->input.is_shared || err_kind_is_ours(why->kind))
		return OUTCOME_FAILED;
	share_refuse(means_of(task), task->derive, why);
	return OUTCOME_REFUSED;
}

static enum task_outcome failed(struct task *task, struct err *status)
{
	struct task_part *part = part_of(task);

	if (status->kind == ERR_IO && status->os_errno == CELL_INPUT_CHANGED && part->input.seal.is_set) {
		log_message(LOG_WARN, "cell_input", NULL, "%s; it is looked for anew", status->text);
		drop_damaged_inputs(task);
		return OUTCOME_DAMAGED;
	}
	judge(status);
	if (input_has_changed(&part->input))
		err_set(status, ERR_IO, "the file changed while it was read");
	return err_kind_is_ours(status->kind) ? OUTCOME_LOST : refuse(task, status);
}

static enum task_outcome done(struct task *task, struct err *status)
{
	const struct derived_kind *kind = task->derive->kind;
	struct task_part *part = part_of(task);

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
	if (input_has_changed(&part_of(task)->input))
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
	task_report(task, outcome, &err);
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
	struct input *input = &part_of(task)->input;
	bool was_shared = input->is_shared &&
			  (key == &derive->object_key || !derive->kind->keeps_object);

	share_made(means_of(task), derive, key, was_shared, bytes);
	if (was_shared)
		input->is_shared = false;
}

/* What a cell says that cannot be read is the cell's doing. */
static enum task_outcome not_kept(struct task *task, struct err *err)
{
	return refuse(task, err);
}

/* Nothing is made of the object: it is published when it is kept. */
static bool is_object_alone(const struct task *task)
{
	return task->derive->kind->cache == CACHE_OBJECTS;
}

/* The output is the object where the cell had to write one, else what it was given is. */
static enum task_outcome keep_object(struct task *task, struct err *err)
{
	struct task_part *part = part_of(task);
	struct input *input = &part->input;
	bool written = false;
	struct arena arena;
	struct text meta;
	int rc;

	arena_init(&arena, REPLY_ARENA_BYTES);
	rc = convert_inspect_reply(buf_text(&part->cell.reply), &arena, &written, &meta, err);
	arena_release(&arena);
	if (rc < 0)
		return not_kept(task, err);
	if (written)
		input_take(input, &part->cell.out, input->is_shared);
	temporary_drop(&part->cell.out);
	if (input->is_local && is_object_alone(task)) {
		err_set(err, ERR_NOT_FOUND, "it is packed no more");
		return OUTCOME_FAILED;
	}
	if (!input->is_copy)
		return task->derive->kind->is_object ? OUTCOME_DONE : OUTCOME_NONE;  /* it lies where it lies */
	if (publish_file(means_of(task), &task->derive->object_key, &input->file, 0, err) < 0)
		return not_kept(task, err);
	made(task, &task->derive->object_key, bytes_of(input->file.fd));
	input->is_copy = false;
	return OUTCOME_DONE;
}

static int publish_payload(struct task *task, struct err *err)
{
	const struct derive *derive = task->derive;
	struct workshop_means *means = means_of(task);
	struct text reply = buf_text(&part_of(task)->cell.reply);
	struct arena arena;
	struct text payload;
	int rc;

	arena_init(&arena, REPLY_ARENA_BYTES);
	rc = derive->kind->payload(reply, &arena, &payload, err);
	if (rc == 0 && is_of_job(task))
		rc = running_job_take_result(maker_of(task), derive, payload, err);
	else if (rc == 0)
		rc = cache_publish_small(means->cache, means->store, &derive->key, payload, err);
	arena_release(&arena);
	return rc;
}

static enum task_outcome publish(struct task *task, struct err *err)
{
	const struct derive *derive = task->derive;
	struct task_part *part = part_of(task);
	struct cache_key key = publish_key(derive, part->obtaining.fresh_seconds);
	uint64_t bytes = 0;
	int rc;

	if (is_object_alone(task))
		return OUTCOME_DONE;
	if (derive->kind->payload) {
		rc = publish_payload(task, err);
	} else {
		bytes = bytes_of(part->cell.out.fd);
		rc = publish_file(means_of(task), &key, &part->cell.out, derive->kind->row_bytes_max, err);
	}
	if (rc < 0)
		return not_kept(task, err);
	if (!is_of_job(task))
		made(task, &derive->key, bytes);
	return OUTCOME_DONE;
}

/* --- Ends ----------------------------------------------------------------------------------- */

/* What says something about the file is remembered for its time; being offline says nothing
 * about it. */
static int remember(struct task *task, const struct err *failure, struct err *err)
{
	const struct derive *derive = task->derive;
	struct workshop_means *means = means_of(task);
	struct cache_key key = publish_key(derive, -1);

	if (is_of_job(task) || derive->kind->forgets_failures ||
	    derive_is_told_only(derive, failure->kind) ||
	    !cache_remembers(means->cache, &derive->key, failure->kind) ||
	    (means->config->offline && failure->kind == ERR_DOWNLOAD))
		return 0;
	return cache_publish_failure(means->cache, means->store, &key, failure, err) < 0 ? -1 : 1;
}

static bool keep_old(struct task *task)
{
	struct workshop_means *means = means_of(task);
	const struct cache_key *key = &task->derive->key;
	struct cache_found found = { .state = CACHE_ABSENT };
	struct err err = ERR_INIT;
	bool kept;

	if (cache_find(means->cache, means->store, key, &found, &err) < 0)
		return false;
	kept = found.state == CACHE_READY &&
	       cache_publish_small(means->cache, means->store, key, found.payload, &err) == 0;
	cache_found_release(&found);
	return kept;
}

static void begin(struct task *task)
{
	struct task_part *part = part_of(task);
	struct task_step_means *steps = steps_of(task);
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
	struct task_part *part = part_of(task);

	stop_wanting(task);
	obtain_stop(&part->obtaining);
	segments_stop(&part->segments);
	share_stop(&part->sharing);
	cell_task_stop(&part->cell);
	input_drop(&part->input);
}

static void ended(struct task *task, bool was_made)
{
	if (task->is_refresh)
		refresh_ended(maker_of(task), task->derive, was_made);
}

const struct task_steps workshop_task_steps = {
	.part_bytes = sizeof(struct task_part),
	.run = {
		[TASK_CLAIM] = claim,
		[TASK_ASK_ENTRY] = ask_entry,
		[TASK_OPEN] = open_object,
		[TASK_ASK_OBJECT] = ask_object,
		[TASK_OBTAIN] = obtain,
		[TASK_INSPECT] = inspect,
		[TASK_KEEP_OBJECT] = keep_object,
		[TASK_DERIVE] = derive_entry,
		[TASK_PUBLISH] = publish,
	},
	.begin = begin, .stop = stop, .look = look, .remember = remember, .keep_old = keep_old,
	.unclaim = unclaim, .ended = ended,
};
