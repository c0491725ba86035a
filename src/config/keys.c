/* keys.c -- see keys.h. */
#include "config/keys.h"

#include <string.h>

#include "base/text.h"
#include "config/config.h"

#define AT(member) offsetof(struct config, member)

/* name, type, owner, where, where the count goes, default, least, most, nullable, about */
const struct key config_keys[] = {
{ "state_dir", KEY_FOLDER, KEY_OURS, AT(state_dir), 0, "/var/lib/symgate", 0, 0, 0,
  "Database, board, spool and temporary files; made with mode 0700." },
{ "cache_dir", KEY_CACHE_DIR, KEY_REFERENCE, AT(cache_dir), 0, NULL, 0, 0, 1,
  "Blobs. Default: STATE_DIR/cache. null: entries belong to one boot of the service." },

{ "logging.level", KEY_LEVEL, KEY_REFERENCE, AT(log_level), 0, "info", 0, 0, 0,
  "off, error, warn, info, debug or trace." },
{ "logging.format", KEY_FORMAT, KEY_REFERENCE, AT(log_format), 0, "auto", 0, 0, 0,
  "json, or key=value lines (auto, pretty and simplified all mean those)." },
{ "logging.file", KEY_TEXT, KEY_OURS, AT(log_path), 0, "null", 0, 0, 1,
  "A file, reopened on SIGHUP. null: standard error." },
{ "logging.requests", KEY_BOOL, KEY_OURS, AT(log_requests), 0, "false", 0, 0, 0,
  "A line for every request that is answered, at level info." },
{ "logging.enable_backtraces", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1, NULL },

{ "max_concurrent_requests", KEY_COUNT, KEY_REFERENCE, AT(max_concurrent_requests), 0, "200", 0, 1e9, 1,
  "Jobs under way at once; one more is answered 503. null: no limit." },
{ "symbolicate_body_max_bytes", KEY_SIZE, KEY_REFERENCE, AT(symbolicate_body_max_bytes), 0,
  "57671680", 1, 1e12, 0, "Largest JSON body." },
{ "crash_file_body_max_bytes", KEY_SIZE, KEY_REFERENCE, AT(crash_file_body_max_bytes), 0,
  "262144000", 1, 1e12, 0, "Largest form with a minidump, an Apple crash report or a core." },
{ "symbfile_body_max_bytes", KEY_SIZE, KEY_OURS, AT(symbfile_body_max_bytes), 0,
  "134217728", 1, 1e12, 0, "Largest part of an uploaded symbfile." },
{ "jobs.record", KEY_RECORD, KEY_OURS, AT(record_all_jobs), 0, "pending", 0, 0, 0,
  "all: requests answered at once leave a row too." },

{ "cors.allowed_origins", KEY_TEXTS, KEY_OURS, AT(cors_origins), AT(cors_origin_count), "[]", 0, 0, 0,
  "Web pages of these origins (https://crashes.example.org) may ask from a browser. \"*\": of any." },

{ "symstore_proxy", KEY_BOOL, KEY_REFERENCE, AT(symstore_proxy), 0, "true", 0, 0, 0,
  "Serve the files of the sources below at /proxy/, as a symbol server (doc/api/proxy.md)." },
{ "front.sendfile", KEY_SENDFILE, KEY_OURS, AT(sendfile), 0, "none", 0, 0, 0,
  "x-sendfile (lighttpd, Apache) or x-accel-redirect (nginx): the web server is told the path of a\n"
  "file in cache_dir and sends it itself (doc/deploy.md). none: symgate sends it." },
{ "front.sendfile_prefix", KEY_TEXT, KEY_OURS, AT(sendfile_prefix), 0, "/symgate-cache/", 0, 0, 0,
  "Of x-accel-redirect: the internal location that is cache_dir." },
{ "debuginfod.source_folders", KEY_TEXTS, KEY_OURS, AT(debuginfod_source_folders),
  AT(debuginfod_source_folder_count), "[]", 0, 0, 0,
  "Folders with source files that /buildid/ID/source/PATH may give to anybody: /usr/src/debug, or\n"
  "/usr/src/debug=/srv/sources where they lie elsewhere." },

{ "mozilla.v4", KEY_MOZILLA_V4, KEY_OURS, AT(mozilla_v4_is_eliot), 0, "tecken", 0, 0, 0,
  "What POST /symbolicate/v4 answers as: tecken, as documented in 2017, or eliot, as today's server\n"
  "(doc/api/mozilla.md)." },
{ "mozilla.module_errors", KEY_BOOL, KEY_OURS, AT(mozilla_module_errors), 0, "false", 0, 0, 0,
  "Answers of /symbolicate/v5 tell of each module without symbols why it has none." },

{ "wpa.transcoders", KEY_TRANSCODERS, KEY_OURS, AT(transcoders), AT(transcoder_count), "[]", 0, 0, 0,
  "Programs that make SymCache files of PDBs for Windows Performance Analyzer, one for each major\n"
  "version (doc/wpa.md): version, command, environment, folder, writable, timeout, paths, earlier." },
{ "wpa.folder", KEY_FOLDER, KEY_OURS, AT(wpa_folder), 0, "null", 0, 0, 1,
  "A SymCache folder as WPA and others keep it: what lies there answers too. It is only read." },
{ "wpa.redirect", KEY_TEXT, KEY_OURS, AT(wpa_redirect), 0, "null", 0, 0, 1,
  "Where clients reach wpa.folder themselves: they are sent there (302). null: files are sent." },
{ "wpa.put_max_bytes", KEY_SIZE, KEY_OURS, AT(wpa_put_max_bytes), 0, "256MiB", 1, 1e12, 0,
  "Largest SymCache file that may be sent with PUT." },

{ "web.enabled", KEY_BOOL, KEY_OURS, AT(web_enabled), 0, "true", 0, 0, 0,
  "Serve the page at / (doc/web.md): it lets nobody do what the API does not. false: 404." },
{ "web.keep", KEY_SECONDS, KEY_OURS, AT(web_keep_seconds), 0, "1d", 1, 1e9, 0,
  "Reports made by the page stay for this long, or until somebody with their link deletes them." },
{ "web.keep_bytes", KEY_SIZE, KEY_OURS, AT(web_keep_bytes), 0, "1GB", 0, 1e18, 0,
  "Bytes of them; then the oldest go." },
{ "web.scope", KEY_SCOPE, KEY_OURS, AT(web_scope), 0, "page", 0, 0, 0,
  "The scope of what the page's visitors ask for." },
{ "web.people", KEY_PEOPLE, KEY_OURS, AT(web_people), AT(web_person_count), "{}", 0, 0, 0,
  "Names of REMOTE_USER and their scopes, {anna: team-a}: these people ask in theirs below /ui/op/,\n"
  "and see what is in it alone." },
{ "web.operators", KEY_OPERATORS, KEY_OURS, AT(web_operators), AT(web_operator_count), "[]", 0, 0, 0,
  "Names of REMOTE_USER that see and do everything below /ui/op/. Empty: nobody may, it is 403." },

{ "sources", KEY_SOURCES, KEY_REFERENCE, AT(sources_json), 0, "[]", 0, 0, 0,
  "Sources for requests that name none, in order of preference (doc/sources.md). Of a source with\n"
  "is_public: true files and failures are kept once for all scopes; of the others each scope of\n"
  "requests keeps its own." },
{ "filesystem_source_roots", KEY_TEXTS, KEY_OURS, AT(filesystem_roots), AT(filesystem_root_count),
  "[]", 0, 0, 0,
  "Folders below which a request may name filesystem sources. Empty: none may." },

{ "offline", KEY_BOOL, KEY_OURS, AT(offline), 0, "false", 0, 0, 0,
  "Fetch nothing: answer from local sources and from what the caches hold." },
{ "connect_to_reserved_ips", KEY_BOOL, KEY_REFERENCE, AT(connect_to_reserved_ips), 0, "false", 0, 0, 0,
  "Let requests make us connect to private and reserved addresses." },
{ "reserved_ips_allowed", KEY_NETWORKS, KEY_OURS, AT(allowed_networks), AT(allowed_network_count),
  "[]", 0, 0, 0, "Networks among the reserved ones that may be reached: [10.1.0.0/16, fd00::/8]." },
{ "connect_timeout", KEY_MILLIS, KEY_REFERENCE, AT(connect_timeout_millis), 0, "5s", 1, 1e9, 0,
  "Time to reach a symbol server." },
{ "head_timeout", KEY_MILLIS, KEY_REFERENCE, AT(head_timeout_millis), 0, "10s", 1, 1e9, 0,
  "Time until a response begins, each attempt." },
{ "max_download_timeout", KEY_MILLIS, KEY_REFERENCE, AT(max_download_timeout_millis), 0, "5m", 1, 1e9, 0,
  "Time for one download with all its attempts." },
{ "max_download_size", KEY_SIZE, KEY_REFERENCE, AT(max_download_bytes), 0, "16106127360", 1, 1e15, 1,
  "Largest debug file, as sent and as unpacked." },
{ "deny_list_enabled", KEY_BOOL, KEY_REFERENCE, AT(deny_list_enabled), 0, "true", 0, 0, 0,
  "Leave hosts alone that keep failing." },
{ "deny_list_time_window", KEY_MILLIS, KEY_REFERENCE, AT(deny_list_window_millis), 0, "60s", 1, 1e9, 0,
  "Failures are counted over this time." },
{ "deny_list_bucket_size", KEY_MILLIS, KEY_REFERENCE, AT(deny_list_bucket_millis), 0, "5s", 1, 1e9, 0,
  "Grain of that counting." },
{ "deny_list_threshold", KEY_COUNT, KEY_REFERENCE, AT(deny_list_threshold), 0, "60", 1, 1e9, 0,
  "So many failures within the window block a host." },
{ "deny_list_block_time", KEY_MILLIS, KEY_REFERENCE, AT(deny_list_block_millis), 0, "1h", 1, 1e10, 0,
  "For this long; then one request tries it again." },
{ "deny_list_never_block_hosts", KEY_TEXTS, KEY_REFERENCE, AT(deny_list_never_block),
  AT(deny_list_never_block_count), "[]", 0, 0, 0, "Hosts that are never blocked." },

{ "caches.quota", KEY_QUOTA, KEY_OURS, AT(cache_quota_bytes), 0, "auto", 0, 1e18, 1,
  "Bytes cache_dir may hold; the least recently used go first. auto: 10GB or a tenth of the\n"
  "disk, whichever is less. null: no limit." },
{ "caches.downloaded.max_unused_for", KEY_SECONDS, KEY_REFERENCE, AT(downloaded.max_unused_seconds), 0,
  "24h", 0, 1e11, 1, "Downloaded files go when nobody used them for this long. null: never." },
{ "caches.downloaded.retry_misses_after", KEY_SECONDS, KEY_REFERENCE, AT(downloaded.retry_misses_seconds),
  0, "1h", 0, 1e11, 1, "A failed download is tried again after this time, or sooner: Mozilla's API tries it after an hour,\n"
  "debuginfod after ten minutes, SymCache files after a day." },
{ "caches.downloaded.retry_misses_after_public", KEY_SECONDS, KEY_REFERENCE,
  AT(downloaded.retry_misses_public_seconds), 0, "24h", 0, 1e11, 1, "The same for what is kept for all scopes: of sources with is_public: true, and of requests\n"
  "without a scope." },
{ "caches.downloaded.retry_malformed_after", KEY_SECONDS, KEY_REFERENCE,
  AT(downloaded.retry_malformed_seconds), 0, "24h", 0, 1e11, 1,
  "A malformed file is read again after this time, or after a restart." },
{ "caches.downloaded.max_lazy_redownloads", KEY_COUNT, KEY_REFERENCE, AT(downloaded.max_lazy), 0, "50",
  0, 1e9, 0, "Entries made again in the background at once, while the old ones answer." },
{ "caches.derived.max_unused_for", KEY_SECONDS, KEY_REFERENCE, AT(derived.max_unused_seconds), 0, "7d",
  0, 1e11, 1, "The same four times for files made here (SymCaches and the like)." },
{ "caches.derived.retry_misses_after", KEY_SECONDS, KEY_REFERENCE, AT(derived.retry_misses_seconds), 0,
  "1h", 0, 1e11, 1, NULL },
{ "caches.derived.retry_misses_after_public", KEY_SECONDS, KEY_REFERENCE,
  AT(derived.retry_misses_public_seconds), 0, "24h", 0, 1e11, 1, NULL },
{ "caches.derived.retry_malformed_after", KEY_SECONDS, KEY_REFERENCE, AT(derived.retry_malformed_seconds),
  0, "24h", 0, 1e11, 1, NULL },
{ "caches.derived.max_lazy_recomputations", KEY_COUNT, KEY_REFERENCE, AT(derived.max_lazy), 0, "20",
  0, 1e9, 0, NULL },
{ "caches.index.max_unused_for", KEY_SECONDS, KEY_REFERENCE, AT(index.max_unused_seconds), 0, "7d",
  0, 1e11, 1, "And for indexes of symbol stores." },
{ "caches.index.retry_misses_after", KEY_SECONDS, KEY_REFERENCE, AT(index.retry_misses_seconds), 0,
  "10m", 0, 1e11, 1, NULL },
{ "caches.index.retry_misses_after_public", KEY_SECONDS, KEY_REFERENCE,
  AT(index.retry_misses_public_seconds), 0, "10m", 0, 1e11, 1, NULL },
{ "caches.index.retry_malformed_after", KEY_SECONDS, KEY_REFERENCE, AT(index.retry_malformed_seconds), 0,
  "10m", 0, 1e11, 1, NULL },
{ "caches.index.max_lazy_recomputations", KEY_COUNT, KEY_REFERENCE, AT(index.max_lazy), 0, "20",
  0, 1e9, 0, NULL },
{ "caches.diagnostics.retention", KEY_SECONDS, KEY_REFERENCE, AT(diagnostics_seconds), 0, "24h", 0, 1e11, 1,
  "Minidumps that could not be answered stay for this long, in state_dir/diagnostics. 0s: not at\n"
  "all. null: until there is no room." },
{ "caches.diagnostics.max_size", KEY_SIZE, KEY_OURS, AT(diagnostics_max_bytes), 0, "1073741824", 0, 1e18, 0,
  "Bytes of them; then the oldest go." },
{ "caches.in_memory.sentry_index_ttl", KEY_SECONDS, KEY_REFERENCE, AT(sentry_index_seconds), 0, "1h",
  0, 1e9, 0, "What a Sentry server says it holds is believed for this long; not at all without a cache_dir." },
{ "caches.in_memory.sentry_index_capacity", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1,
  NULL },
{ "caches.in_memory.gcs_token_capacity", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1,
  NULL },
{ "caches.in_memory.s3_client_capacity", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1,
  NULL },
{ "caches.in_memory.object_meta_capacity", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1,
  NULL },
{ "caches.in_memory.cficaches_capacity", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1,
  NULL },
{ "caches.in_memory.fileinbundle_capacity", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1,
  NULL },
{ "caches.in_memory.source_index_capacity", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1,
  NULL },
{ "enable_cache_cleanup", KEY_BOOL, KEY_REFERENCE, AT(enable_cache_cleanup), 0, "true", 0, 0, 0,
  "The keeper removes what is expired or over the quota." },
{ "cache_cleanup_interval", KEY_SECONDS, KEY_REFERENCE, AT(cache_cleanup_interval_seconds), 0, "15m",
  1, 1e9, 0, "How often." },

{ "shared_cache.max_concurrent_uploads", KEY_COUNT, KEY_REFERENCE, AT(shared.max_uploads), 0, "20",
  1, 1000, 0, "What other instances made is taken over, and told to them (doc/shared-cache.md). One of\n"
  "filesystem, gcs and s3. Uploads at once, of each workshop." },
{ "shared_cache.max_upload_queue_size", KEY_COUNT, KEY_REFERENCE, AT(shared.max_queued), 0, "400",
  1, 100000, 0, "Entries that may wait to be uploaded; more are left out." },
{ "shared_cache.filesystem.path", KEY_FOLDER, KEY_REFERENCE, AT(shared.folder), 0, "null", 0, 0, 1,
  "A folder all instances reach." },
{ "shared_cache.gcs.bucket", KEY_TEXT, KEY_REFERENCE, AT(shared.gcs.bucket), 0, "null", 0, 0, 1,
  "A bucket of Google Cloud Storage." },
{ "shared_cache.gcs.service_account_path", KEY_FOLDER, KEY_REFERENCE, AT(shared.gcs.account_path), 0,
  "null", 0, 0, 1, "A JSON key file. null: GOOGLE_APPLICATION_CREDENTIALS, gcloud's, or the machine's own." },
{ "shared_cache.gcs.prefix", KEY_TEXT, KEY_OURS, AT(shared.gcs.prefix), 0, "null", 0, 0, 1,
  "What all names begin with." },
{ "shared_cache.gcs.endpoint", KEY_TEXT, KEY_OURS, AT(shared.gcs.endpoint), 0, "null", 0, 0, 1,
  "Somebody else who speaks the same protocol, and where tokens come from." },
{ "shared_cache.gcs.token_uri", KEY_TEXT, KEY_OURS, AT(shared.gcs.token_uri), 0, "null", 0, 0, 1, NULL },
{ "shared_cache.s3.bucket", KEY_TEXT, KEY_OURS, AT(shared.s3.bucket), 0, "null", 0, 0, 1,
  "A bucket of S3, or of anybody who speaks its protocol." },
{ "shared_cache.s3.region", KEY_TEXT, KEY_OURS, AT(shared.s3.region), 0, "null", 0, 0, 1, NULL },
{ "shared_cache.s3.endpoint", KEY_TEXT, KEY_OURS, AT(shared.s3.endpoint), 0, "null", 0, 0, 1,
  "null: Amazon's own." },
{ "shared_cache.s3.prefix", KEY_TEXT, KEY_OURS, AT(shared.s3.prefix), 0, "null", 0, 0, 1,
  "What all names begin with." },
{ "shared_cache.s3.aws_credentials_provider", KEY_TEXT, KEY_OURS, AT(shared.s3.provider), 0, "null",
  0, 0, 1, "static: the keys below. container: those of this container or machine." },
{ "shared_cache.s3.access_key", KEY_TEXT, KEY_OURS, AT(shared.s3.access_key), 0, "null", 0, 0, 1, NULL },
{ "shared_cache.s3.secret_key", KEY_TEXT, KEY_OURS, AT(shared.s3.secret_key), 0, "null", 0, 0, 1, NULL },
{ "shared_cache.s3.session_token", KEY_TEXT, KEY_OURS, AT(shared.s3.session_token), 0, "null", 0, 0,
  1, NULL },

{ "pool.processes", KEY_COUNT, KEY_OURS, AT(pool_processes), 0, "2", 1, 256, 0,
  "Front processes." },
{ "pool.threads", KEY_COUNT, KEY_OURS, AT(pool_threads), 0, "2", 1, 256, 0,
  "Request threads in each." },
{ "pool.parked", KEY_COUNT, KEY_OURS, AT(pool_parked), 0, "5000", 0, 1e6, 0,
  "Requests that may wait for their job in each front process, as far as its descriptors go; others\n"
  "are answered `pending` at once." },
{ "pool.waiting", KEY_COUNT, KEY_OURS, AT(pool_waiting), 0, "1024", 1, 1e6, 0,
  "Requests that may wait for a thread in each; one more is answered 503." },
{ "pool.large_body", KEY_SIZE, KEY_OURS, AT(pool_large_body_bytes), 0, "256KiB", 4096, 1e12, 0,
  "Larger bodies are read and answered by threads of their own, so that they hold up nobody." },
{ "pool.large_threads", KEY_COUNT, KEY_OURS, AT(pool_large_threads), 0, "1", 1, 64, 0,
  "Such threads in each front process." },
{ "pool.large_waiting", KEY_COUNT, KEY_OURS, AT(pool_large_waiting), 0, "32", 1, 10000, 0,
  "Requests with large bodies that may wait for them in each; one more is answered 503." },
{ "pool.max_wait", KEY_MILLIS, KEY_OURS, AT(pool_max_wait_millis), 0, "null", 0, 1e9, 1,
  "Answer `pending` after this time at the latest. null: wait as long as the job lasts." },
{ "workshop.processes", KEY_COUNT, KEY_OURS, AT(workshop_processes), 0, "1", 1, 64, 0,
  "Processes that download and convert." },
{ "workshop.jobs", KEY_COUNT, KEY_OURS, AT(workshop_jobs), 0, "64", 1, 4096, 0,
  "Jobs each of them carries at once." },
{ "workshop.cells", KEY_COUNT, KEY_OURS, AT(workshop_cells), 0, "2", 1, 256, 0,
  "Files each of them converts at once. With two or more no scope and no source has them all while\n"
  "others wait." },
{ "workshop.waiting_cells", KEY_COUNT, KEY_OURS, AT(workshop_waiting_cells), 0, "16", 1, 4096, 0,
  "Cells of each of them that may wait for files they asked for: they hold none of workshop.cells\n"
  "meanwhile, but their memory." },
{ "workshop.cell_threads", KEY_COUNT, KEY_OURS, AT(workshop_cell_threads), 0, "2", 1, 64, 0,
  "Threads in one conversion." },
{ "workshop.idle", KEY_SECONDS, KEY_OURS, AT(workshop_idle_seconds), 0, "5m", 1, 1e9, 0,
  "A workshop started on demand leaves after this time without work." },

{ "limits.cell_memory", KEY_SIZE, KEY_OURS, AT(cell_memory_bytes), 0, "4GiB", 16777216, 1e15, 0,
  "Memory of one conversion: what it unpacks, its threads' stacks and all." },
{ "limits.cell_cpu", KEY_SECONDS, KEY_OURS, AT(cell_cpu_seconds), 0, "10m", 1, 86400, 0,
  "CPU time of one conversion." },
{ "limits.job_time", KEY_SECONDS, KEY_OURS, AT(job_seconds), 0, "15m", 1, 86400, 0,
  "A job ends within this time, whatever happens." },
{ "limits.request_memory", KEY_SIZE, KEY_OURS, AT(request_memory_bytes), 0, "1GiB", 1048576, 1e15, 0,
  "Memory of one request with all it knows." },
{ "limits.body_wait", KEY_SECONDS, KEY_OURS, AT(body_wait_seconds), 0, "20s", 1, 86400, 0,
  "How far a request's body may fall behind 16 KiB a second; then it is answered 408." },
{ "object_file_max_decompressed_section_size", KEY_SIZE, KEY_REFERENCE, AT(section_max_bytes), 0,
  "4294967296", 0, 1e15, 1, "Larger compressed sections count as absent." },
{ "object_file_max_decompressed_source_size", KEY_SIZE, KEY_REFERENCE, AT(source_max_bytes), 0,
  "1073741824", 0, 1e15, 1, "Larger embedded sources are not read." },
{ "max_unwind_chain_len", KEY_COUNT, KEY_REFERENCE, AT(unwind_chain_max), 0, "128", 1, 1e9, 1,
  "Longer chains of unwind information make a PE file a bad one. null: no limit but our own." },
{ "sandbox.require", KEY_SANDBOX, KEY_OURS, AT(sandbox), 0, "best", 0, 0, 0,
  "full: refuse to start where the kernel lacks seccomp or landlock. best: take what there is." },

{ "metrics", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1, NULL },
{ "sentry_dsn", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1, NULL },
{ "_crash_db", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1, NULL },
{ "traces_sample_rate", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1, NULL },
{ "transaction_sample_rate", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1, NULL },
{ "propagate_traces", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1, NULL },
{ "bind", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1, NULL },
{ "streaming_timeout", KEY_WITHOUT_MEANING, KEY_REFERENCE, 0, 0, NULL, 0, 0, 1, NULL },
};
const size_t config_key_count = sizeof(config_keys) / sizeof(config_keys[0]);

static const char *const our_sections[] = { "cors", "debuginfod", "front", "jobs", "pool", "workshop", "limits",
					    "sandbox", "web", "wpa" };

const struct key *config_key_find(const char *name)
{
	for (size_t i = 0; i < config_key_count; i++)
		if (strcmp(config_keys[i].name, name) == 0)
			return &config_keys[i];
	return NULL;
}

int config_key_is_section(const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < config_key_count; i++)
		if (strncmp(config_keys[i].name, name, size) == 0 && config_keys[i].name[size] == '.')
			return 1;
	return 0;
}

int config_key_section_is_ours(const char *name)
{
	for (size_t i = 0; i < sizeof(our_sections) / sizeof(our_sections[0]); i++)
		if (strcmp(our_sections[i], name) == 0)
			return 1;
	return 0;
}

const char *config_key_nearest(const char *name)
{
	const char *nearest = NULL;
	size_t least = strlen(name) / 2 + 1;

	for (size_t i = 0; i < config_key_count; i++) {
		size_t away = text_edit_distance(text_of(name), text_of(config_keys[i].name));

		if (away < least) {
			least = away;
			nearest = config_keys[i].name;
		}
	}
	return nearest;
}
