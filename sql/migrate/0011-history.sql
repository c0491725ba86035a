-- 0011-history.sql -- samples of what is counted, hosts that failed, results that are kept for longer.
-- (Released: never edited.  Prose stands in schema.sql.)

ALTER TABLE job ADD COLUMN kept_until INTEGER;

DROP INDEX job_with_result;

CREATE INDEX job_with_result ON job (finished_at) WHERE result_bytes IS NOT NULL AND kept_until IS NULL;

CREATE INDEX job_kept ON job (kept_until) WHERE kept_until IS NOT NULL;

CREATE TABLE sample (
  span             INTEGER NOT NULL CHECK (span IN (60, 600, 3600)),
  at               INTEGER NOT NULL CHECK (at % span = 0),
  node             TEXT    NOT NULL CHECK (length(node) BETWEEN 1 AND 64),
  seconds          INTEGER NOT NULL CHECK (seconds > 0),
  requests         INTEGER NOT NULL,
  failed           INTEGER NOT NULL,
  asked            INTEGER NOT NULL,
  cold             INTEGER NOT NULL,
  jobs_completed   INTEGER NOT NULL,
  jobs_failed      INTEGER NOT NULL,
  jobs_timeout     INTEGER NOT NULL,
  jobs_internal    INTEGER NOT NULL,
  hits             INTEGER NOT NULL,
  misses           INTEGER NOT NULL,
  downloads_ok     INTEGER NOT NULL,
  downloads_absent INTEGER NOT NULL,
  downloads_failed INTEGER NOT NULL,
  download_bytes   INTEGER NOT NULL,
  written_bytes    INTEGER NOT NULL,
  cells_done       INTEGER NOT NULL,
  cells_failed     INTEGER NOT NULL,
  cells_crashed    INTEGER NOT NULL,
  cells_limit      INTEGER NOT NULL,
  cells_killed     INTEGER NOT NULL,
  jobs_live        INTEGER NOT NULL,
  cache_bytes      INTEGER,
  timed            INTEGER NOT NULL,
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

CREATE TABLE host_state (
  host     TEXT    NOT NULL,
  named_by TEXT    NOT NULL CHECK (named_by IN ('operator', 'request')),
  owner    TEXT    NOT NULL,
  source   TEXT,
  state    TEXT    NOT NULL CHECK (state IN ('open', 'half', 'closed')),
  since    INTEGER NOT NULL,
  until    INTEGER CHECK ((state = 'open') = (until IS NOT NULL)),
  words    TEXT,
  PRIMARY KEY (host, named_by, owner)
) STRICT, WITHOUT ROWID;

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

CREATE VIEW v_host_state AS
SELECT host, CASE WHEN state = 'open' AND until <= unixepoch() THEN 'half' ELSE state END AS state,
       source, named_by, strftime('%Y-%m-%dT%H:%M:%SZ', since, 'unixepoch') AS since_utc,
       max(until - unixepoch(), 0) AS retry_in_seconds, words, owner
  FROM host_state ORDER BY state = 'closed', since DESC, host, named_by, owner;
