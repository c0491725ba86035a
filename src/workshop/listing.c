/*
 * listing.c -- what sources say they hold (source/source.h): asked, put into our own words,
 * remembered.
 *
 * Of a symstore's index the segments are read one after the other, each remembered by itself:
 * when the store grows only the new ones are fetched.
 */
#include "workshop/internal.h"

#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#define SMALL_BYTES ((size_t)64 * 1024)     /* up to here it stands in the row */

struct listing {
	struct buf lines;            /* of an index, as far as it is read */
	uint64_t segment;            /* that is being read, from 1 */
	struct location location;    /* of it */
	struct cache_key key;
	bool is_asking;              /* inside obtain(): what is there at once waits for its return */
	bool is_there;
	struct err failure;
};

void listing_release(struct task *task)
{
	if (!task->listing)
		return;
	buf_release(&task->listing->lines);
	mem_give_back(task->listing);
	task->listing = NULL;
}

/* --- Ends --------------------------------------------------------------------------------- */

/* The store's last id is believed another day when it cannot be read again. */
static bool keep_old(struct task *task)
{
	const struct derive *derive = task->derive;
	struct shop *shop = task->shop;
	struct cache_found found = { .state = CACHE_ABSENT };
	struct err err = ERR_INIT;
	bool kept;

	if (derive->listing->kind != SOURCE_LISTING_LAST_ID ||
	    cache_find(shop->cache, shop->store, &derive->key, &found, &err) < 0)
		return false;
	kept = found.state == CACHE_READY &&
	       cache_publish_small(shop->cache, shop->store, &derive->key, found.payload, &err) == 0;
	cache_found_release(&found);
	return kept;
}

static void fail(struct task *task, const struct err *failure)
{
	struct err why = *failure;

	if (task->derive->listing->kind == SOURCE_LISTING_INDEX && err_kind_is_lasting(why.kind)) {
		err_while(&why, "segment %llu", (unsigned long long)task->listing->segment);
		why.kind = ERR_DOWNLOAD;
	}
	log_message(LOG_WARN, "listing", NULL, "%.*s: %s",
		    (int)task->derive->location->uri.size, task->derive->location->uri.bytes,
		    why.text);
	task_end(task, keep_old(task) ? NULL : &why);
}

static int publish_text(struct task *task, const struct cache_key *key, struct text text,
			struct err *err)
{
	struct shop *shop = task->shop;
	char path[SHOP_PATH_BYTES];
	int fd, rc;

	if (text.size <= SMALL_BYTES)
		return cache_publish_small(shop->cache, shop->store, key, text, err);
	if (cache_temporary(shop->cache, path, sizeof(path), &fd, err) < 0)
		return -1;
	rc = file_write_all(fd, text.bytes, text.size, err);
	if (rc == 0)
		rc = cache_publish_file(shop->cache, shop->store, key, fd, path, err);
	if (rc < 0)
		unlink(path);
	close(fd);
	return rc;
}

static void end(struct task *task, struct text text)
{
	struct err err = ERR_INIT;

	if (publish_text(task, &task->derive->key, text, &err) < 0)
		task_end(task, &err);
	else
		task_end(task, NULL);
}

/* --- Reading ------------------------------------------------------------------------------ */

#define PIECE_BYTES ((size_t)64 * 1024)

/* What was obtained, which is not needed as a file any more.  Read, not mapped: a file of
 * somebody else's may be cut short meanwhile. */
