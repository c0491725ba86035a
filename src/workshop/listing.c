/*
 * listing.c -- what sources say they hold (source/source.h): asked, read by a cell, remembered.
 *
 * 1. Nothing here looks at what a source said: it is moved from descriptor to descriptor, and a
 *    cell makes lines of it.
 * 2. The segments of a symstore's index are read one after the other into one file, which a
 *    single cell reads.  Each that had to be fetched is remembered as it came: when the store
 *    grows only the new ones are fetched.
 * 3. A store has thousands of segments, on local disks all of them at once: a turn of the loop
 *    reads only a slice (is_resting says that there is more).
 */
#include "workshop/internal.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"

#define SMALL_BYTES    ((size_t)64 * 1024)      /* up to here it stands in the row */
#define PIECE_BYTES    ((size_t)64 * 1024)
#define SLICE_BYTES    ((uint64_t)1 << 20)      /* of segments, in one turn of the loop */
#define SLICE_SEGMENTS 32u

struct listing {
	int fd;                      /* of an index: all segments, as far as they are read */
	char path[SHOP_PATH_BYTES];
	uint64_t bytes;              /* in it */
	uint64_t segment;            /* that is being read, from 1 */
	uint64_t segment_bytes;      /* of it that are in the file */
	struct location location;    /* of it */
	struct cache_key key;
	bool is_held;                /* task->object_fd is it */
	struct checksum_seal seal;   /* of one that is in the cache */
	struct checksum sum;         /* of what was read of it */
	bool is_resting;             /* the next turn of the loop reads on */
	bool is_asking;              /* inside obtain(): what is there at once waits for its return */
	struct err failure;          /* meanwhile */
};

static void close_file(struct listing *listing)
{
	if (listing->fd >= 0)
		close(listing->fd);
	if (listing->path[0])
		unlink(listing->path);
	listing->fd = -1;
	listing->path[0] = '\0';
}

static void rest(struct task *task, bool is_resting)
{
	struct listing *listing = task->listing;

	task->shop->resting_count -= listing->is_resting;
	task->shop->resting_count += is_resting;
	listing->is_resting = is_resting;
}

