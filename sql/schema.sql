-- schema.sql -- the whole truth about STATE_DIR/symgate.db, for reading.
--
-- New installs and old ones both get here by sql/migrate/NNNN-what.sql, applied in order; a
-- test checks that they end in exactly this.  The number of the last step stands in
-- PRAGMA user_version.
--
-- Times are unix seconds unless the name says otherwise; the views at the end print them in
-- UTC, as 2026-01-02T03:04:05Z.  Rows may be deleted by hand at any time: a deleted entry is a miss, its file is
-- swept up by the keeper.  Edits are seen by running processes within 5 seconds.
-- No secret ever stands in a column: credentials appear as a keyed hash, whose key is the
-- file STATE_DIR/credentials.key.

-- A boot is one life of the service: from its first process to its last.  "Until the next
-- restart" means until the next row here.
CREATE TABLE boot (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  kernel_boot_id TEXT    NOT NULL,            -- tells a reboot of the machine from a restart
  build_id       TEXT    NOT NULL,            -- version and sum of the sources
  started_at     INTEGER NOT NULL
) STRICT;

-- One row, written by every health check: the proof that writing works.
CREATE TABLE probe (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  checked_at INTEGER NOT NULL,
  times      INTEGER NOT NULL DEFAULT 1       -- so that each check is a change
) STRICT;

-- What was downloaded or derived once, and what could not be (a placeholder).
-- A key has at most one row that is shared (credentials all zero), and one per credentials
-- for the failures that depend on who asked.
CREATE TABLE cache_entry (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT    NOT NULL,               -- the folder below cache_dir: 'symcaches', ...
  version     INTEGER NOT NULL CHECK (version > 0),
  hash        BLOB    NOT NULL CHECK (length(hash) = 32),         -- SHA-256 of the key's text
  credentials BLOB    NOT NULL CHECK (length(credentials) = 32),  -- keyed hash; zero: anyone
  state       TEXT    NOT NULL CHECK (state IN
              ('ready', 'not_found', 'denied', 'malformed', 'unsupported', 'download',
               'timeout', 'limit', 'crashed')),
  payload     BLOB,                           -- small payloads; NULL: a blob file, or a failure
  size_bytes  INTEGER NOT NULL CHECK (size_bytes >= 0),
  details     TEXT,                           -- of a failure: what happened, for people
  scope       TEXT,                           -- NULL: global
  module      TEXT,                           -- 'libfoo.so', for people
  source      TEXT,                           -- the source's id, for people
  boot        INTEGER NOT NULL,               -- the boot it was made in
  build_id    TEXT    NOT NULL,               -- the build that made it
  made_at     INTEGER NOT NULL,
  used_at     INTEGER NOT NULL,               -- kept to the hour
  retry_at    INTEGER,                        -- of a failure, by the times of that day's config
  repeats     INTEGER NOT NULL DEFAULT 0 CHECK (repeats >= 0),  -- crashed, limit: times in a row
  asks        INTEGER NOT NULL DEFAULT 0 CHECK (asks >= 0),     -- about how often it was wanted
  key_text    TEXT,                           -- what the hash is of; passwords in it left out
  checksum    INTEGER,                        -- XXH64 of a blob; NULL: none, or made by an older one
  module_id   TEXT,                           -- its debug id, else its code id, for people
  debug_file  TEXT,                           -- of object_meta: what the module was asked for by,
  debug_id    TEXT,                           -- NULL where it was not told; as Breakpad writes it
  code_file   TEXT,
  code_id     TEXT,
  release     TEXT,                           -- of a file of a release, for people: who asked first
  fresh_until INTEGER,                        -- of a file from the web: a miss from then on, whatever
                                              -- the times of its kind; NULL: by those alone
  etag        TEXT CHECK (length(etag) BETWEEN 1 AND 255),               -- by what its server names
  last_modified TEXT CHECK (length(last_modified) BETWEEN 1 AND 39),     -- this version of it: past
                                              -- fresh_until it is asked whether that still is
  CHECK ((state = 'ready') = (details IS NULL)),
  CHECK (state = 'ready' OR (payload IS NULL AND size_bytes = 0)),
  CHECK (state IN ('not_found', 'denied') OR credentials = zeroblob(32)),
  CHECK (payload IS NULL OR length(payload) = size_bytes),
  UNIQUE (kind, version, hash, credentials)
) STRICT;

