/*
 * internal -- the workshop's own: what a job, a task and a running cell look like.
 *
 * Ownership: the shop owns all of them.  A carried job is kept while its row is ours or any
 * task was made from its work (`references`), since a task's derive lies in that work's arena.
 */
#ifndef WORKSHOP_INTERNAL_H
#define WORKSHOP_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "cache/cache.h"
#include "convert/demangler.h"
#include "fetch/fetch.h"
#include "job/job.h"
#include "credentials/credentials.h"
#include "sandbox/sandbox.h"
#include "work/work.h"
#include "workshop/cell_queue.h"
#include "workshop/workshop.h"

#define SHOP_PATH_BYTES 4096u

struct board;
struct cache;
struct shared;
struct shared_ask;
struct shop;
struct task;
struct store;

/* A fact that must not be remembered, told to the jobs that waited for it. */
struct passing_failure {
	uint8_t hash[HASH_SHA256_BYTES];
	enum cache_kind kind;
	struct err status;
};

/* What one job asks of the demangler; it asks once. */
struct question {
	struct question *next;
	struct carried *carried;
	struct convert_name *names;  /* the thread's while it is asked */
	size_t count;
	struct arena arena;          /* the readable names; lives with the job */
	bool failed, collected;
	struct err err;
};

/* A thread that asks the demangler, so that the loop need not wait. */
struct asker {
	struct demangler *demangler;
	pthread_t thread;
	bool has_thread;
	int fd;                      /* eventfd: something was answered */
	pthread_mutex_t lock;        /* guards the rest */
	pthread_cond_t wake;
	struct question *asked, *answered;
	bool stopping;
};

struct carried {
	struct resolver resolver;    /* first: the resolver's functions get back here */
	struct shop *shop;
	struct carried *next;
	struct job job;
	const struct request_kind *kind;     /* NULL: this build knows none of that name */
	struct work_body body;       /* the command line's, or a row's; its file is ours to close */
	struct work work;            /* once it is_begun */
	unsigned references;         /* tasks made from this work */
	bool has_row;                /* false: the command line's, or ended */
	bool is_refresh;             /* nobody waits for its answer: it makes things again */
	unsigned refreshes;          /* tasks of that kind under way */
	bool improved;               /* one of them made something */
	bool ready;                  /* something it waited for has ended: step it */
	bool ended;
	bool is_begun;               /* its body is read */
	bool is_done;                /* all its steps are: what is left is the answer */
	bool has_to_begin_anew;      /* as soon as there is memory for it */
	enum job_state end_state;    /* how it ends instead; JOB_UNKNOWN: undecided */
	struct err failure;          /* and why */
	struct err trouble;          /* our own failure that holds it up; ERR_NONE: nothing does */
	int64_t failing_since_millis;
	int64_t again_millis;        /* when it is tried again; or 0 */
	unsigned tries;
	int64_t deadline_millis;     /* monotonic */
	int64_t started_millis;
	struct passing_failure *failures;
	size_t failure_count, failure_capacity;
	struct question *question;   /* NULL: nothing asked yet */
	struct buf *reply;           /* the command line's: where the reply goes */
	struct buf *candidates;
};

static inline struct carried *carried_of(struct resolver *resolver)
{
	return (struct carried *)(void *)resolver;
}

enum task_stage {
	TASK_CLAIMING,               /* another process makes it, or we have not asked yet */
	TASK_FETCHING,               /* a transfer is under way */
	TASK_INSPECTING,             /* queued for, or in, an inspect cell */
	TASK_CONVERTING,             /* queued for, or in, a symcache cell */
	TASK_RESTING,                /* our own failure stopped it: it begins again in a moment */
	TASK_ENDED
};

/* An object_fd is there, or why not (NULL: none). */
typedef void obtained_fn(struct task *task, const struct err *failure);

struct task {
	struct shop *shop;
	struct task *next;
	uint8_t map_key[HASH_SHA256_BYTES + 1];
	const struct derive *derive; /* in maker's arena */
	struct carried *maker;
	enum task_stage stage;
	bool claimed;
	bool is_refresh;             /* what is there answers until this has ended */
	struct err trouble;          /* of the last try; ERR_NONE: there was none before */
	int64_t failing_since_millis, again_millis;
	unsigned tries;              /* that our own failures ended */
	uint32_t cache_word_seen;    /* when the row was last looked at, by whom another makes it */
	int64_t looked_millis;
	struct carried **waiting;
	size_t waiting_count, waiting_capacity;