static int take_answer(struct task *task, struct buf *answer, struct err *err)
{
	ssize_t got = 0;
	char *piece;

	do {
		piece = buf_reserve(answer, PIECE_BYTES);
		if (!piece)
			break;
		got = pread(task->object_fd, piece, PIECE_BYTES, (off_t)answer->size);
		if (got > 0)
			answer->size += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	obtain_forget(task);
	if (got < 0)
		return err_os(err, errno, "reading a listing");
	if (!piece && !answer->no_memory)
		return err_set(err, ERR_MALFORMED, "Maximum file size exceeded");
	return buf_check(answer, err);
}

static void answered(struct task *task, const struct err *failure)
{
	const struct source_listing *listing = task->derive->listing;
	struct err err = ERR_INIT;
	struct buf answer, text;

	if (failure) {
		obtain_forget(task);
		fail(task, failure);
		return;
	}
	buf_init(&answer, (size_t)task->obtain_bytes + PIECE_BYTES);
	buf_init(&text, SOURCE_LISTING_BYTES);
	if (take_answer(task, &answer, &err) < 0 ||
	    source_listing_read(listing, buf_text(&answer), &text, &err) < 0)
		fail(task, &err);
	else
		end(task, buf_text(&text));
	buf_release(&answer);
	buf_release(&text);
}

/* --- Indexes ------------------------------------------------------------------------------ */

static int name_segment(struct task *task, struct err *err)
{
	struct listing *listing = task->listing;
	struct arena *arena = &task->maker->work.arena;
	struct text rest;

	if (source_segment(task->derive->listing, listing->segment, arena, &listing->location,
			   &rest, err) < 0 ||
	    cache_key_make(&listing->key, arena, CACHE_SOURCE_INDEX, TEXT_NONE, rest, err) < 0)
		return -1;
	listing->key.source = listing->location.source->id;
	return 0;
}

/* 1: it was known, 0: it has to be read, -1. */
static int take_known(struct task *task, struct err *err)
{
	struct listing *listing = task->listing;
	struct shop *shop = task->shop;
	struct cache_found found = { .state = CACHE_ABSENT };
	int known;

	if (cache_find(shop->cache, shop->store, &listing->key, &found, err) < 0)
		return -1;
	known = found.state == CACHE_READY;
	if (known)
		buf_add_text(&listing->lines, found.payload);
	cache_found_release(&found);
	return known;
}

static int take_segment(struct task *task, struct err *err)
{
	struct listing *listing = task->listing;
	struct buf answer, lines;
	int rc = -1;

	buf_init(&answer, SOURCE_INDEX_BYTES + PIECE_BYTES);
	buf_init(&lines, SOURCE_INDEX_BYTES);
	if (take_answer(task, &answer, err) < 0)
		goto done;
	source_segment_read(buf_text(&answer), &lines);
	if (source_lines_sort(&lines, err) < 0 ||
	    publish_text(task, &listing->key, buf_text(&lines), err) < 0)
		goto done;
	buf_add_text(&listing->lines, buf_text(&lines));
	rc = 0;
done:
	buf_release(&answer);
	buf_release(&lines);
	return rc;
}

static void segment_obtained(struct task *task, const struct err *failure);

/* Local segments are there at once; thousands of them must not nest.  1: it was, 0: it is on
 * its way, -1. */
static int ask_segment(struct task *task, struct err *err)
{
	struct listing *listing = task->listing;
	int rc;

	listing->is_asking = true;
	listing->is_there = false;
	rc = obtain(task, &listing->location, SOURCE_INDEX_BYTES, segment_obtained, err);
	listing->is_asking = false;
	if (rc < 0 || !listing->is_there)
		return rc;
	if (listing->failure.kind != ERR_NONE) {
		*err = listing->failure;
		return -1;
	}
	return take_segment(task, err) < 0 ? -1 : 1;
}

/* 1: all segments are read, 0: one is on its way (or the task has ended), -1. */
static int read_on(struct task *task, struct err *err)
{
	struct listing *listing = task->listing;
	uint64_t last = task->derive->listing->last_id;

	for (; listing->segment <= last; listing->segment++) {
		int known;

		if (name_segment(task, err) < 0)
			return -1;
		known = take_known(task, err);
		if (known == 0)
			known = ask_segment(task, err);
		if (known <= 0)
			return known;
	}
	return 1;
}

static void go_on(struct task *task)
{
	struct err err = ERR_INIT;
	int rc = read_on(task, &err);

	if (rc == 0)
		return;
	if (rc > 0)
		rc = source_lines_sort(&task->listing->lines, &err);
	if (rc < 0)
		fail(task, &err);
	else
		end(task, buf_text(&task->listing->lines));
}

static void segment_obtained(struct task *task, const struct err *failure)
{
	struct listing *listing = task->listing;
	struct err err = ERR_INIT;

	if (listing->is_asking) {
		listing->is_there = true;
		if (failure)
			listing->failure = *failure;
		return;
	}
	if (failure) {
		obtain_forget(task);
		fail(task, failure);
		return;
	}
	if (take_segment(task, &err) < 0) {
		fail(task, &err);
		return;
	}
	task->listing->segment++;
	go_on(task);
}

static void begin_index(struct task *task)
{
	struct err err = ERR_INIT;

	task->listing = mem_get(sizeof(*task->listing));
	if (!task->listing) {
		err_set(&err, ERR_NO_MEMORY, "no memory for an index");
		task_end(task, &err);
		return;
	}
	buf_init(&task->listing->lines, SOURCE_INDEX_BYTES);
	task->listing->segment = 1;
	go_on(task);
}

void listing_begin(struct task *task)
{
	const struct source_listing *listing = task->derive->listing;
	struct err err = ERR_INIT;

	if (listing->kind == SOURCE_LISTING_INDEX)
		begin_index(task);
	else if (obtain(task, &listing->location,
			listing->kind == SOURCE_LISTING_MODULE ? SOURCE_LISTING_BYTES
							       : SOURCE_LAST_ID_BYTES,
			answered, &err) < 0)
		fail(task, &err);
}