CREATE INDEX cache_entry_by_use ON cache_entry (used_at, id);
CREATE INDEX cache_entry_by_module ON cache_entry (module) WHERE module IS NOT NULL;
CREATE INDEX cache_entry_by_module_id ON cache_entry (module_id) WHERE module_id IS NOT NULL;
-- What the page's tables are read from without the rows: who takes how much, which modules are missing,
-- what failed.
CREATE INDEX cache_entry_by_space ON cache_entry (kind, version, scope, state, size_bytes);
CREATE INDEX cache_entry_by_need ON cache_entry (module, module_id, state, asks, made_at, scope, source)
 WHERE kind = 'object_meta' AND module IS NOT NULL;
CREATE INDEX cache_entry_failures ON cache_entry (made_at, kind, state, source, module, scope, repeats, asks)
 WHERE state <> 'ready';

-- Single flight: who is making which entry right now.
CREATE TABLE flight (
  kind        TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  hash        BLOB    NOT NULL CHECK (length(hash) = 32),
  owner       TEXT    NOT NULL,               -- a process's name for itself
  boot        INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,               -- renewed every few seconds; past: anyone's
  attempt     INTEGER NOT NULL CHECK (attempt > 0),
  started_at  INTEGER NOT NULL,
  module      TEXT,                           -- as of cache_entry, for people
  key_text    TEXT,
  PRIMARY KEY (kind, version, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX flight_by_owner ON flight (owner);

-- Accepted requests that needed time.  The body and the result are files in STATE_DIR/spool:
-- <id>.body until the job ends, <id>.result until 90 s later, or until kept_until where that is set.
CREATE TABLE job (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of arrival
  id           TEXT    NOT NULL UNIQUE CHECK (length(id) = 36),
  kind         TEXT    NOT NULL,
  scope        TEXT,                          -- NULL: global
  state        TEXT    NOT NULL CHECK (state IN
               ('queued', 'running', 'completed', 'failed', 'timeout', 'internal_error')),
  owner        TEXT,                          -- who carries it
  lease_until  INTEGER,
  attempt      INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),  -- claims so far
  lapses       INTEGER NOT NULL DEFAULT 0 CHECK (lapses >= 0),   -- claims whose holder died
  body_bytes   INTEGER NOT NULL CHECK (body_bytes >= 0),
  result_bytes INTEGER,                       -- NULL: there is no result file (any more)
  created_at   INTEGER NOT NULL,
  arrived_millis INTEGER NOT NULL DEFAULT 0,    -- created_at in milliseconds: for millis
  deadline_at  INTEGER NOT NULL,
  claimed_at   INTEGER,                       -- first claim
  finished_at  INTEGER,
  millis       INTEGER,                       -- from arrival to end
  candidates   TEXT,                          -- JSON: every candidate and what became of it
  x_request_id TEXT,                          -- what the client calls it, as in the log
  kept_until   INTEGER,                       -- of the page's: its result stays, and may be deleted by its id
  CHECK ((state IN ('queued', 'running')) = (finished_at IS NULL)),
  CHECK ((state = 'running') = (owner IS NOT NULL)),
  CHECK ((owner IS NULL) = (lease_until IS NULL))
) STRICT;

CREATE INDEX job_live ON job (state, seq) WHERE finished_at IS NULL;
CREATE INDEX job_by_owner ON job (owner) WHERE owner IS NOT NULL;
CREATE INDEX job_by_end ON job (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX job_with_result ON job (finished_at) WHERE result_bytes IS NOT NULL AND kept_until IS NULL;
CREATE INDEX job_failed ON job (state) WHERE state IN ('failed', 'timeout', 'internal_error');
CREATE INDEX job_kept ON job (kept_until) WHERE kept_until IS NOT NULL;

-- The keys that were given out to those who send us files (symgate apikey).  A key is the base64 of
-- id:secret; only the SHA-256 of its secret stands here, so that a row opens nothing.
CREATE TABLE apikey (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of making
  id         TEXT    NOT NULL UNIQUE CHECK (length(id) = 20),
  name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  hash       BLOB    NOT NULL CHECK (length(hash) = 32),
  created_at INTEGER NOT NULL,
  used_at    INTEGER,                         -- kept to the minute; NULL: never
  revoked_at INTEGER                          -- NULL: it is good
) STRICT;

CREATE UNIQUE INDEX apikey_by_name ON apikey (name) WHERE revoked_at IS NULL;

-- What was counted, as the keeper writes it each minute: into the row of that minute, of its ten minutes
-- and of its hour.  Minutes stay for a day, ten minutes for 14 days, hours for 400.  What nobody watched
-- (no keeper ran, it slept, the counters began anew) is in no row and in no `seconds`.  All are sums of
-- their span but where it says so.
CREATE TABLE sample (
  span             INTEGER NOT NULL CHECK (span IN (60, 600, 3600)), -- seconds of one row
  at               INTEGER NOT NULL CHECK (at % span = 0), -- when it begins
  node             TEXT    NOT NULL CHECK (length(node) BETWEEN 1 AND 64),  -- the machine's name for itself
  seconds          INTEGER NOT NULL CHECK (seconds > 0), -- watched of the span; the others are a gap, not zeros
  requests         INTEGER NOT NULL,                 -- answered, all of them
  failed           INTEGER NOT NULL,                 -- with 500 or 503
  asked            INTEGER NOT NULL,                 -- of kinds that may need a job
  cold             INTEGER NOT NULL,                 -- that had to wait for one
  jobs_completed   INTEGER NOT NULL,                 -- jobs that ended, and how
  jobs_failed      INTEGER NOT NULL,
  jobs_timeout     INTEGER NOT NULL,
  jobs_internal    INTEGER NOT NULL,
  hits             INTEGER NOT NULL,                 -- look-ups in the caches
  misses           INTEGER NOT NULL,
  downloads_ok     INTEGER NOT NULL,                 -- transfers from sources
  downloads_absent INTEGER NOT NULL,                 -- the source lacks the file
  downloads_failed INTEGER NOT NULL,                 -- denied, too late, broken
  download_bytes   INTEGER NOT NULL,                 -- as transferred
  written_bytes    INTEGER NOT NULL,                 -- into the caches
  cells_done       INTEGER NOT NULL,                 -- cells that ended, and how
  cells_failed     INTEGER NOT NULL,
  cells_crashed    INTEGER NOT NULL,
  cells_limit      INTEGER NOT NULL,
  cells_killed     INTEGER NOT NULL,
  jobs_live        INTEGER NOT NULL,                 -- queued and running: the most of the span's minutes
  cache_bytes      INTEGER,                          -- the most; NULL: nobody added them up
  timed            INTEGER NOT NULL,                 -- answers whose time was taken
  -- ... of them within 1 ms, 2 ms, ... 65.536 s, each with those before
  le_1 INTEGER NOT NULL,
  le_2 INTEGER NOT NULL,
  le_4 INTEGER NOT NULL,
  le_8 INTEGER NOT NULL,
  le_16 INTEGER NOT NULL,
  le_32 INTEGER NOT NULL,
  le_64 INTEGER NOT NULL,
  le_128 INTEGER NOT NULL,
  le_256 INTEGER NOT NULL,
  le_512 INTEGER NOT NULL,
  le_1024 INTEGER NOT NULL,
  le_2048 INTEGER NOT NULL,
  le_4096 INTEGER NOT NULL,
  le_8192 INTEGER NOT NULL,
  le_16384 INTEGER NOT NULL,
  le_32768 INTEGER NOT NULL,
  le_65536 INTEGER NOT NULL,
  -- So many milliseconds at most half of them took, 95 and 99 of a hundred: to the next power of two;
  -- 131072 stands for all above 65536.
  p50_millis INTEGER AS (CASE WHEN timed = 0 THEN NULL
    WHEN le_1 * 2 >= timed THEN 1 WHEN le_2 * 2 >= timed THEN 2 WHEN le_4 * 2 >= timed THEN 4
    WHEN le_8 * 2 >= timed THEN 8 WHEN le_16 * 2 >= timed THEN 16
    WHEN le_32 * 2 >= timed THEN 32 WHEN le_64 * 2 >= timed THEN 64
    WHEN le_128 * 2 >= timed THEN 128 WHEN le_256 * 2 >= timed THEN 256
    WHEN le_512 * 2 >= timed THEN 512 WHEN le_1024 * 2 >= timed THEN 1024
    WHEN le_2048 * 2 >= timed THEN 2048 WHEN le_4096 * 2 >= timed THEN 4096
    WHEN le_8192 * 2 >= timed THEN 8192 WHEN le_16384 * 2 >= timed THEN 16384
    WHEN le_32768 * 2 >= timed THEN 32768 WHEN le_65536 * 2 >= timed THEN 65536
    ELSE 131072 END) VIRTUAL,
  p95_millis INTEGER AS (CASE WHEN timed = 0 THEN NULL
    WHEN le_1 * 20 >= timed * 19 THEN 1 WHEN le_2 * 20 >= timed * 19 THEN 2
    WHEN le_4 * 20 >= timed * 19 THEN 4 WHEN le_8 * 20 >= timed * 19 THEN 8
    WHEN le_16 * 20 >= timed * 19 THEN 16 WHEN le_32 * 20 >= timed * 19 THEN 32
    WHEN le_64 * 20 >= timed * 19 THEN 64 WHEN le_128 * 20 >= timed * 19 THEN 128
    WHEN le_256 * 20 >= timed * 19 THEN 256 WHEN le_512 * 20 >= timed * 19 THEN 512
    WHEN le_1024 * 20 >= timed * 19 THEN 1024 WHEN le_2048 * 20 >= timed * 19 THEN 2048
    WHEN le_4096 * 20 >= timed * 19 THEN 4096 WHEN le_8192 * 20 >= timed * 19 THEN 8192
    WHEN le_16384 * 20 >= timed * 19 THEN 16384 WHEN le_32768 * 20 >= timed * 19 THEN 32768
    WHEN le_65536 * 20 >= timed * 19 THEN 65536
    ELSE 131072 END) VIRTUAL,
  p99_millis INTEGER AS (CASE WHEN timed = 0 THEN NULL
    WHEN le_1 * 100 >= timed * 99 THEN 1 WHEN le_2 * 100 >= timed * 99 THEN 2
    WHEN le_4 * 100 >= timed * 99 THEN 4 WHEN le_8 * 100 >= timed * 99 THEN 8
    WHEN le_16 * 100 >= timed * 99 THEN 16 WHEN le_32 * 100 >= timed * 99 THEN 32
    WHEN le_64 * 100 >= timed * 99 THEN 64 WHEN le_128 * 100 >= timed * 99 THEN 128
    WHEN le_256 * 100 >= timed * 99 THEN 256 WHEN le_512 * 100 >= timed * 99 THEN 512
    WHEN le_1024 * 100 >= timed * 99 THEN 1024 WHEN le_2048 * 100 >= timed * 99 THEN 2048
    WHEN le_4096 * 100 >= timed * 99 THEN 4096 WHEN le_8192 * 100 >= timed * 99 THEN 8192
    WHEN le_16384 * 100 >= timed * 99 THEN 16384 WHEN le_32768 * 100 >= timed * 99 THEN 32768
    WHEN le_65536 * 100 >= timed * 99 THEN 65536
    ELSE 131072 END) VIRTUAL,
  CHECK (timed >= le_65536),
  PRIMARY KEY (span, at, node)
) STRICT, WITHOUT ROWID;

-- What the breakers of hosts say: one row for each host that turned since its
-- workshop started.  Each workshop has breakers of its own, and hosts that the operator named are
-- told from those that requests did.
CREATE TABLE host_state (
  host     TEXT    NOT NULL,
  named_by TEXT    NOT NULL CHECK (named_by IN ('operator', 'request')),
  owner    TEXT    NOT NULL,                  -- the workshop
  source   TEXT,                              -- whose transfer turned it
  state    TEXT    NOT NULL CHECK (state IN ('open', 'half', 'closed')),
  since    INTEGER NOT NULL,
  until    INTEGER CHECK ((state = 'open') = (until IS NOT NULL)),   -- then one transfer may try it
  words    TEXT,                              -- the failure that opened it
  PRIMARY KEY (host, named_by, owner)
) STRICT, WITHOUT ROWID;

-- For people: sqlite3 -box STATE_DIR/symgate.db 'SELECT * FROM v_jobs'

-- Jobs, newest first.
CREATE VIEW v_jobs AS
SELECT id, kind, coalesce(scope, '(global)') AS scope, state,
       strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch') AS created_utc,
       unixepoch() - created_at AS age_seconds,
       CASE WHEN millis IS NOT NULL THEN round(millis / 1000.0, 3)
            ELSE coalesce(finished_at, unixepoch()) - created_at END AS took_seconds,
       attempt, owner, body_bytes, result_bytes, x_request_id
  FROM job ORDER BY seq DESC;

-- Those under way, the oldest first.
CREATE VIEW v_jobs_live AS
SELECT id, kind, coalesce(scope, '(global)') AS scope, state,
       strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch') AS created_utc,
       coalesce(claimed_at, unixepoch()) - created_at AS waited_seconds,
       unixepoch() - created_at AS age_seconds, attempt, owner, body_bytes, x_request_id
  FROM job WHERE finished_at IS NULL ORDER BY seq;

-- Those that could not be answered, or not in time, the newest first.
CREATE VIEW v_jobs_failed AS
SELECT id, kind, coalesce(scope, '(global)') AS scope, state,
       strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch') AS created_utc,
       round(millis / 1000.0, 3) AS took_seconds, attempt, lapses, body_bytes, x_request_id
  FROM job WHERE state IN ('failed', 'timeout', 'internal_error') ORDER BY seq DESC;

-- The slowest first; those still running count with their age.
CREATE VIEW v_jobs_slow AS
SELECT id, kind, state,
       CASE WHEN millis IS NOT NULL THEN round(millis / 1000.0, 3)
            ELSE coalesce(finished_at, unixepoch()) - created_at END AS took_seconds,
       claimed_at - created_at AS waited_seconds, attempt, lapses,
       strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch') AS created_utc, owner
  FROM job ORDER BY took_seconds DESC, seq;

CREATE VIEW v_cache_by_kind AS
SELECT kind, version,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       strftime('%Y-%m-%dT%H:%M:%SZ', min(used_at), 'unixepoch') AS oldest_use_utc,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS newest_utc
  FROM cache_entry GROUP BY kind, version ORDER BY bytes DESC;

CREATE VIEW v_cache_by_scope AS
SELECT coalesce(scope, '(global)') AS scope,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib
  FROM cache_entry GROUP BY 1 ORDER BY bytes DESC;

-- Who takes how much of what.
CREATE VIEW v_space AS
SELECT kind, coalesce(scope, '(global)') AS scope,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(used_at), 'unixepoch') AS last_use_utc
  FROM cache_entry GROUP BY kind, coalesce(scope, '(global)') ORDER BY bytes DESC, kind, 2;

-- What a module takes: its files and all that was made of them.
CREATE VIEW v_space_by_module AS
SELECT coalesce(module, '(none)') AS module, module_id,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(used_at), 'unixepoch') AS last_use_utc
  FROM cache_entry GROUP BY module, module_id ORDER BY bytes DESC, module, module_id;

