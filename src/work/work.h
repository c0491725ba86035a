/*
 * work -- one request, three functions: parse, step, answer; and what is asked of a resolver.
 *
 * A kind parses a body, steps towards its answer asking a resolver for derived entries, and
 * writes the reply.  The front steps with a resolver that never blocks and says WAIT for what
 * is not there; the workshop's resolver starts fetching and converting instead.  The code is
 * the same, so a cold answer equals a hot one byte for byte.
 *
 * A step that met WAIT may be repeated any time; it goes on where it stands.
 *
 * May include: base, config, object (ids), source, fetch, cache, convert (its replies), symcache,
 * ppdbcache, sourcecache (their readers), cJSON.
 */
#ifndef WORK_WORK_H
#define WORK_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cache/cache.h"
#include "convert/convert.h"
#include "source/source.h"
#include "work/derived.h"

struct answer_head;
struct board;
struct buf;
struct semver;
struct config;

/* --- What can be asked of a resolver ---------------------------------------------------- */

/* A file that the cell asks for while it works; looked up before (lookup/companion_lookup.c), and part of the key. */
struct derive_companion {
	enum object_role role;
	struct text id, name;
	const struct derive *entry;          /* NULL: looked for and absent */
};

struct derive_link {                 /* not below any source */
	const char *url;
	const struct fetch_header *headers;
	size_t header_count;
	bool accept_invalid_certs;
	bool is_trusted;             /* may lead anywhere, to addresses of this network too */
};

/* One derived entry: its kind says which of these count (work/derived.h). */
struct derive {
	const struct derived_kind *kind;
	struct cache_key key;
	struct cache_key object_key;         /* CACHE_OBJECTS of the same location; else as `key` */
	const struct location *location;     /* NULL: the request's body */
	bool is_extract;             /* known of that file: the object is not all of it, or packed */
	const struct derive_link *link;
	const struct source_listing *listing;
	const struct derive *base;           /* what it is made of is that entry's file: it was ready when
	                                        it was asked for */
	struct text part;                    /* of the object: the section's name, the stretch of code, the number of a file in
	                                        a bundle; of a file: what a header says of its source map;
	                                        else TEXT_NONE */
	int64_t fresh_until;                 /* of a file from the web: unix seconds up to which it counts, unless
	                                        its server says something else; 0: by the times of its cache */
	const struct semver *version;        /* of a SymCache file for WPA */
	int64_t since;                       /* unix seconds; entries made before are made again */
	int64_t misses_since;                /* the same of what a source lacked, or failed to give */
	const struct derive_companion *companions;
	size_t companion_count;
};

/* What people are told it is about: a URI. */
struct text derive_subject(const struct derive *derive);
/* The file that is given away for it: the object, or what was derived. */
const struct cache_key *derive_file_key(const struct derive *derive);
/* That file is the answer: its blob, or where it lies below a folder of this machine. */
void derive_set_answer(const struct derive *derive, struct answer_head *head);
/* A file below a folder of this machine. */
bool derive_is_of_folder(const struct derive *derive);
/* For resolvers: such an entry is as good as absent.  That a folder lacks a file is never believed
 * but looked at (source_lacks()); what is remembered of it is for people who ask. */
bool derive_is_stale(const struct derive *derive, const struct cache_found *found,
		     struct source_absences *absences);
/* Where there is no such look, that failure is told to who waits and not remembered at all. */
bool derive_is_told_only(const struct derive *derive, enum err_kind failure);

enum resolved { RESOLVED_ERROR = -1, RESOLVED_READY, RESOLVED_WAIT };

/* Something a kind does itself that takes time: files written, summed, waited for.  All that run() touches is its
 * own from the first WAIT to READY, on a thread of its own: no arena that anything else uses. */
struct work_aside;
typedef int work_aside_fn(struct work_aside *aside, struct err *err);
struct work_aside {
	work_aside_fn *run;
	enum { WORK_ASIDE_NONE, WORK_ASIDE_ASKED, WORK_ASIDE_DONE } state;
	int rc;                      /* what run() returned, */
	struct err err;              /* and why */
};

