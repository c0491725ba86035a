/*
 * cache -- what was derived or downloaded once: entries, placeholders, single flight.
 *
 * An entry is a row; large payloads are blob files, small ones (object features) are a column of the
 * row.  A remembered failure (placeholder) is a row too, with the time after which it is tried again.
 * Each process keeps a bounded table of rows it has read, with their blobs mapped; it is valid until the
 * board's generation changes and for at most 5 s.
 *
 * A blob's checksum is verified when a process first maps it.  Readers of a payload call
 * cache_found_is_unchanged() after reading and discard what they read when it is false.
 *
 * Thread-safe; each call is given its thread's store.  With one that only reads (store_only_read) nothing here
 * waits for whoever writes: an entry found damaged is noted as absent, and dropped when its key is claimed.
 * May include: base, config, store, board.
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
	CACHE_PROGUARD, CACHE_SOURCE_INDEX, CACHE_SOURCES, CACHE_SECTIONS, CACHE_SYMBFILES,
	CACHE_WPA_SYMCACHES,
	CACHE_KINDS
};
const char *cache_kind_name(enum cache_kind kind);
bool cache_kind_named(struct text name, enum cache_kind *kind);
/* The version that is made now. */
int64_t cache_kind_version(enum cache_kind kind);

/* Which of the configuration's expiry times and budgets apply. */
enum cache_category { CACHE_DOWNLOADED, CACHE_DERIVED, CACHE_INDEX, CACHE_CATEGORIES };
enum cache_category cache_kind_category(enum cache_kind kind);

struct cache_key {
	enum cache_kind kind;
	struct text text;            /* "scope: S\n\nsource: ID\nlocation: URI\n" */
	struct text scope;           /* TEXT_NONE: global (public files have retry times of their own) */
	struct text module;          /* for display: "libfoo.so"; may be TEXT_NONE */
	struct debugid debug_id;     /* of the module, for display; nil: unknown */
	struct text code_id;         /* for display; TEXT_NONE: unknown */
	struct text debug_file, code_file;   /* likewise */
	struct text release;         /* for display; TEXT_NONE: of none */
	int64_t fresh_until;         /* what is published is absent from then on (unix seconds); 0: by the
	                                times of its kind alone */
	struct text etag, last_modified;     /* by what its server names the version that is published; empty: by
	                                        nothing.  Past fresh_until it can be believed once more */
	struct text source;          /* source id, for people and views */
	uint8_t hash[HASH_SHA256_BYTES];       /* of kind and text: the identity of a key */
	uint8_t text_hash[HASH_SHA256_BYTES];  /* SHA-256 of the text alone: rows and blob names */
	uint8_t credentials[HASH_SHA256_BYTES]; /* keyed hash: placeholders of `denied` and `not_found` are
	                                           valid only for these credentials; zero: none */
};
/* `rest` is the text after the scope line.  Copies into the arena. */
int cache_key_make(struct cache_key *key, struct arena *arena, enum cache_kind kind,
		   struct text scope, struct text rest, struct err *err)
	__attribute__((warn_unused_result));

/* A key for cache_find() and cache_open_blob() made of text_hash alone; it has no text and no credentials. */
struct cache_key cache_key_of_hash(enum cache_kind kind, const uint8_t *text_hash);
/* The same key with another kind; text_hash is reused. */
struct cache_key cache_key_as(const struct cache_key *key, enum cache_kind kind);
/* The same, of a key that is a copy already. */
void cache_key_set_kind(struct cache_key *key, enum cache_kind kind);

/* Joins the service's boot (store/boot.h) by `store`, which must stay open until cache_close(). */
struct cache;
int  cache_open(struct cache **cache, const struct config *config, struct board *board,
		struct store *store, struct err *err) __attribute__((warn_unused_result));
void cache_close(struct cache *cache);

enum cache_state { CACHE_ABSENT, CACHE_READY, CACHE_FAILED };
struct cache_found {
	enum cache_state state;
	struct text payload;         /* READY: the mapped blob or small payload; empty for kinds whose blobs
	                                are given out only as descriptors (objects, auxiliary files) */
	enum err_kind failure;       /* FAILED */
	struct text details;         /* FAILED: the error's text */
	int64_t made_at;             /* unix seconds */
	bool is_outdated;            /* of an older version of its kind: still usable */
	struct cache_hold *hold;     /* keeps payload and details alive */
};
/* Never blocks on anything but the database.  An expired or deleted entry is ABSENT. */
int  cache_find(struct cache *cache, struct store *store, const struct cache_key *key,
		struct cache_found *found, struct err *err) __attribute__((warn_unused_result));
void cache_found_release(struct cache_found *found);   /* fine on a zeroed one */
/* To be called after each use of a READY payload: false when the file was truncated, extended or
 * overwritten meanwhile, and what was read has to be discarded.  Costs one fstat(2). */
bool cache_found_is_unchanged(const struct cache_found *found);
/* Verifies the checksum over the whole payload: for a reader that met an unreadable page (SIGBUS). */
bool cache_found_is_whole(const struct cache_found *found);
/* A descriptor on a READY blob, the caller's to close; ERR_NOT_FOUND when the file was deleted meanwhile.
 * It is not verified: its reader checks it against *seal (size and checksum), which reads all of it. */
int  cache_open_blob(struct cache *cache, struct store *store, const struct cache_key *key,
		     int *fd, struct checksum_seal *seal, struct err *err)
	__attribute__((warn_unused_result));
/* For when the reader of a descriptor found that the bytes do not match the seal: verifies the blob, which
 * reads all of it, and removes the entry when it is damaged.  1: removed; 0: the blob is sound, gone, or
 * replaced by now; -1. */