-- What came from a source, and was made of it.
CREATE VIEW v_space_by_source AS
SELECT coalesce(source, '(none)') AS source,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       count(DISTINCT module) AS modules,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(used_at), 'unixepoch') AS last_use_utc
  FROM cache_entry GROUP BY source ORDER BY bytes DESC, source;

-- Modules no place could give us, the most wanted first: one row for each build, by its id
-- (NULL: remembered by a program that did not note ids).
CREATE VIEW v_missing AS
SELECT module, module_id, sum(asks) AS asks, count(*) AS places_without,
       group_concat(DISTINCT source) AS sources_without,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc
  FROM cache_entry
 WHERE kind = 'object_meta' AND module IS NOT NULL
 GROUP BY module, module_id HAVING max(state = 'ready') = 0 AND max(state = 'not_found') = 1
 ORDER BY asks DESC, module, module_id;

-- The same as symbol servers list it: by debug file and id, with the code file where it was told.
-- `count` is about how often it was wanted.
CREATE VIEW v_missing_symbols AS
SELECT coalesce(debug_file, '') AS debug_file, coalesce(debug_id, '') AS debug_id,
       coalesce(max(code_file), '') AS code_file, coalesce(max(code_id), '') AS code_id,
       max(asks) AS count, group_concat(DISTINCT source) AS sources_without,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc
  FROM cache_entry
 WHERE kind = 'object_meta' AND (debug_id IS NOT NULL OR code_id IS NOT NULL)
 GROUP BY debug_file, coalesce(debug_id, code_id), debug_id IS NULL