void listing_release(struct task *task)
{
	if (!task->listing)
		return;
	rest(task, false);
	close_file(task->listing);
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

/* Of an index nothing lasts but its failure as a whole; which segment it was is told. */
static void fail(struct task *task, const struct err *failure)
{
	const struct source_listing *asked = task->derive->listing;
	struct err why = *failure;

	if (asked->kind == SOURCE_LISTING_INDEX && err_kind_is_lasting(why.kind)) {
		if (task->listing && task->listing->segment <= asked->last_id)
			err_while(&why, "segment %llu",
				  (unsigned long long)task->listing->segment);
		why.kind = ERR_DOWNLOAD;
	}
	log_message(LOG_WARN, "listing", NULL, "%.*s: %s",
		    (int)task->derive->location->uri.size, task->derive->location->uri.bytes,
		    why.text);
	task_end(task, keep_old(task) ? NULL : &why);
}

static int publish_small(struct task *task, const struct cache_key *key, int fd, size_t size,
			 struct err *err)
{
	char bytes[SMALL_BYTES];
	size_t at = 0;

	while (at < size) {
		ssize_t got = pread(fd, bytes + at, size - at, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_os(err, got < 0 ? errno : EIO, "reading a listing");
		at += (size_t)got;
	}
	return cache_publish_small(task->shop->cache, task->shop->store, key,
				   (struct text){ bytes, size }, err);
}

/* One of our temporary files as the entry's payload; the path is empty when it moved. */
static int publish(struct task *task, const struct cache_key *key, int fd, char *path,
		   struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_os(err, errno, "reading a listing");
	if ((uint64_t)st.st_size <= SMALL_BYTES)
		return publish_small(task, key, fd, (size_t)st.st_size, err);
	if (cache_publish_file(task->shop->cache, task->shop->store, key, fd, path, err) < 0)
		return -1;
	path[0] = '\0';
	return 0;
}

int listing_publish(struct task *task, struct err *err)
{
	return publish(task, &task->derive->key, task->out_fd, task->out_path, err);
}

void listing_cell_ended(struct task *task, const struct err *failure)
{
	struct err err = ERR_INIT;

	if (failure) {
		fail(task, failure);
		return;
	}
	cells_kill(task);
	if (listing_publish(task, &err) < 0) {
		fail(task, &err);
		return;
	}
	sharing_made(task, &task->derive->key, -1);
	task_end(task, NULL);
}

/* --- Answers of one file -------------------------------------------------------------------- */

static void answered(struct task *task, const struct err *failure)
{
	struct err err = ERR_INIT;

	if (!failure && !task->is_copy && making_note_local(task, &err) < 0)
		failure = &err;
	if (failure)
		fail(task, failure);
	else
		making_convert(task);
}

/* --- Indexes ------------------------------------------------------------------------------ */

static int name_segment(struct task *task, struct err *err)
{
	struct listing *listing = task->listing;
	struct arena *arena = &task->maker->work.arena;
	struct text text;

	if (source_segment(task->derive->listing, listing->segment, arena, &listing->location,
			   &text, err) < 0 ||
	    cache_key_make(&listing->key, arena, CACHE_SOURCE_INDEX, TEXT_NONE, text, err) < 0)
		return -1;
	listing->key.source = listing->location.source->id;
	return 0;
}

static void segment_obtained(struct task *task, const struct err *failure)
{
	struct listing *listing = task->listing;

	listing->is_held = !failure;
	if (listing->is_asking && failure)
		listing->failure = *failure;
	else if (failure)
		fail(task, failure);
	else if (!listing->is_asking)
		rest(task, true);            /* on with it in the next turn */
}

/* 1: it is held, 0: it is on its way, -1. */
static int hold_segment(struct task *task, struct err *err)
{
	struct listing *listing = task->listing;
	int rc;

	task->is_copy = false;
	listing->segment_bytes = 0;
	if (name_segment(task, err) < 0)
		return -1;
	checksum_init(&listing->sum);
	listing->seal.is_set = false;
	rc = making_open_known(task->shop, &listing->key, &task->object_fd, &listing->seal, err);
	if (rc != 0) {
		listing->is_held = rc > 0;
		return rc;
	}
	listing->is_asking = true;
	rc = obtain(task, &listing->location, LIMIT_SEGMENTS_BYTES, segment_obtained, err);
	listing->is_asking = false;
	if (rc == 0 && listing->failure.kind != ERR_NONE) {
		*err = listing->failure;
		rc = -1;
	}
	return rc < 0 ? -1 : listing->is_held;
}

/* Read, not mapped: a file of somebody else's may be cut short meanwhile.  How much of the slice
 * it took in *done; 1: to its end, 0: there is more, -1. */
static int copy_segment(struct task *task, uint64_t *done, struct err *err)
{
	struct listing *listing = task->listing;
	char piece[PIECE_BYTES];

	while (*done < SLICE_BYTES) {
		ssize_t got = pread(task->object_fd, piece, sizeof(piece),
				    (off_t)listing->segment_bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_os(err, errno, "reading a segment");
		if ((uint64_t)got > LIMIT_SEGMENTS_BYTES - listing->bytes)
			return err_set(err, ERR_MALFORMED, "Maximum file size exceeded");
		if (file_write_all(listing->fd, got > 0 ? piece : "\n", got > 0 ? (size_t)got : 1,
				   err) < 0)
			return -1;
		if (got == 0)
			return 1;
		checksum_add(&listing->sum, piece, (size_t)got);
		listing->bytes += (uint64_t)got;
		listing->segment_bytes += (uint64_t)got;
		*done += (uint64_t)got;
	}
	return 0;
}

static int end_segment(struct task *task, struct err *err)
{
	struct listing *listing = task->listing;
	int rc = 0;

	if (listing->seal.is_set && checksum_value(&listing->sum) != listing->seal.value) {
		if (cache_drop_if_damaged(task->shop->cache, task->shop->store, &listing->key, err) >= 0)
			err_set(err, ERR_IO, "a segment of an index is not what was kept");
		return -1;
	}
	if (task->is_copy)
		rc = publish(task, &listing->key, task->object_fd, task->object_path, err);
	obtain_forget(task);
	listing->is_held = false;
	listing->segment++;
	return rc;
}

/* 1: all segments are read, 0: one is on its way or the slice is over, -1. */
static int read_slice(struct task *task, struct err *err)
{
	struct listing *listing = task->listing;
	unsigned segments = 0;
	uint64_t done = 0;
	int rc = 1;

	while (rc > 0 && listing->segment <= task->derive->listing->last_id) {
		if (!listing->is_held) {
			rc = hold_segment(task, err);
			if (rc <= 0)
				return rc;
		}
		if (segments++ == SLICE_SEGMENTS)
			rc = 0;
		else
			rc = copy_segment(task, &done, err);
		if (rc > 0 && end_segment(task, err) < 0)
			rc = -1;
	}
	if (rc == 0)
		rest(task, true);
	return rc;
}

/* The file of all segments becomes the cell's input. */
static void read_on(struct task *task)
{
	struct listing *listing = task->listing;
	struct err err = ERR_INIT;
	int rc = read_slice(task, &err);

	if (rc < 0) {
		fail(task, &err);
	} else if (rc > 0) {
		task->object_fd = listing->fd;
		memcpy(task->object_path, listing->path, sizeof(task->object_path));
		listing->fd = -1;
		listing->path[0] = '\0';
		making_convert(task);
	}
}

void listings_read_on(struct shop *shop)
{
	if (shop->resting_count == 0)
		return;
	for (struct task *task = shop->tasks; task; task = task->next) {
		if (!task->listing || !task->listing->is_resting)
			continue;
		rest(task, false);
		read_on(task);
	}
}

static int begin_index(struct task *task, struct err *err)
{
	struct listing *listing = mem_get(sizeof(*listing));

	if (!listing)
		return err_set(err, ERR_NO_MEMORY, "no memory for an index");
	listing->fd = -1;
	listing->segment = 1;
	task->listing = listing;
	if (cache_temporary(task->shop->cache, listing->path, sizeof(listing->path), &listing->fd,
			    err) < 0)
		return -1;
	rest(task, true);
	return 0;
}

void listing_begin(struct task *task)
{
	const struct source_listing *listing = task->derive->listing;
	struct err err = ERR_INIT;
	int rc;

	task->stage = TASK_FETCHING;
	if (listing->kind == SOURCE_LISTING_INDEX)
		rc = begin_index(task, &err);
	else
		rc = obtain(task, &listing->location,
			    listing->kind == SOURCE_LISTING_MODULE ? LIMIT_LISTING_BYTES
								   : LIMIT_LAST_ID_BYTES,
			    answered, &err);
	if (rc < 0)
		fail(task, &err);
}
