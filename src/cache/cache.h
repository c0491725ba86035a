/*
 * cache -- what was derived or downloaded once: entries, placeholders, single flight.
 *
 * An entry is a row; big payloads are blob files, small ones (object features) stand in the
 * row.  A failure is a row too, with the time after which we may ask again.  Each process
 * keeps a bounded table of rows it has read, valid while the board's generation stands and
 * for at most 5 s, with the blobs mapped.
 *
 * A blob is compared with its checksum when a process first maps it; whoever reads a payload
 * asks cache_found_is_unchanged() afterwards, before believing any of it.
 *
 * Thread-safe; each call is given its thread's store.  May include: base, config, store, board.
 */
#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/checksum.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/text.h"

struct arena;
struct board;
struct config;
struct store;

enum cache_kind {                    /* names: folder, JSON and SQL */
	CACHE_OBJECTS, CACHE_OBJECT_META, CACHE_AUXDIFS, CACHE_IL2CPP, CACHE_SYMCACHES,
	CACHE_CFICACHES, CACHE_PPDB_CACHES, CACHE_SOURCEMAP_CACHES, CACHE_SOURCEFILES,
	CACHE_PROGUARD, CACHE_SOURCE_INDEX, CACHE_SOURCES,
	CACHE_KINDS
};
const char *cache_kind_name(enum cache_kind kind);
bool cache_kind_named(struct text name, enum cache_kind *kind);
/* The version that is made now. */
int64_t cache_kind_version(enum cache_kind kind);

/* Which of the configuration's times and budgets count. */
enum cache_category { CACHE_DOWNLOADED, CACHE_DERIVED, CACHE_INDEX, CACHE_CATEGORIES };
enum cache_category cache_kind_category(enum cache_kind kind);

struct cache_key {
	enum cache_kind kind;
	struct text text;            /* "scope: S\n\nsource: ID\nlocation: URI\n" */
	struct text scope;           /* TEXT_NONE: global (and public: has its own retry times) */
	struct text module;          /* for people: "libfoo.so", may be TEXT_NONE */
	struct debugid debug_id;     /* of the module, for people; nil: unknown, */
	struct text code_id;         /* and then this counts; TEXT_NONE: unknown too */
	struct text source;          /* source id, for people and views */
	uint8_t hash[HASH_SHA256_BYTES];       /* of kind and text: tells keys apart */
	uint8_t text_hash[HASH_SHA256_BYTES];  /* SHA-256 of the text alone: rows and blob names */
	uint8_t credentials[HASH_SHA256_BYTES]; /* placeholders of `denied` and `not_found` hold for
	                                           these only; zero: none */
};
/* `rest` is the text after the scope line.  Copies into the arena. */
int cache_key_make(struct cache_key *key, struct arena *arena, enum cache_kind kind,
		   struct text scope, struct text rest, struct err *err)
	__attribute__((warn_unused_result));

/* From the hash of its text, as far as find and open_blob need it: without credentials. */
struct cache_key cache_key_of_hash(enum cache_kind kind, const uint8_t *text_hash);
/* The key of another kind with the same text: nothing is hashed again. */
struct cache_key cache_key_as(const struct cache_key *key, enum cache_kind kind);

/* Joins the service's boot with that store (store/boot.h), which has to stay open as long. */
struct cache;
int  cache_open(struct cache **cache, const struct config *config, struct board *board,
		struct store *store, struct err *err) __attribute__((warn_unused_result));
void cache_close(struct cache *cache);

enum cache_state { CACHE_ABSENT, CACHE_READY, CACHE_FAILED };
struct cache_found {
	enum cache_state state;
	struct text payload;         /* READY: mapped blob or small payload; empty where blobs are
	                                only handed out as descriptors (objects, maps of names) */
	enum err_kind failure;       /* FAILED */
	struct text details;         /* FAILED: the error's text */
	int64_t made_at;             /* unix seconds */
	bool is_outdated;            /* of an older version of its kind: good for an answer */
	struct cache_hold *hold;     /* keeps payload and details alive */
};
/* Never blocks on anything but the database.  An expired or deleted entry is ABSENT. */
int  cache_find(struct cache *cache, struct store *store, const struct cache_key *key,
		struct cache_found *found, struct err *err) __attribute__((warn_unused_result));
void cache_found_release(struct cache_found *found);   /* fine on a zeroed one */
/* To be asked after each use of a READY payload: false when the file was cut, extended or
 * written meanwhile, so that what was read means nothing.  One fstat(2). */
bool cache_found_is_unchanged(const struct cache_found *found);
/* Compares every byte: for who met a page that could not be read. */
bool cache_found_is_whole(const struct cache_found *found);
/* A descriptor on a READY blob; ERR_NOT_FOUND when somebody deleted it meanwhile.  Whoever reads
 * it compares it with the seal, which takes as long as reading it. */
int  cache_open_blob(struct cache *cache, struct store *store, const struct cache_key *key,
		     int *fd, struct checksum_seal *seal, struct err *err)
	__attribute__((warn_unused_result));
/* Who was given a descriptor met bytes that are not those of its seal.  They are compared, which
 * takes as long as reading them, and the entry goes with them: 1; 0 when it is sound after all, or
 * gone, or another by now; -1. */