HAVING max(state = 'ready') = 0 AND max(state = 'not_found') = 1
 ORDER BY count DESC, 1, 2, 3, 4;

-- Files of JavaScript releases nobody could give us, the most wanted first: minified files, maps and
-- sources by name, release and debug id (of who asked first), with the places they were looked for.
CREATE VIEW v_missing_artifacts AS
SELECT module AS file, coalesce(release, '') AS release, coalesce(module_id, '') AS debug_id,
       sum(asks) AS asks, count(*) AS places_without,
       group_concat(DISTINCT source) AS sources_without,
       group_concat(DISTINCT state) AS states,
       max(substr(key_text, instr(key_text, 'location: ') + 10,
                  instr(substr(key_text, instr(key_text, 'location: ') + 10), char(10)) - 1)) AS location,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc
  FROM cache_entry
 WHERE kind = 'sourcefiles' AND instr(key_text, char(10) || 'form: js' || char(10)) > 0
 GROUP BY module, coalesce(release, ''), coalesce(module_id, '') HAVING max(state = 'ready') = 0
 ORDER BY asks DESC, file, 2, 3;

-- Files that could not be had from the web, the newest first: one row for each address and
-- release, however many hours it was tried in.
CREATE VIEW v_scraping_failures AS
SELECT url, coalesce(release, '') AS release, coalesce(module_id, '') AS debug_id,
       max(made_at) AS last_tried_at, state, details, count(*) AS times, sum(asks) AS asks,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc,
       max(retry_at - unixepoch(), 0) AS retry_in_seconds
  FROM (SELECT *, substr(place, 1, instr(place || '#', '#') - 1) AS url
          FROM (SELECT *, substr(key_text, instr(key_text, 'location: ') + 10,
                                 instr(substr(key_text, instr(key_text, 'location: ') + 10), char(10)) - 1)
                          AS place
                  FROM cache_entry WHERE source = 'web-scraping' AND state <> 'ready'))
 GROUP BY url, coalesce(release, ''), coalesce(module_id, '')
 ORDER BY last_tried_at DESC, url, 2, 3;

