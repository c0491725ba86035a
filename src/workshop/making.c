/*
 * making.c -- how a key is made: get the object, inspect it, convert it, publish.
 *
 *	object blob known ----------------+
 *	local file opened in place -------+--> META: inspect --> publish the features
 *	transfer --> inspect, publish ----+--> SYMCACHE: convert --> publish the SymCache
 */
#include "workshop/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "board/board.h"
#include "board/metrics.h"
#include "config/config.h"

#define REPLY_ARENA_BYTES ((size_t)32 * 1024 * 1024)
#define LOST_CELLS_MOST 3u
#define LOCAL_TRIES     3u       /* as many as a download gets */
#define DAMAGED_INPUTS_MOST 8u

static void enter(struct task *task, enum task_stage stage)
{
	task->stage = stage;
	if (stage == TASK_INSPECTING || stage == TASK_CONVERTING)
		cells_queue(task);
}

void making_convert(struct task *task)
{
	enter(task, TASK_CONVERTING);
}

/* With the object at hand: what this key needs next. */
void making_use_object(struct task *task)
{
	bool inspects = task->derive->kind->from == DERIVED_FROM_OBJECT && task->is_copy;

	enter(task, inspects ? TASK_INSPECTING : TASK_CONVERTING);
}

int making_note_local(struct task *task, struct err *err)
{
	struct stat st;

	if (fstat(task->object_fd, &st) < 0)
		return err_os(err, errno, "reading the size of %.*s",
			      (int)task->derive->location->uri.size, task->derive->location->uri.bytes);
	task->is_local = true;
	task->local_size = st.st_size;
	task->local_changed_nanos = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return 0;
}