	obtained_fn *obtained;       /* who is told when the file below is there */
	const struct location *obtaining;
	uint64_t obtain_bytes;
	struct credential_wait credential;       /* where its source wants one */
	struct listing *listing;     /* DERIVE_LISTING */

	struct fetch *fetch;
	int object_fd;               /* what was fetched or opened; -1 */
	struct checksum_seal object_seal;    /* of one that is in the cache: what it must be */
	char object_path[SHOP_PATH_BYTES];   /* temporary file of a download; "" otherwise */
	int out_fd;                  /* what a cell writes */
	char out_path[SHOP_PATH_BYTES];
	bool is_copy;                /* the object came by transfer and gets published */
	bool object_is_shared;       /* from the shared cache, and not known to be one yet */
	struct shared_ask *ask;      /* of the shared cache; NULL: nothing is asked */
	bool is_local;               /* somebody else's file, mapped in place */
	int64_t local_size, local_changed_nanos;   /* as it was when we opened it */

	struct cell_handle *cell;
	struct cell_claim claim;     /* waits for a cell, or has one */
	bool has_lost_companion;     /* a file that was there when the job looked is gone */
	unsigned lost_cells;         /* ended by no fault of the file, in this try */
	unsigned damaged_inputs;     /* from the cache; got anew */
};

/* A claim of a task that has ended, still in its row. */
struct owed_claim {
	enum cache_kind kind;
	uint8_t hash[HASH_SHA256_BYTES], text_hash[HASH_SHA256_BYTES];
};

struct shop {
	const struct config *config;
	struct nursery *nursery;
	struct board *board;
	struct store *store;
	struct cache *cache;
	struct fetcher *fetcher;
	struct credentials credentials;
	struct shared *shared;       /* NULL: there is none */
	struct demangler *demangler;
	struct asker asker;
	struct jobs jobs;
	struct arena arena;          /* default sources */
	struct source_list default_sources;
	char owner[WORKSHOP_NAME_BYTES];

	struct carried *carried;
	size_t carried_count;        /* with a row and not ended */
	struct task *tasks;
	struct map by_key;
	struct cell_queue cells;
	uint64_t refreshes[CACHE_CATEGORIES];
	size_t resting_count;        /* listings that go on in the next turn */

	bool is_answered;            /* the command line's one job has ended */
	struct err failure;          /* our own, which it ended with */
	bool stopping, leaving;
	int64_t renewed_millis, worked_millis;
	struct fetch_poll *polls;
	size_t poll_capacity;
	struct task **poll_tasks;
	size_t poll_task_capacity;
	struct owed_claim *owed;
	size_t owed_count, owed_capacity;
};

/* shop.c */
int  shop_open(struct shop *shop, const struct config *config, struct nursery *nursery,
	       const char *name, struct err *err) __attribute__((warn_unused_result));
void shop_close(struct shop *shop);
/* One turn: `bells` are descriptors of the caller's to watch as well. */
int  shop_turn(struct shop *shop, struct fetch_poll *bells, size_t bell_count, int millis,
	       struct err *err) __attribute__((warn_unused_result));

/* How long what our own failure stopped waits before its next try. */
int64_t shop_pause_millis(unsigned tries);

/* carry.c */
int  carry_claim(struct shop *shop, struct err *err) __attribute__((warn_unused_result));
struct carried *carry_new(struct shop *shop, struct err *err);
int64_t carry_next_millis(const struct shop *shop);  /* when one is tried again or ends */
void carry_step_ready(struct shop *shop);
void carry_end_overdue(struct shop *shop);
void carry_give_back(struct shop *shop);
void carry_drop_unreferenced(struct shop *shop);
void carry_note_failure(struct carried *carried, const struct cache_key *key,
			const struct err *status);

/* task.c */
struct task *task_for(struct shop *shop, struct carried *carried, const struct derive *derive,
		      struct err *err);
/* The same for an entry that answers but is made again: NULL too when that is under way. */
struct task *task_again(struct shop *shop, struct carried *carried, const struct derive *derive,
			struct err *err);