-- Mappings of ProGuard and R8 no place could give us, the most wanted first: by the UUID a request
-- named, or the id of R8's that a frame did.
CREATE VIEW v_missing_mappings AS
SELECT module_id AS mapping, sum(asks) AS asks, count(*) AS places_without,
       group_concat(DISTINCT source) AS sources_without,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc
  FROM cache_entry WHERE kind = 'proguard'
 GROUP BY module_id HAVING max(state = 'ready') = 0 AND max(state = 'not_found') = 1
 ORDER BY asks DESC, mapping;

-- Every remembered failure, the newest first.
CREATE VIEW v_negative AS
SELECT id, state, kind, module, source, coalesce(scope, '(global)') AS scope, details,
       substr(key_text, instr(key_text, 'location: ') + 10,
              instr(substr(key_text, instr(key_text, 'location: ') + 10), char(10)) - 1) AS location,
       strftime('%Y-%m-%dT%H:%M:%SZ', made_at, 'unixepoch') AS made_utc,
       unixepoch() - made_at AS age_seconds,
       strftime('%Y-%m-%dT%H:%M:%SZ', retry_at, 'unixepoch') AS retry_utc,
       max(retry_at - unixepoch(), 0) AS retry_in_seconds, repeats, asks
  FROM cache_entry WHERE state <> 'ready' ORDER BY made_at DESC, id DESC;

