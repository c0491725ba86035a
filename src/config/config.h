/*
 * config -- one YAML file becomes one const struct.
 *
 * The reference service's key names plus ours; says which key is wrong and where
 * (file, line, key).  Everything lives in the config's own arena until config_release().
 *
 * May include: base.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/semver.h"
#include "base/text.h"

struct buf;
struct err;

#define CONFIG_NEVER (-1)           /* a duration of null */
#define CONFIG_UNLIMITED UINT64_MAX /* a size or count of null */
#define CONFIG_AUTO (UINT64_MAX - 1) /* caches.quota: 10 GB or a tenth of the disk */

struct config_cache_times {              /* seconds; CONFIG_NEVER: never */
	int64_t max_unused_seconds;
	int64_t retry_misses_seconds;
	int64_t retry_misses_public_seconds;
	int64_t retry_malformed_seconds;
	uint64_t max_lazy;               /* lazy refreshes at once */
};

/* Where entries are shared with other instances: one of the three, or none.  Texts are NULL
 * where the file does not give them. */
struct config_shared {
	uint64_t max_uploads, max_queued;        /* of each workshop */
	const char *folder;
	struct { const char *bucket, *prefix, *account_path, *endpoint, *token_uri; } gcs;
	struct {
		const char *bucket, *prefix, *region, *endpoint;
		const char *provider, *access_key, *secret_key, *session_token;
	} s3;
};

/* A program that makes SymCache files of one major version (doc/wpa.md).  Lists end with NULL. */
struct config_transcoder {
	struct semver version;               /* of what it makes */
	const struct semver *earlier;        /* of what it made before; that still answers */
	size_t earlier_count;
	const char *const *command;          /* the first is a path */
	const char *const *environment;      /* "NAME=value" */
	const char *const *writable;         /* folders it may write to beside its own */
	const char *folder;                  /* where it works; NULL: a folder of its own */
	int64_t timeout_millis;
	bool has_windows_paths;              /* it is told "Z:\\path", as Wine has it */
};

/* web.people: who asks in which scope; neither is empty, and a name stands there once. */
struct config_person { const char *name, *scope; };

/* How the web server is told to send a file of cache_dir itself. */
enum config_sendfile { CONFIG_SENDFILE_NONE, CONFIG_SENDFILE_X_SENDFILE, CONFIG_SENDFILE_X_ACCEL };

enum config_sandbox { CONFIG_SANDBOX_BEST, CONFIG_SANDBOX_FULL };

struct config_network {              /* an allowed network among the reserved ones */
	uint8_t address[16];         /* v4 in the first 4 */
	unsigned prefix_bits;
	bool is_v6;
};

/* "sources[2].filters" stands in that line. */
struct config_line { const char *place; size_t line; };

struct config {
	struct arena arena;
	const char *path;                    /* the last file read; NULL: defaults only */

	/* where things are */
	const char *state_dir;               /* always set, absolute */
	bool state_is_temporary;             /* gone with this process: nothing of it needs to last */
	const char *cache_dir;               /* never NULL here; see cache_is_of_boot */
	bool cache_is_of_boot;               /* cache_dir: null -> entries go with the boot */

	/* logging */
	enum log_level log_level;
	enum log_format log_format;
	const char *log_path;                /* NULL: standard error */
	bool log_requests;                   /* a line for each */

	/* caches */
	struct config_cache_times downloaded, derived, index;
	int64_t diagnostics_seconds;         /* of failed minidumps; 0: none are kept; CONFIG_NEVER: no end */
	uint64_t diagnostics_max_bytes;
	int64_t sentry_index_seconds;        /* counts as 0 when cache_is_of_boot */
	uint64_t cache_quota_bytes;          /* CONFIG_UNLIMITED: none; CONFIG_AUTO */
	struct config_shared shared;
	bool enable_cache_cleanup;
	int64_t cache_cleanup_interval_seconds;

	/* requests */
	uint64_t max_concurrent_requests;
	uint64_t symbolicate_body_max_bytes, crash_file_body_max_bytes, symbfile_body_max_bytes;
	bool record_all_jobs;                /* jobs.record: all */
	const char *const *cors_origins;     /* cors.allowed_origins; "*": all */
	size_t cors_origin_count;

	bool symstore_proxy;                 /* GET /proxy/... */
	enum config_sendfile sendfile;       /* front.sendfile */
	const char *sendfile_prefix;         /* what cache_dir is called in the web server */
	const char *const *debuginfod_source_folders;    /* debuginfod.source_folders: "PREFIX" or "PREFIX=FOLDER" */
	size_t debuginfod_source_folder_count;

	/* Mozilla's API */
	bool mozilla_v4_is_eliot;            /* mozilla.v4: eliot */
	bool mozilla_module_errors;