int  cache_drop_if_damaged(struct cache *cache, struct store *store, const struct cache_key *key,
			   struct err *err) __attribute__((warn_unused_result));
/* Claims the refresh of an entry that can still be used: true when the caller is to submit it.  True at
 * most once a minute for an outdated entry (never while a failure of its new version is remembered), and
 * at most once an hour for a failed download that is an hour old or more.  Decided from this process's
 * memory alone, without a query. */
bool cache_claim_refresh(struct cache *cache, const struct cache_key *key);
/* Is it of a kind that another try may mend? */
static inline bool cache_failure_may_pass(enum err_kind failure)
{
	return failure == ERR_NOT_FOUND || failure == ERR_DENIED || failure == ERR_TIMEOUT ||
	       failure == ERR_DOWNLOAD;
}
/* Is it a failed download an hour old or more?  A refresh tries those again. */
bool cache_may_have_passed(const struct cache *cache, const struct cache_found *found);

/* The payload turned out to be damaged: removes the entry and its blob, unless it has been replaced
 * meanwhile.  If the file was modified since it was mapped, the next cache_find() verifies the
 * checksum instead. */
void cache_invalidate(struct cache *cache, struct store *store, const struct cache_key *key,
		 const struct cache_found *found, const char *why);

/* The key, as cache_find() and cache_open_blob() need it, of the ready entry with this row id and its kind's
 * current version: 1; 0: there is no such entry any more; -1. */
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
/* A payload past its fresh_until that is in all else as good as new: 1; 0: there is none whose version its server
 * has named; -1.  The texts are in the arena. */
struct cache_stale {
	int64_t id;                  /* of its row */
	struct text etag, last_modified;     /* either may be empty */
};
int  cache_find_stale(struct cache *cache, struct store *store, const struct cache_key *key,
		      struct arena *arena, struct cache_stale *stale, struct err *err)
	__attribute__((warn_unused_result));
/* Its server says that it still is what was published: from now on it counts until the key's fresh_until, by the
 * key's names of the version where it has some.  1, and the key's claim has ended; 0: it is gone; -1. */
int  cache_renew(struct cache *cache, struct store *store, const struct cache_key *key, int64_t id,
		 struct err *err) __attribute__((warn_unused_result));
/* Remembers a failure as its kind says (err_kind_is_lasting; the others are not stored). */
int  cache_publish_failure(struct cache *cache, struct store *store, const struct cache_key *key,
			   const struct err *failure, struct err *err)
	__attribute__((warn_unused_result));

/* Is a failure of that kind stored?  If not, only those waiting for the entry now hear of it. */
bool cache_remembers(const struct cache *cache, const struct cache_key *key, enum err_kind failure);

/* Single flight across processes: takes a lease on making the entry.  1: the caller makes it; 0: another
 * owner has a live lease, or has just published the entry (wait for BOARD_CACHE_CHANGED, then look
 * again); -1 error.  Claiming what one holds already is fine.  Outdated entries count as absent. */
int  cache_claim(struct cache *cache, struct store *store, const struct cache_key *key,
		 const char *owner, struct err *err) __attribute__((warn_unused_result));
/* The same; payloads made before `since` and failures remembered before `misses_since` (unix seconds) count
 * as absent too. */
int  cache_claim_since(struct cache *cache, struct store *store, const struct cache_key *key,
		       int64_t since, int64_t misses_since, const char *owner, struct err *err)
	__attribute__((warn_unused_result));
/* The same; remembered failures count as absent too. */
int  cache_claim_unless_ready(struct cache *cache, struct store *store, const struct cache_key *key,
			      int64_t since, const char *owner, struct err *err)
	__attribute__((warn_unused_result));
/* As cache_claim(), for a refresh: failures an hour old count as absent. */
int  cache_claim_again(struct cache *cache, struct store *store, const struct cache_key *key,
		       const char *owner, struct err *err) __attribute__((warn_unused_result));
/* Renews every lease of this owner; call every few seconds. */
int  cache_claims_renew(struct cache *cache, struct store *store, const char *owner,
			struct err *err) __attribute__((warn_unused_result));
/* Ends all leases of an owner that has died. */
int  cache_claims_release_dead_owner(struct cache *cache, struct store *store, const char *owner,
		       struct err *err) __attribute__((warn_unused_result));
/* Gives up a claim without a result; publishing releases claims by itself.  False: the row could not be
 * deleted (a full disk) and stays as long as its owner renews its leases: try again. */
bool cache_unclaim(struct cache *cache, struct store *store, const struct cache_key *key,
		   const char *owner);

/* --- For the keeper and the command line ---------------------------------------------- */

/* Writes the times of use that board_touch() has collected into the rows; once a minute is enough. */
int cache_write_touches(struct cache *cache, struct store *store, struct err *err)
	__attribute__((warn_unused_result));

/* One round: touches written, expired and over-quota entries removed, orphan files and temporary
 * files older than their time removed, claims of dead owners ended.  Every part is tried, whatever
 * fails; the first error is returned. */
struct cache_round {
	uint64_t removed_entries, removed_bytes, orphan_files, kept_bytes, kept_entries;
	uint64_t temporary_bytes;    /* of files being written: they count against the quota */
};
int cache_clean(struct cache *cache, struct store *store, bool dry_run, struct cache_round *round,
		struct err *err) __attribute__((warn_unused_result));
/* The same, but no entry is removed for being expired. */
int cache_keep_quota(struct cache *cache, struct store *store, struct cache_round *round,
		     struct err *err) __attribute__((warn_unused_result));
/* The quota in bytes, or CONFIG_UNLIMITED. */
uint64_t cache_quota(const struct cache *cache);

#endif
