/* cache_internal.h -- what the cache's own files share; nobody else includes this but its tests. */
#ifndef CACHE_CACHE_INTERNAL_H
#define CACHE_CACHE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/checksum.h"
#include "base/file.h"
#include "cache/cache.h"
#include "config/config.h"
#include "store/boot.h"
#include "store/store.h"

#define CACHE_PATH_BYTES       4096u
#define CACHE_REREAD_MILLIS    5000      /* edits in the sqlite3 shell take effect after that */
#define CACHE_TOUCH_SECONDS    3600      /* used_at is kept to the hour */
#define CACHE_ASK_SECONDS      60        /* a failure's asks: one per process and minute */
#define CACHE_SHARE_OF_256      13u      /* of the touches, 5 %: told to the shared cache again */
#define CACHE_LEASE_SECONDS    15
#define CACHE_RENEW_MILLIS     60000     /* outdated entries: asks for a refresh, per process */
#define CACHE_UPGRADE_SECONDS  3600      /* failures: how long before another try may help */
#define CACHE_SLACK_SECONDS    5         /* how far ahead a stored time may be */
#define CACHE_ORPHAN_SECONDS   60
#define CACHE_HELD_SECONDS     3600      /* temporary files, where nothing tells who holds them */
#define CACHE_BATCH            500       /* rows per transaction of the keeper */
#define CACHE_SMALL_BYTES      ((size_t)1 << 20)   /* a payload in a row */
#define CACHE_ROW_COST_BYTES   1024u     /* what a row counts against the quota */

#define CACHE_KEY_SHOWN_BYTES  2048u     /* longer texts of keys are not kept */

#define CACHE_SHARDS           16u
#define CACHE_BUCKETS          1024u     /* of one shard */
#define CACHE_ROWS_PER_SHARD   1024u     /* placeholders, small payloads, absences */
#define CACHE_MAPS_PER_SHARD   128u      /* mapped blobs */
#define CACHE_FDS_MOST         4096u     /* kept to look at mapped blobs again */
#define CACHE_DAMAGES          64u       /* noted by readers; what is forgotten is met again */
#define CACHE_MISMATCHED       0         /* no entry has that id */

/* The facts of a row; plain values. */
struct cache_entry {
	int64_t id;                  /* 0: there is no row */
	enum cache_kind kind;
	enum err_kind failure;       /* ERR_NONE: ready */
	uint64_t size_bytes;
	struct checksum_seal seal;   /* of a blob; not set: of an older program */
	int64_t version;
	bool is_blob;                /* ready, and the payload is a file */
	bool is_kept;                /* outdated, and the failure of its new version remembered */
	bool is_global;
	bool is_of_this_build;
	int64_t boot, made_at, used_at, repeats;
	int64_t fresh_until;         /* 0: by the times of its kind alone */
	bool is_versioned;           /* its server can be asked whether it still is the same (the keeper's) */
};

/* A row as this process knows it: in the table, held by callers, or both. */
struct cache_hold {
	struct cache_hold *next;             /* of its bucket */
	struct cache_hold *newer, *older;    /* of its list; the table's lock */
	struct cache *cache;
	uint8_t hash[HASH_SHA256_BYTES];
	uint8_t text_hash[HASH_SHA256_BYTES];
	uint8_t credentials[HASH_SHA256_BYTES];
	uint32_t generation;
	int64_t read_at_millis;
	int64_t asked_at;                    /* a failure's last touch */
	int64_t refreshed_millis;            /* when somebody was told to make it again; 0: never */
	struct cache_entry entry;
	struct file_map map;
	int fd;                              /* of the mapped file; -1: by its path */
	struct stat stamp;                   /* of a blob, when its bytes were compared */
	atomic_bool is_proven;               /* the stamp tells every change since */
	char *bytes;                         /* details or a small payload; NUL-ended */
	size_t byte_count;
	atomic_uint holders;                 /* the table counts as one */
};

enum cache_list { CACHE_LIST_ROWS, CACHE_LIST_MAPS, CACHE_LISTS };

struct cache_shard {
	pthread_mutex_t lock;
	struct cache_hold *buckets[CACHE_BUCKETS];
	struct {
		struct cache_hold *newest, *oldest;
		unsigned count;
	} lists[CACHE_LISTS];
};

/* A damaged entry that only readers have met. */
struct cache_damage {
	enum cache_kind kind;
	uint8_t hash[HASH_SHA256_BYTES];
	int64_t id;                  /* of its row; CACHE_MISMATCHED: whichever its blob does not fit */
};

struct cache {
	const struct config *config;
	struct board *board;
	char *folder;                        /* cache_dir */
	uint8_t credentials_key[HASH_SHA256_BYTES];
	atomic_llong boot;                   /* the newest we know of */
	atomic_llong boot_read_at_millis;
	atomic_uint kept_fds;
	unsigned most_fds;
	int64_t (*now)(void);                /* unix seconds; tests set their own */
	int64_t (*now_millis)(void);         /* monotonic */
	pthread_mutex_t damage_lock;         /* guards the two that follow */
	struct cache_damage damages[CACHE_DAMAGES];
	unsigned damage_next;                /* where the next goes, over the oldest */
	atomic_uint damage_count;            /* read without the lock: 0 is the usual case */
	struct cache_shard shards[CACHE_SHARDS];
};

/* --- kind.c --------------------------------------------------------------------------- */

