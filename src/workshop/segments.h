/*
 * segments.h -- all segments of a symstore's index in one file, which a single cell reads.
 *
 * 1. Nothing here looks at what a source said: it is moved from descriptor to descriptor.
 * 2. Each segment that had to be fetched is remembered as it came: when the store grows only the
 *    new ones are fetched.
 * 3. A store has thousands of segments, on local disks all of them at once: a turn of the loop
 *    reads only a slice; those that wait for the next turn stand in a queue.
 */
#ifndef WORKSHOP_SEGMENTS_H
#define WORKSHOP_SEGMENTS_H

#include "workshop/obtain.h"

struct segments;
struct segments_queue { struct segments *first; size_t count; };

/* All are in the file, or why not (NULL: they are). */
typedef void segments_told_fn(struct segments *segments, const struct err *failure);

struct segments_reading;
struct segments {
	struct workshop_means *means;        /* these four are the caller's to set */
	struct arena *arena;
	struct segments_queue *queue;
	segments_told_fn *told;

	const struct source_listing *listing;
	struct temporary file;               /* as far as they are read; the caller's to take */
	struct segments_reading *reading;    /* NULL: nothing is under way */
	struct segments *next;               /* in the queue */
	bool is_queued;
};

/* told() comes from a later turn. */
int  segments_begin(struct segments *segments, const struct source_listing *listing, struct err *err)
	__attribute__((warn_unused_result));
void segments_stop(struct segments *segments);
void segments_read_on(struct segments_queue *queue);         /* a slice of each */

#endif