int  cache_drop_if_damaged(struct cache *cache, struct store *store, const struct cache_key *key,
			   struct err *err) __attribute__((warn_unused_result));
/* Is the entry, as this process knows it, worth making again although it answers?  An outdated
 * one is, once a minute, unless its new version failed and that is remembered; a failure to get
 * a file is when it is an hour old, once an hour: somebody makes do with something else
 * meanwhile.  Who is told true sees to it: it asks the store nothing and is quick. */
bool cache_claim_refresh(struct cache *cache, const struct cache_key *key);
/* A failure to get a file, an hour old or more: in a refresh it does not count. */
bool cache_may_have_passed(const struct cache *cache, const struct cache_found *found);

/* What was found turned out to be damaged: the entry and its blob go, unless it has been made
 * again meanwhile.  When its file was touched, the next look compares its bytes first. */
void cache_invalidate(struct cache *cache, struct store *store, const struct cache_key *key,
		 const struct cache_found *found, const char *why);

/* The key of a ready entry of its kind's current version, as far as find and open_blob need it:
 * 1, 0 when there is no such entry any more, -1. */
int  cache_key_of_entry(struct store *store, int64_t id, struct cache_key *key, struct err *err)
	__attribute__((warn_unused_result));

/* A file to write into, on the blobs' file system. */
int  cache_temporary(struct cache *cache, char *path, size_t capacity, int *fd, struct err *err)
	__attribute__((warn_unused_result));
/* Makes the temporary file the entry's blob (fsync, rename, row, generation). */
int  cache_publish_file(struct cache *cache, struct store *store, const struct cache_key *key,
			int fd, const char *path, struct err *err)
	__attribute__((warn_unused_result));
int  cache_publish_small(struct cache *cache, struct store *store, const struct cache_key *key,
			 struct text payload, struct err *err) __attribute__((warn_unused_result));
/* Remembers a failure as its kind says (err_kind_is_lasting; the others are not stored). */
int  cache_publish_failure(struct cache *cache, struct store *store, const struct cache_key *key,
			   const struct err *failure, struct err *err)
	__attribute__((warn_unused_result));

/* Would a failure of that kind be remembered for more than an instant?  Else it is only told to
 * those who wait for it. */
bool cache_remembers(const struct cache *cache, const struct cache_key *key, enum err_kind failure);

/* Single flight across processes: 1 when the key is ours to make, 0 when somebody else has a
 * live lease on it or has just published it (wait for BOARD_CACHE_CHANGED, then look again),
 * -1 error.  An owner that claims again keeps what it has.  Outdated entries do not count. */
int  cache_claim(struct cache *cache, struct store *store, const struct cache_key *key,
		 const char *owner, struct err *err) __attribute__((warn_unused_result));
/* The same, but payloads made before `since` (unix seconds) do not count as published. */
int  cache_claim_since(struct cache *cache, struct store *store, const struct cache_key *key,
		       int64_t since, const char *owner, struct err *err)
	__attribute__((warn_unused_result));
/* The same, and no failure counts. */
int  cache_claim_unless_ready(struct cache *cache, struct store *store, const struct cache_key *key,
			      int64_t since, const char *owner, struct err *err)
	__attribute__((warn_unused_result));
/* The same for a refresh: failures an hour old do not count. */
int  cache_claim_again(struct cache *cache, struct store *store, const struct cache_key *key,
		       const char *owner, struct err *err) __attribute__((warn_unused_result));
/* Renews every lease of this owner; call every few seconds. */
int  cache_claims_renew(struct cache *cache, struct store *store, const char *owner,
			struct err *err) __attribute__((warn_unused_result));
/* This owner has died: its leases end now. */
int  cache_claims_release_dead_owner(struct cache *cache, struct store *store, const char *owner,
		       struct err *err) __attribute__((warn_unused_result));
/* Publishing releases; this is for giving up without a result.  False: the row is still there
 * (a full disk), and stays as long as its owner renews its leases: to be tried again. */
bool cache_unclaim(struct cache *cache, struct store *store, const struct cache_key *key,
		   const char *owner);

/* --- For the keeper and the command line ---------------------------------------------- */

/* Writes out what board_touch() has gathered; once a minute is plenty. */
int cache_write_touches(struct cache *cache, struct store *store, struct err *err)
	__attribute__((warn_unused_result));

/* One round: touches written, expired and over-quota entries removed, orphan files and temporary
 * files older than their time removed, flights of the dead cleared.  All of it is tried, whatever
 * fails; the first error is told. */
struct cache_round {
	uint64_t removed_entries, removed_bytes, orphan_files, kept_bytes, kept_entries;
	uint64_t temporary_bytes;    /* of files on their way in: they count against the quota */
};
int cache_clean(struct cache *cache, struct store *store, bool dry_run, struct cache_round *round,
		struct err *err) __attribute__((warn_unused_result));
/* The same, but what is merely expired stays. */
int cache_keep_quota(struct cache *cache, struct store *store, struct cache_round *round,
		     struct err *err) __attribute__((warn_unused_result));
/* How many bytes it may hold; CONFIG_UNLIMITED. */
uint64_t cache_quota(const struct cache *cache);

#endif