struct resolver {
	/* READY fills *found (state READY or FAILED, never ABSENT); the caller releases it.
	 * WAIT: not yet; the derive and all it points to stay valid as long as the work. */
	enum resolved (*entry)(struct resolver *resolver, const struct derive *derive,
			       struct cache_found *found, struct err *err);
	/* Fills `readable` of every name, from memory or by a cell; arena is the work's. */
	enum resolved (*names)(struct resolver *resolver, struct convert_name *names, size_t count,
			       struct arena *arena, struct err *err);
	/* A READY entry turned out to be damaged: invalidates it; the next entry() makes it again. */
	void (*invalidate)(struct resolver *resolver, const struct derive *derive,
		      const struct cache_found *found, const char *why);
	/* This failure kept us from something better than what was taken instead: is it time to
	 * try it again?  Never waits, never fails; NULL: nobody does. */
	void (*refresh)(struct resolver *resolver, const struct derive *derive);
	/* Has it run, and lets the work be stepped when it has (work_aside()).  NULL: it is run at once. */
	int (*aside)(struct resolver *resolver, struct work_aside *aside, struct err *err);
	/* Where plans are remembered; NULL: nowhere. */
	struct plan_memo *memo;
	/* The first WAIT ends a step: set by a resolver that starts nothing by being asked. */
	bool stops_at_wait;
};

/* --- A request being answered ------------------------------------------------------------ */

struct work {
	const struct request_kind *kind;
	const struct config *config;
	const struct source_list *default_sources;   /* of the config file */
	struct text scope;           /* TEXT_NONE: global */
	struct arena arena;          /* owns everything below; ceiling limits.request_memory */
	struct board *board;         /* on which its kind counts; NULL: nowhere.  Set after work_init() */
	int64_t misses_since;        /* of what its sources are asked (struct derive); 0: as configured */
	void *state;
};

/* What was sent: bytes in memory, or a file that only a cell reads. */
struct work_body {
	struct text bytes;           /* of no file; of one the fields that were sent with it, a JSON
	                                object of strings, or nothing */
	int fd;                      /* -1: `bytes` are all; else for reading, its owner's */
	uint64_t size;
};

static inline struct work_body work_body_of(struct text bytes)
{
	return (struct work_body){ .bytes = bytes, .fd = -1, .size = bytes.size };
}

enum stepped { STEP_ERROR = -1, STEP_DONE, STEP_WAIT };

/* Of a step that ends with what the resolver said. */
static inline enum stepped work_stepped(enum resolved resolved)
{
	return resolved == RESOLVED_READY ? STEP_DONE : resolved == RESOLVED_WAIT ? STEP_WAIT : STEP_ERROR;
}

/* What a cell that works for the request asks for, by an identity its operation and the kind have
 * agreed on: "the unwind rules of this module". */
struct work_want {
	struct text role, id, name;  /* as the cell wrote them: hostile; in the work's arena */
	void *state;                 /* the kind's; NULL at first */
	const struct derive *entry;  /* out, in the arena: its file is the answer; NULL: there is none */
};

