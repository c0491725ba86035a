/* segments.c -- see segments.h. */
#include "workshop/segments.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/checksum.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "cache/cache.h"
#include "workshop/input.h"
#include "workshop/publish.h"
#include "workshop/verb_queue.h"

#define ROW_BYTES      ((size_t)64 * 1024)      /* up to here a segment stands in its row */
#define PIECE_BYTES    ((size_t)64 * 1024)
#define SLICE_BYTES    ((uint64_t)1 << 20)      /* of segments, in one turn of the loop */
#define SLICE_SEGMENTS 32u

struct segments_reading {
	struct obtaining obtaining;  /* first: it gets back here */
	struct segments *segments;
	uint64_t bytes;              /* in the file */
	uint64_t number;             /* of the segment that is being read, from 1 */
	uint64_t done;               /* of its bytes */
	struct location location;    /* of it */
	struct cache_key key;
	bool is_held;                /* `obtaining.file` is it */
	struct checksum_seal seal;   /* of one that is in the cache */
	struct checksum sum;         /* of what was read of it */
	struct queued_verb verb;            /* which keeps it, or drops the one that was kept */
};

static void enqueue(struct segments *segments)
{
	struct segments **last = &segments->queue->first;

	while (*last)
		last = &(*last)->next;
	*last = segments;
	segments->next = NULL;
	segments->is_queued = true;
	segments->queue->count++;
}

static void dequeue(struct segments *segments)
{
	struct segments **at = &segments->queue->first;

	if (!segments->is_queued)
		return;
	while (*at != segments)
		at = &(*at)->next;
	*at = segments->next;
	segments->is_queued = false;
	segments->queue->count--;
}

static void end_reading(struct segments *segments)
{
	dequeue(segments);
	if (segments->reading)
		obtain_stop(&segments->reading->obtaining);
	mem_give_back(segments->reading);
	segments->reading = NULL;
}

void segments_stop(struct segments *segments)
{
	end_reading(segments);
	temporary_drop(&segments->file);
}

static void fail(struct segments *segments, const struct err *failure)
{
	struct err why = *failure;

	if (err_kind_is_lasting(why.kind))
		err_while(&why, "segment %llu", (unsigned long long)segments->reading->number);
	segments_stop(segments);
	segments->told(segments, &why);
}

/* --- One segment -------------------------------------------------------------------------- */

static int name_segment(struct segments *segments, struct err *err)
{
	struct segments_reading *reading = segments->reading;
	struct text text;

	if (source_segment(segments->listing, reading->number, segments->arena, &reading->location,
			   &text, err) < 0 ||
	    cache_key_make(&reading->key, segments->arena, CACHE_SOURCE_INDEX, TEXT_NONE, text, err) < 0)
		return -1;
	reading->key.source = reading->location.source->id;
	return 0;
}

static void obtained(struct obtaining *obtaining, const struct err *failure)
{
	struct segments_reading *reading = (struct segments_reading *)(void *)obtaining;

	reading->is_held = !failure;
	if (failure)
		fail(reading->segments, failure);
	else
		enqueue(reading->segments);          /* on with it in the next turn */
}

/* 1: it is held, 0: it is on its way, -1. */
static int hold_segment(struct segments *segments, struct err *err)
{
	struct segments_reading *reading = segments->reading;
	struct obtaining *obtaining = &reading->obtaining;
	int rc;

	obtaining->is_copy = false;
	reading->done = 0;
	if (name_segment(segments, err) < 0)
		return -1;
	checksum_init(&reading->sum);
	reading->seal.is_set = false;
	rc = input_open_known(segments->means, &reading->key, &obtaining->file.fd, &reading->seal, err);
	if (rc == 0)
		rc = obtain_location(obtaining, &reading->location, LIMIT_SEGMENTS_BYTES, err);
	reading->is_held = rc > 0;
	return rc;
}

/* Read, not mapped: a file of somebody else's may be cut short meanwhile.  How much of the slice
 * it took in *slice; 1: to its end, 0: there is more, -1. */