-- Sources that refused or failed us, not those that merely lack a file.
CREATE VIEW v_sources_failing AS
SELECT source, state, count(*) AS entries, count(DISTINCT module) AS modules,
       sum(asks) AS asks, max(details) AS example,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_utc,
       max(min(retry_at) - unixepoch(), 0) AS retry_in_seconds
  FROM cache_entry
 WHERE state IN ('denied', 'download', 'timeout') AND source IS NOT NULL
 GROUP BY source, state ORDER BY entries DESC, source;

-- What was counted, the newest first: `WHERE minutes = 1` for a day back, 10 for 14 days, 60 for 400.
CREATE VIEW v_samples AS
SELECT node, span / 60 AS minutes, strftime('%Y-%m-%dT%H:%M:%SZ', at, 'unixepoch') AS at_utc,
       seconds AS watched_seconds, requests, failed,
       round(100.0 * max(asked - cold, 0) / nullif(asked, 0), 1) AS hot_percent,
       p50_millis, p95_millis, p99_millis, jobs_live, jobs_completed, jobs_failed, jobs_timeout,
       jobs_internal, round(100.0 * hits / nullif(hits + misses, 0), 1) AS hit_percent,
       downloads_ok, downloads_absent, downloads_failed, round(download_bytes / 1048576.0, 1) AS download_mib,
       round(written_bytes / 1048576.0, 1) AS written_mib, round(cache_bytes / 1048576.0, 1) AS cache_mib,
       cells_done, cells_failed, cells_crashed, cells_limit, cells_killed
  FROM sample ORDER BY at DESC, span, node;

-- Hosts left alone (open), tried again (half) or trusted again (closed) by a workshop.
CREATE VIEW v_host_state AS
SELECT host, CASE WHEN state = 'open' AND until <= unixepoch() THEN 'half' ELSE state END AS state,
       source, named_by, strftime('%Y-%m-%dT%H:%M:%SZ', since, 'unixepoch') AS since_utc,
       max(until - unixepoch(), 0) AS retry_in_seconds, words, owner
  FROM host_state ORDER BY state = 'closed', since DESC, host, named_by, owner;