struct request_kind {
	const char *name;            /* "symbolicate": job rows, metrics */
	/* Bodies are uploaded files: they come as a descriptor, and go to a cell as they are. */
	bool takes_file;
	/* Its answers are envelopes with a `status`: who does not wait as long as it takes is told
	 * `pending` and an id to ask with, and failures are envelopes too.  Else 503 and HTTP's own. */
	bool has_pending;
	/* Headers of a request without a body that parse() gets: behind the path's rest, "?" and the query a
	 * line "Name: value" for each that was sent; in capitals and with "_" a variable of the web server's
	 * ("REMOTE_ADDR").  NULL-ended; NULL: none. */
	const char *const *headers;
	/* Who asks has to have an API key (apikey/apikey.h). */
	bool needs_key;
	/* Tells of a status of HTTP's from 400 on in the words of its protocol, as JSON: `text` is for people,
	 * `id` for the log.  NULL: as all others do. */
	void (*failure)(int status, struct text text, const char *id, struct buf *reply);
	/* Reads a body, which stays as long as the work.  ERR_BAD_REQUEST (400: not JSON), ERR_BAD_SHAPE (422: JSON, wrong shape),
	 * ERR_TOO_LARGE (413: needs more memory than one request may have). */
	int (*parse)(struct work *work, const struct work_body *body, struct err *err);
	enum stepped (*step)(struct work *work, struct resolver *resolver, struct err *err);
	/* The members of the completed reply, the whole envelope: {"status":"completed",...}. */
	int (*answer)(struct work *work, struct buf *reply, struct err *err);
	/* What is said of it before: status, type, headers; or that a file is the answer (an entry of the
	 * cache, or one in a folder), and answer() is not asked.  NULL: 200 and JSON. */
	int (*head)(struct work *work, struct answer_head *head, struct err *err);
	/* Seconds for which it believes what a source lacked or failed to give, should the configuration say
	 * longer; 0: as configured. */
	int64_t misses_seconds;
	/* Nothing remembered of that is believed: sources are asked anew. */
	bool asks_anew;
	/* The same, for requests whose query has `_refresh`; NULL: there is none. */
	const struct request_kind *anew;
	/* The body of one that failed is kept for a while, for diagnosis. */
	bool keeps_failed;
	/* When its time is nearly over it is answered without what is still missing, which it is told
	 * failed by ERR_TIMEOUT.  Else it ends as a timeout. */
	bool answers_late;
	/* It takes time: what is told at once to who asks again by himself.  false: he waits; NULL: all do. */
	bool (*later)(struct work *work, struct answer_head *head);
	/* READY: want->entry says what a cell is to be given.  May be repeated as a step may; by lookups
	 * of its own, or what the steps have looked up.  What it gives does not wait for wants
	 * itself.  One of the role CONVERT_WANT_AHEAD is looked for alike, and nobody waits for it.  NULL: cells
	 * that work for it may ask for nothing. */
	enum resolved (*want)(struct work *work, struct work_want *want, struct resolver *resolver,
			      struct err *err);
	/* Every candidate of every module and what became of it, as JSON; NULL: it has none. */
	int (*candidates)(struct work *work, struct buf *json, struct err *err);
	/* The body of a refusal that others word (by the front: no such method, too large, took too long),
	 * as its protocol has it, JSON; NULL: it stays as it is. */
	void (*refuse)(const struct config *config, int status, struct text words, struct buf *out);
	/* Web pages of any origin may ask it, as its protocol wants. */
	bool is_for_all_origins;
	/* The same with what it took, for requests with a header `Debug`; NULL: there is none. */
	const struct request_kind *with_figures;
	void (*release)(struct work *work);  /* holds given back; the arena is the caller's */
};

int  work_init(struct work *work, const struct request_kind *kind, const struct config *config,
	       const struct source_list *default_sources, struct text scope, struct err *err)
	__attribute__((warn_unused_result));
void work_release(struct work *work);
/* The three functions of its kind.  Memory that the system refused is ERR_NO_MEMORY here. */
int  work_parse(struct work *work, const struct work_body *body, struct err *err)
	__attribute__((warn_unused_result));
enum stepped work_step(struct work *work, struct resolver *resolver, struct err *err);
int  work_answer(struct work *work, struct buf *reply, struct err *err)
	__attribute__((warn_unused_result));
/* Of a kind that has one; as work_answer(). */
int  work_head(struct work *work, struct answer_head *head, struct err *err)
	__attribute__((warn_unused_result));

/* READY, once for each time: aside->rc and aside->err.  What was done for another function is nobody's: it is done
 * with, and then this one begins. */
enum resolved work_aside(struct work_aside *aside, work_aside_fn *run, struct resolver *resolver, struct err *err);

/* The result of a job: its head, where its kind has one, and its answer. */
int  work_result(struct work *work, struct buf *result, struct err *err)
	__attribute__((warn_unused_result));
enum work_end { WORK_FAILED, WORK_TIMEOUT, WORK_INTERNAL };
/* The result of one that came to no answer, as its kind tells that; NULL: nobody knows its kind. */
void work_end_result(const struct request_kind *kind, enum work_end end, const struct err *failure,
		     struct buf *result);

/* Every candidate of every module and what became of it, as JSON: for `symgate why`. */
int work_candidates(struct work *work, struct buf *json, struct err *err)
	__attribute__((warn_unused_result));

static inline int err_no_memory(struct err *err)
{
	return err_set(err, ERR_LIMIT, "the request needs more memory than one request may have");
}

#endif