int  task_wait(struct task *task, struct carried *carried, struct err *err)
	__attribute__((warn_unused_result));
void task_recheck_flights(struct shop *shop);
int64_t task_next_millis(const struct shop *shop);   /* when one begins again; INT64_MAX: none */
/* What keeps one of its tasks from being done, and since when; NULL: nothing. */
const struct err *tasks_trouble(const struct carried *carried, int64_t *since_millis);
void task_drop_ended(struct shop *shop);
/* failure NULL: it is published.  Our own failure ends only this try: it begins again. */
void task_end(struct task *task, const struct err *failure);
void task_abandon_all(struct shop *shop);
void task_settle_claims(struct shop *shop);       /* tries again to give up what is owed */

/* making.c */
void making_begin(struct task *task);             /* the key is ours: get the object */
void making_obtain(struct task *task);            /* from where it lies */
void making_use_object(struct task *task);        /* object_fd is there */
void making_take_out(struct task *task);          /* the out file becomes the object */
void making_drop_out(struct task *task);
void making_cell_ended(struct task *task, const struct cell_event *event);
void making_cell_lost(struct task *task, const struct err *why);   /* by no fault of the file */
void making_convert(struct task *task);           /* object_fd is what a cell turns into the result */
/* object_fd is somebody else's file: how it is now. */
int  making_note_local(struct task *task, struct err *err) __attribute__((warn_unused_result));
/* 1: the payload is open, 0: there is none, -1: a failure is remembered or happened. */
int  making_open_known(struct shop *shop, const struct cache_key *key, int *fd,
		       struct checksum_seal *seal, struct err *err)
	__attribute__((warn_unused_result));
int  making_companion(struct task *task, const struct cell_event *event, int *fd,
		      struct checksum_seal *seal, struct err *err)
	__attribute__((warn_unused_result));

/* obtain.c: each may end the task before it returns. */
int  obtain(struct task *task, const struct location *location, uint64_t max_bytes,
	    obtained_fn *obtained, struct err *err) __attribute__((warn_unused_result));
int  obtain_order(struct task *task, struct fetch_order *order, uint64_t max_bytes,
		  obtained_fn *obtained, struct err *err) __attribute__((warn_unused_result));
void obtain_forget(struct task *task);            /* the file is not needed any more */

/* refresh.c */
void refresh_ask(struct resolver *resolver, const struct derive *derive);
void refresh_begun(struct task *task);
void refresh_ended(struct task *task, bool made);  /* fine for others */
bool refresh_may_try(const struct task *task);     /* though its object failed some time ago */
bool refresh_goes_on(const struct carried *carried);

/* sharing.c */
void sharing_open(struct shop *shop, bool uploads);
void sharing_begin(struct task *task);            /* the key is ours: asked for, or made */
bool sharing_ask_object(struct task *task);       /* true: then it is made from what comes */
/* An entry of the task's was published; fd -1: it is a small one. */
void sharing_made(struct task *task, const struct cache_key *key, int fd);
/* A cell did not take the object: when it was a shared one, another is obtained. */
bool sharing_refuse_object(struct task *task, const struct err *why);
void sharing_leave(struct task *task);

/* listing.c */
int  listing_publish(struct task *task, struct err *err) __attribute__((warn_unused_result));
void listing_begin(struct task *task);
void listing_cell_ended(struct task *task, const struct err *failure);   /* NULL: it is done */
void listing_release(struct task *task);
void listings_read_on(struct shop *shop);         /* those that rest, a slice each */

/* cells.c */
void cells_queue(struct task *task);
void cells_start_queued(struct shop *shop);
void cells_hear(struct task *task);
void cells_kill(struct task *task);
void cells_end_overdue(struct shop *shop);
void cells_make_way(struct shop *shop);           /* where one has them all for too long */

/* asker.c */
int  asker_open(struct asker *asker, struct demangler *demangler, struct err *err)
	__attribute__((warn_unused_result));
void asker_close(struct asker *asker);
/* WAIT: the job is made ready when the answer is there. */
enum resolved asker_resolve(struct asker *asker, struct carried *carried,
			    struct convert_name *asked, size_t count, struct err *err);
void asker_collect(struct asker *asker);
void asker_forget(struct carried *carried);

#endif