static bool local_has_changed(const struct task *task)
{
	struct stat st;

	if (!task->is_local || task->object_fd < 0)
		return false;
	return fstat(task->object_fd, &st) < 0 || st.st_size != task->local_size ||
	       (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec !=
		       task->local_changed_nanos;
}

/* A folder of somebody else's whose disk or server fails is a source that fails us, when it does so
 * again and again; that we are short of something never is. */
static void blame_source(const struct task *task, struct err *err)
{
	bool is_short = err->os_errno == EMFILE || err->os_errno == ENFILE || err->os_errno == EINTR ||
			err->os_errno == EAGAIN;

	if (err->kind == ERR_IO && err->os_errno != 0 && !is_short && !task->derive->link &&
	    source_is_local(task->derive->location->source) && task->tries + 1 >= LOCAL_TRIES)
		err->kind = ERR_DOWNLOAD;
}

static void object_obtained(struct task *task, const struct err *failure)
{
	struct shop *shop = task->shop;
	struct err err = ERR_INIT;

	if (!failure && !task->is_copy && making_note_local(task, &err) < 0)
		failure = &err;
	if (!failure) {
		making_use_object(task);
		return;
	}
	if (!task->derive->link && task->derive->kind->keeps_object && task->is_copy &&
	    cache_remembers(shop->cache, &task->derive->object_key, failure->kind) &&
	    cache_publish_failure(shop->cache, shop->store, &task->derive->object_key, failure,
				  &err) < 0)
		log_message(LOG_ERROR, "cache_publish", NULL, "%s", err.text);
	task_end(task, failure);
}

/* A source file from where a link says: never trusted, like a request's own sources. */
static int follow_link(struct task *task, struct err *err)
{
	const struct config *config = task->shop->config;
	const struct derive_link *link = task->derive->link;
	struct fetch_order order = {
		.fd = -1, .url = link->url, .headers = link->headers,
		.header_count = link->header_count, .source_id = "web-scraping",
		.accept_invalid_certs = link->accept_invalid_certs, .breaker = true,
	};

	return obtain_order(task, &order,
			    config->max_download_bytes < config->source_max_bytes
				    ? config->max_download_bytes : config->source_max_bytes,
			    object_obtained, err);
}

int making_open_known(struct shop *shop, const struct cache_key *key, int *fd,
		      struct checksum_seal *seal, struct err *err)
{
	struct cache_found found = { 0 };
	int rc = 0;

	if (cache_find(shop->cache, shop->store, key, &found, err) < 0)
		return -1;
	if (found.state == CACHE_FAILED) {
		err_set(err, found.failure, "%.*s", (int)found.details.size, found.details.bytes);
		rc = -1;
	} else if (found.state == CACHE_READY) {
		rc = cache_open_blob(shop->cache, shop->store, key, fd, seal, err) == 0;
		if (!rc && err->kind != ERR_NOT_FOUND)
			rc = -1;
	}
	cache_found_release(&found);
	return rc;
}

void making_obtain(struct task *task)
{
	struct err err = ERR_INIT;

	if (obtain(task, task->derive->location, task->shop->config->max_download_bytes,
		   object_obtained, &err) < 0) {
		blame_source(task, &err);
		task_end(task, &err);
	}
}

void making_begin(struct task *task)
{
	struct err err = ERR_INIT;
	int known;

	if (task->derive->listing) {
		listing_begin(task);
		return;
	}
	if (task->derive->link) {
		if (follow_link(task, &err) < 0)
			task_end(task, &err);
		return;
	}
	task->object_seal.is_set = false;
	known = making_open_known(task->shop, &task->derive->object_key, &task->object_fd,
				  &task->object_seal, &err);
	if (known < 0 && refresh_may_try(task))
		known = 0;

	if (known > 0)
		making_use_object(task);
	else if (known < 0)
		task_end(task, &err);
	else if (!sharing_ask_object(task))
		making_obtain(task);
}

/* --- Companions ------------------------------------------------------------------------ */

/* What is known of a file whose copy somebody deleted: whoever asks has it fetched again. */
static void forget(struct shop *shop, const struct cache_key *key)
{
	struct cache_found found = { .state = CACHE_ABSENT };
	struct err err = ERR_INIT;

	if (cache_find(shop->cache, shop->store, key, &found, &err) == 0 &&
	    found.state == CACHE_READY)
		cache_invalidate(shop->cache, shop->store, key, &found, "its file is gone");
	cache_found_release(&found);
}

static int open_companion(struct task *task, const struct derive_companion *companion, int *fd,
			  struct checksum_seal *seal, struct err *err)
{
	const struct location *location = companion->entry->location;
	struct fetch_order order = { .fd = -1 };
	enum source_access access;
	int known = making_open_known(task->shop, derive_file_key(companion->entry), fd, seal, err);

	if (known > 0)
		return 0;
	if (known < 0 && err_kind_is_ours(err->kind))
		return -1;
	if (source_is_local(location->source) &&
	    source_reach(location, &task->maker->work.arena, &access, fd, &order, err) == 0)
		return 0;
	/* The key promises it: without it the result would be another key's.  Who waits looks for it
	 * anew. */
	forget(task->shop, &companion->entry->key);
	task->has_lost_companion = true;
	return err_set(err, ERR_IO, "%s companion %.*s is no longer available",
		       object_role_name(companion->role), (int)location->uri.size,
		       location->uri.bytes);
}

int making_companion(struct task *task, const struct cell_event *event, int *fd,
		     struct checksum_seal *seal, struct err *err)
{
	const struct derive *derive = task->derive;

	*fd = -1;
	*seal = (struct checksum_seal){ 0, 0, false };
	for (size_t i = 0; i < derive->companion_count; i++) {
		const struct derive_companion *companion = &derive->companions[i];

		if (strcmp(object_role_name(companion->role), event->role) != 0 ||
		    !text_equal(companion->id, event->id))
			continue;
		if (!companion->entry)
			return 0;
		return open_companion(task, companion, fd, seal, err);
	}
	return 0;
}

/* Everything of the cache that a cell was given: what is damaged goes.  Hardly ever, so this
 * thread may take the time. */
static void drop_damaged_inputs(struct task *task)
{
	const struct derive *derive = task->derive;
	struct shop *shop = task->shop;
	struct err err = ERR_INIT;

	if (task->object_seal.is_set &&
	    cache_drop_if_damaged(shop->cache, shop->store, &derive->object_key, &err) < 0)
		log_message(LOG_WARN, "cache_drop", NULL, "%s", err.text);
	for (size_t i = 0; i < derive->companion_count; i++) {
		const struct derive_companion *companion = &derive->companions[i];

		if (!companion->entry)
			continue;
		if (cache_drop_if_damaged(shop->cache, shop->store, derive_file_key(companion->entry),
					  &err) < 0)
			log_message(LOG_WARN, "cache_drop", NULL, "%s", err.text);
	}
}

/* --- Ends of cells --------------------------------------------------------------------- */

static int publish(struct task *task, const struct cache_key *key, int fd, char *path,
		   struct err *err)
{
	struct shop *shop = task->shop;

	if (cache_publish_file(shop->cache, shop->store, key, fd, path, err) < 0)
		return -1;
	path[0] = '\0';                      /* it has its place now */
	sharing_made(task, key, fd);
	return 0;
}

/* The out file becomes the object: what was downloaded is not needed any more. */
void making_take_out(struct task *task)
{
	close(task->object_fd);
	if (task->object_path[0])
		unlink(task->object_path);
	memcpy(task->object_path, task->out_path, sizeof(task->object_path));
	task->object_fd = task->out_fd;
	task->object_seal.is_set = false;
	task->out_fd = -1;
	task->out_path[0] = '\0';
	task->is_local = false;
	task->is_copy = true;
}

void making_drop_out(struct task *task)
{
	if (task->out_fd >= 0)
		close(task->out_fd);
	if (task->out_path[0])
		unlink(task->out_path);
	task->out_fd = -1;
	task->out_path[0] = '\0';
}

/* From the cache, like any other time: with its checksum, should it have become another meanwhile. */
static void convert_published(struct task *task)
{
	struct err err = ERR_INIT;

	obtain_forget(task);
	if (task->damaged_inputs++ < DAMAGED_INPUTS_MOST) {
		making_begin(task);
		return;
	}
	err_set(&err, ERR_IO, "%.*s does not stay in the cache",
		(int)task->derive->location->uri.size, task->derive->location->uri.bytes);
	task_end(task, &err);
}

static int inspected(struct task *task, struct text reply, struct err *err)
{
	struct shop *shop = task->shop;
	struct arena arena;
	struct text meta;
	bool written, is_published;
	int rc = -1;

	arena_init(&arena, REPLY_ARENA_BYTES);
	if (convert_inspect_reply(reply, &arena, &written, &meta, err) < 0)
		goto done;
	cells_kill(task);
	if (written)
		making_take_out(task);
	else
		making_drop_out(task);
	if (task->is_copy && task->object_path[0] &&
	    publish(task, &task->derive->object_key, task->object_fd, task->object_path, err) < 0)
		goto done;
	is_published = task->is_copy;
	task->is_copy = false;
	if (task->derive->kind->is_object) {
		if (cache_publish_small(shop->cache, shop->store, &task->derive->key, meta, err) < 0)
			goto done;
		sharing_made(task, &task->derive->key, -1);
		task_end(task, NULL);
	} else if (is_published) {
		convert_published(task);
	} else {
		enter(task, TASK_CONVERTING);
	}
	rc = 0;
done:
	arena_release(&arena);
	return rc;
}

static int keep_small(struct task *task, struct text reply, struct err *err)
{
	struct shop *shop = task->shop;
	struct arena arena;
	struct text payload;
	int rc;

	arena_init(&arena, REPLY_ARENA_BYTES);
	rc = task->derive->kind->payload(reply, &arena, &payload, err);
	if (rc == 0)
		rc = cache_publish_small(shop->cache, shop->store, &task->derive->key, payload, err);
	if (rc == 0)
		sharing_made(task, &task->derive->key, -1);
	arena_release(&arena);
	return rc;
}

static int converted(struct task *task, struct text reply, struct err *err)
{
	const struct derived_kind *kind = task->derive->kind;
	int rc;

	if (kind->report)
		kind->report(task->derive, reply);
	rc = kind->payload ? keep_small(task, reply, err) : 0;
	cells_kill(task);
	if (rc == 0 && !kind->payload)
		rc = publish(task, &task->derive->key, task->out_fd, task->out_path, err);
	if (rc == 0)
		task_end(task, NULL);
	return rc;
}

/* A cell is hostile: of its kinds only those count that say something about the bytes.  What it
 * calls its own fault is a fault of ours that these bytes meet. */
static void judge(const struct task *task, struct err *status)
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
	if (local_has_changed(task))
		err_set(status, ERR_IO, "the file changed while it was read");
}