	/* SymCache files for Windows Performance Analyzer */
	const struct config_transcoder *transcoders;     /* the highest version first */
	size_t transcoder_count;
	const char *wpa_folder;              /* wpa.folder; NULL: none */
	const char *wpa_redirect;            /* wpa.redirect: a URL that folder is reached at; NULL */
	uint64_t wpa_put_max_bytes;

	/* the page */
	bool web_enabled;
	int64_t web_keep_seconds;            /* of reports made by it */
	uint64_t web_keep_bytes;
	const char *web_scope;               /* never empty */
	const struct config_person *web_people;
	size_t web_person_count;
	const char *const *web_operators;
	size_t web_operator_count;

	/* downloads */
	bool offline;                        /* nothing is fetched; what is there is used */
	bool connect_to_reserved_ips;
	const struct config_network *allowed_networks;   /* reserved_ips_allowed: [CIDR, ...] */
	size_t allowed_network_count;
	int64_t connect_timeout_millis, head_timeout_millis, max_download_timeout_millis;
	uint64_t max_download_bytes;
	bool deny_list_enabled;
	int64_t deny_list_window_millis, deny_list_bucket_millis, deny_list_block_millis;
	uint64_t deny_list_threshold;
	const char *const *deny_list_never_block;        /* deny_list_never_block_hosts */
	size_t deny_list_never_block_count;

	/* sources */
	const char *sources_json;            /* the `sources` key as JSON text: "[]" by default */
	const char *sources_path;            /* the file they stand in */
	const struct config_line *source_lines;          /* where each of their members stands */
	size_t source_line_count;
	const char *const *filesystem_roots; /* filesystem_source_roots; "/" allows all */
	size_t filesystem_root_count;

	/* limits */
	uint64_t section_max_bytes;          /* object_file_max_decompressed_section_size */
	uint64_t source_max_bytes;           /* object_file_max_decompressed_source_size */
	uint64_t unwind_chain_max;           /* max_unwind_chain_len */
	uint64_t cell_memory_bytes;          /* limits.cell_memory */
	int64_t  cell_cpu_seconds;           /* limits.cell_cpu */
	int64_t  job_seconds;                /* limits.job_time, default 15m */
	uint64_t request_memory_bytes;       /* limits.request_memory */
	int64_t  body_wait_seconds;          /* limits.body_wait */

	/* processes */
	uint64_t pool_processes, pool_threads, pool_parked, pool_waiting;
	uint64_t pool_large_body_bytes, pool_large_threads, pool_large_waiting;
	int64_t  pool_max_wait_millis;       /* CONFIG_NEVER: as long as the job lasts */
	uint64_t workshop_processes, workshop_jobs, workshop_cells, workshop_waiting_cells,
		workshop_cell_threads;
	int64_t  workshop_idle_seconds;      /* on-demand workshop leaves after that */
	enum config_sandbox sandbox;
};

static inline bool config_has_shared_cache(const struct config *config)
{
	return config->shared.folder || config->shared.gcs.bucket || config->shared.s3.bucket;
}

/* web.operators and web.people, by what the web server says of who asks.  NULL: has no scope there. */
bool config_is_operator(const struct config *config, struct text name);
const char *config_scope_of_person(const struct config *config, struct text name);

enum config_note_kind { CONFIG_NOTE_ERROR, CONFIG_NOTE_WARNING, CONFIG_NOTE_WITHOUT_MEANING };
/* Every error, and what was odd but none: unknown keys, reference keys without meaning here. */
typedef void config_note_fn(void *payload, enum config_note_kind kind, const char *text);

/* Each file overrides what the ones before it said; no file: defaults only.  `state_dir`
 * overrides the files' when not NULL.  Errors read "FILE:LINE: KEY: what is wrong"; all are noted,
 * and the first is what `err` has. */
int config_load(struct config *config, const char *const *paths, size_t path_count,
		const char *state_dir, config_note_fn *note, void *payload, struct err *err)
	__attribute__((warn_unused_result));
/* The same for one who wants to know all that is wrong: keys with errors keep what they had, and
 * *errors counts them.  -1: there is nothing to look at, and nothing to release. */
int config_survey(struct config *config, const char *const *paths, size_t path_count,
		  const char *state_dir, config_note_fn *note, void *payload, unsigned *errors,
		  struct err *err) __attribute__((warn_unused_result));
void config_release(struct config *config);

/* Where a place in the sources ("sources[2].filters.filetypes[0]") stands, or what it is in. */
const char *config_source_file(const struct config *config);
size_t config_source_line(const struct config *config, struct text place);

/* Every key with its value as YAML, commented: what deploy/example.yml is made from and what
 * a test holds it against. */
int config_print(const struct config *config, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));

#endif