static int copy_segment(struct segments *segments, uint64_t *slice, struct err *err)
{
	struct segments_reading *reading = segments->reading;
	char piece[PIECE_BYTES];

	while (*slice < SLICE_BYTES) {
		ssize_t got = pread(reading->obtaining.file.fd, piece, sizeof(piece),
				    (off_t)reading->done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_os(err, errno, "reading a segment");
		if ((uint64_t)got > LIMIT_SEGMENTS_BYTES - reading->bytes)
			return err_set(err, ERR_MALFORMED, "Maximum file size exceeded");
		if (file_write_all(segments->file.fd, got > 0 ? piece : "\n", got > 0 ? (size_t)got : 1,
				   err) < 0)
			return -1;
		if (got == 0)
			return 1;
		checksum_add(&reading->sum, piece, (size_t)got);
		reading->bytes += (uint64_t)got;
		reading->done += (uint64_t)got;
		*slice += (uint64_t)got;
	}
	return 0;
}

/* --- The end of one ----------------------------------------------------------------------- */

static void next_segment(struct segments_reading *reading)
{
	temporary_drop(&reading->obtaining.file);
	reading->is_held = false;
	reading->number++;
}

static struct segments_reading *reading_of(struct queued_verb *verb)
{
	return (struct segments_reading *)(void *)((char *)verb - offsetof(struct segments_reading, verb));
}

static int run_drop(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	return cache_drop_if_damaged(means->cache, means->store, &reading_of(verb)->key, err);
}

static void was_dropped(struct queued_verb *verb)
{
	struct segments_reading *reading = reading_of(verb);
	struct err err = verb->err;

	if (verb->rc >= 0)
		err_set(&err, ERR_IO, "a segment of an index is not what was kept");
	fail(reading->segments, &err);
}

static int run_publish(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct segments_reading *reading = reading_of(verb);

	return publish_file(means, &reading->key, &reading->obtaining.file, ROW_BYTES, err);
}

static void was_published(struct queued_verb *verb)
{
	struct segments_reading *reading = reading_of(verb);
	const struct err err = verb->err;

	if (verb->rc < 0) {
		fail(reading->segments, &err);
		return;
	}
	next_segment(reading);
	enqueue(reading->segments);
}

/* 1: on with the next one, 0: a verb is asked first. */
static int end_segment(struct segments *segments)
{
	struct segments_reading *reading = segments->reading;
	bool is_damaged = reading->seal.is_set && checksum_value(&reading->sum) != reading->seal.value;

	if (!is_damaged && !reading->obtaining.is_copy) {
		next_segment(reading);
		return 1;
	}
	reading->verb.run = is_damaged ? run_drop : run_publish;
	reading->verb.told = is_damaged ? was_dropped : was_published;
	reading->verb.whose = segments->arena;       /* its job's */
	verb_queue_ask(segments->means->verbs, &reading->verb);
	return 0;
}

/* --- All of them -------------------------------------------------------------------------- */

/* 1: all segments are read, 0: one is on its way, is being kept, or the slice is over, -1. */
static int read_slice(struct segments *segments, struct err *err)
{
	struct segments_reading *reading = segments->reading;
	unsigned count = 0;
	uint64_t slice = 0;
	int rc = 1;

	while (rc > 0 && reading->number <= segments->listing->last_id) {
		if (!reading->is_held) {
			rc = hold_segment(segments, err);
			if (rc <= 0)
				return rc;
		}
		rc = count++ == SLICE_SEGMENTS ? 0 : copy_segment(segments, &slice, err);
		if (rc > 0 && end_segment(segments) == 0)
			return 0;
	}
	if (rc == 0)
		enqueue(segments);
	return rc;
}

static void read_on(struct segments *segments)
{
	struct err err = ERR_INIT;
	int rc = read_slice(segments, &err);

	if (rc < 0) {
		fail(segments, &err);
	} else if (rc > 0) {
		end_reading(segments);
		segments->told(segments, NULL);
	}
}

void segments_read_on(struct segments_queue *queue)
{
	for (size_t left = queue->count; left > 0 && queue->first; left--) {
		struct segments *segments = queue->first;

		dequeue(segments);
		read_on(segments);
	}
}

int segments_begin(struct segments *segments, const struct source_listing *listing, struct err *err)
{
	struct segments_reading *reading = mem_get(sizeof(*reading));

	if (!reading)
		return err_set(err, ERR_NO_MEMORY, "no memory for an index");
	temporary_init(&reading->obtaining.file);
	reading->obtaining.means = segments->means;
	reading->obtaining.arena = segments->arena;
	reading->obtaining.told = obtained;
	reading->segments = segments;
	reading->number = 1;
	segments->listing = listing;
	segments->reading = reading;
	temporary_drop(&segments->file);
	if (temporary_make(&segments->file, segments->means, err) < 0) {
		end_reading(segments);
		return -1;
	}
	enqueue(segments);
	return 0;
}