/* The oldest version that still answers: at most the current one. */
int64_t cache_kind_oldest(enum cache_kind kind);
const struct config_cache_times *cache_kind_times(const struct config *config, enum cache_kind kind);
/* The name in SQL: "ready" or the kind of failure; and back (false: neither). */
const char *cache_state_name(enum err_kind failure);
bool cache_state_named(struct text name, enum err_kind *failure);
/* hash from text_hash, as cache_key_make() does it. */
void cache_fold_hash(uint8_t *hash, enum cache_kind kind, const uint8_t *text_hash);

/* The key's text as it may be shown: without passwords in URLs.  TEXT_NONE when it is too long. */
struct text cache_key_shown(const struct cache_key *key, char out[CACHE_KEY_SHOWN_BYTES]);

/* Are its blobs mapped by this process?  The others are only given out as descriptors. */
bool cache_kind_is_mapped(enum cache_kind kind);

/* --- expiry.c: the one place that judges ---------------------------------------------- */

/* How long that failure is remembered; CONFIG_NEVER: for good. */
int64_t cache_retry_seconds(const struct cache *cache, const struct cache_entry *entry);
/* When it expires if it is not used until then; CONFIG_NEVER: not by time. */
int64_t cache_expires_at(const struct cache *cache, const struct cache_entry *entry);
bool cache_is_expired(const struct cache *cache, const struct cache_entry *entry, int64_t now);
/* May the keeper remove it?  Some expired rows still say how often something happened. */
bool cache_is_removable(const struct cache *cache, const struct cache_entry *entry, int64_t now);

/* --- table.c -------------------------------------------------------------------------- */

struct cache_hold *cache_hold_new(struct cache *cache, const struct cache_key *key);
void cache_hold_drop(struct cache_hold *hold);
void cache_table_init(struct cache *cache);
void cache_table_release(struct cache *cache);
struct cache_shard *cache_table_lock(struct cache *cache, const uint8_t *hash);
void cache_table_unlock(struct cache_shard *shard);
/* With the lock: the row of that key, now the newest of its list; NULL. */
struct cache_hold *cache_table_get(struct cache_shard *shard, const struct cache_key *key);
/* Puts the row in, replacing the one of its key; the caller keeps its own hold. */
void cache_table_put(struct cache *cache, struct cache_hold *hold);
void cache_table_remove(struct cache *cache, const struct cache_key *key);

/* --- noted_damage.c: what readers met, for those who may write ---------------------------------- */

void cache_damage_init(struct cache *cache);
void cache_damage_release(struct cache *cache);
/* True when it was not noted before. */
bool cache_damage_note(struct cache *cache, const struct cache_key *key, int64_t id);
bool cache_damage_is_noted(struct cache *cache, const struct cache_key *key, int64_t id);
/* One of that key: true and its id. */
bool cache_damage_find(struct cache *cache, const struct cache_key *key, int64_t *id);
void cache_damage_forget(struct cache *cache, const struct cache_key *key, int64_t id);

/* Drops what readers have noted of that key; -1: it stays noted. */
int cache_drop_noted(struct cache *cache, struct store *store, const struct cache_key *key, struct err *err)
	__attribute__((warn_unused_result));

/* --- blob.c --------------------------------------------------------------------------- */

int cache_blob_path(const struct cache *cache, enum cache_kind kind, int64_t version,
		    const uint8_t *text_hash, char *path, size_t capacity,
		    struct err *err) __attribute__((warn_unused_result));
/* Opens the blob of a row: 1, 0 when it is missing, no plain file or not of that size, -1. */
int cache_blob_open(const struct cache *cache, const struct cache_key *key,
		    const struct cache_entry *entry, int *fd, struct stat *st, struct err *err)
	__attribute__((warn_unused_result));

/* --- row.c: reading and dropping rows ---------------------------------------------------- */

/* The row that answers for the key now, with its bytes when `hold` is given: entry.id 0 when
 * none does.  A payload of an older version answers where the current one has none, whatever
 * failure that has; failures of older versions do where there is nothing else. */
int cache_row_read(struct cache *cache, struct store *store, const struct cache_key *key,
		   struct cache_entry *entry, struct cache_hold *hold, struct err *err)
	__attribute__((warn_unused_result));
/* The key's credentials as rows have them: hashed with a key that is not in the database. */
void cache_credentials(const struct cache *cache, const struct cache_key *key,
		       uint8_t out[HASH_SHA256_BYTES]);
/* The key of transactions about this entry (STORE_TURN_ENTRY). */
static inline struct text cache_turn_key(const struct cache_key *key)
{
	return (struct text){ (const char *)key->text_hash, sizeof(key->text_hash) };
}
/* The key's parameters, in the order all statements take them. */
void cache_key_values(const struct cache_key *key, int64_t version, struct store_value values[3]);
/* Reads which boot it is when that was long ago.  Failing that, the one we knew stands. */
void cache_refresh_boot(struct cache *cache, struct store *store);

/* --- verify.c --------------------------------------------------------------------------- */

bool cache_is_same_file(const struct stat *one, const struct stat *other);
/* The bytes of a new hold against its row; `st` was taken before.  False: damaged. */
bool cache_verify_new(struct cache_hold *hold, const struct stat *st);
/* Has the mapped file been modified since it was verified? */
bool cache_is_changed(const struct cache_hold *hold);
/* How many files this process may keep open for that. */
void cache_count_descriptors(struct cache *cache);
/* Gives the descriptor to the hold, or closes it. */
void cache_keep_descriptor(struct cache *cache, struct cache_hold *hold, int fd);
void cache_give_back_descriptor(struct cache_hold *hold);

#endif
