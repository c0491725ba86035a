/*
 * held.h -- one derived entry on its way through a request, whatever its payload: asked for,
 * opened, read, and made again when it was damaged. 
 *
 *	held_resolve     asks the resolver and opens what it gives, until it is open or failed
 *	held_read        reads any number of open ones; nothing read counts when one has changed
 *	held_invalidate  gives one up: the next held_resolve asks for it again
 *	held_release     lets go
 *
 * Payloads are mapped files that anybody may cut, extend or write meanwhile.  So whatever looks
 * into one runs inside guard_run(), and is believed only when cache_found_is_unchanged() says
 * so afterwards.  Two kinds of damage are told apart: a file that is not what was published is
 * made again and again, until the job's time is over; one that is, but makes no sense, was made
 * so, and a few tries are enough.
 */
#ifndef WORK_HELD_H
#define WORK_HELD_H

#include "work/work.h"

/* An entry that makes no sense is made again that often before it counts as malformed. */
#define HELD_SENSELESS_TRIES 2u

struct held {
	struct held *next;           /* of those that are read together, while it is open */
	struct derive derive;
	bool is_settled;             /* open or failed */
	enum err_kind failure;       /* of a settled one; ERR_NONE: it is open */
	struct text details;         /* of the failure, in the arena */
	struct cache_found found;    /* while it is open */
	unsigned senseless, changed; /* how often */
};

/* Reads what the entry is; -1: it makes no sense (ERR_NO_MEMORY: no room in the arena). */
typedef int held_open_fn(void *payload, struct text bytes, struct err *damage);

struct held_opening {
	held_open_fn *open;
	void *payload;               /* open's */
	struct arena *arena;
	struct held **list;          /* what it is read with later; NULL: it is let go once opened */
	bool is_kept_senseless;      /* making it again would bring the same */
};

/* READY: it is settled. */
enum resolved held_resolve(struct held *held, const struct held_opening *opening,
			   struct resolver *resolver, struct err *err);

/* Runs read(payload).  READY: it returned 0, and every entry of the list is what it was.  WAIT:
 * some were not, and have left the list unsettled; what was read means nothing.  `read` holds no
 * lock and owns nothing (base/guard.h). */
enum resolved held_read(struct held **list, int (*read)(void *payload), void *payload,
			struct resolver *resolver, struct err *err);

void held_invalidate(struct held *held, struct resolver *resolver, const char *why);
void held_release(struct held *held);

#endif