/* What ended it says nothing about the file (an operator, a system short of memory, a disk that is
 * full): another one tries, with the object that is there already.  After a few the task rests. */
void making_cell_lost(struct task *task, const struct err *why)
{
	if (task->lost_cells++ == LOST_CELLS_MOST || local_has_changed(task) ||
	    task->has_lost_companion) {
		task_end(task, why);
		return;
	}
	log_message(LOG_WARN, "cell_lost", NULL, "%s; another one tries", why->text);
	cells_kill(task);
	making_drop_out(task);
	cells_queue(task);
}

/* What the cache gave was not what was published, or did not stay so: it is got anew. */
static bool begins_anew(struct task *task, const struct cell_event *event)
{
	if (event->kind != CELL_FAILED || event->status.kind != ERR_IO ||
	    event->status.os_errno != CELL_INPUT_CHANGED || !task->object_seal.is_set ||
	    task->damaged_inputs++ == DAMAGED_INPUTS_MOST)
		return false;
	log_message(LOG_WARN, "cell_input", NULL, "%s; it is looked for anew", event->status.text);
	drop_damaged_inputs(task);
	cells_kill(task);
	making_drop_out(task);
	close(task->object_fd);
	task->object_fd = -1;
	making_begin(task);
	return true;
}

static void end_failed(struct task *task, const struct err *status)
{
	if (!err_kind_is_ours(status->kind) && sharing_refuse_object(task, status))
		return;
	if (task->derive->listing)
		listing_cell_ended(task, status);
	else
		task_end(task, status);
}

void making_cell_ended(struct task *task, const struct cell_event *event)
{
	struct err status = event->status;
	int rc;

	if (begins_anew(task, event))
		return;
	if (event->kind != CELL_DONE) {
		judge(task, &status);
		if (err_kind_is_ours(status.kind))
			making_cell_lost(task, &status);
		else
			end_failed(task, &status);
		return;
	}
	if (local_has_changed(task)) {
		err_set(&status, ERR_IO, "the file changed while it was read");
		end_failed(task, &status);
		return;
	}
	err_clear(&status);
	if (task->derive->listing) {
		listing_cell_ended(task, NULL);
		return;
	}
	rc = task->stage == TASK_INSPECTING || task->derive->kind->is_object
	     ? inspected(task, event->reply, &status) : converted(task, event->reply, &status);
	if (rc < 0)
		end_failed(task, &status);
}
