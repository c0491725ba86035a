-- 0001-first.sql -- the first schema; what its columns mean stands in sql/schema.sql.

CREATE TABLE boot (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  kernel_boot_id TEXT    NOT NULL,
  build_id       TEXT    NOT NULL,
  started_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE probe (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  checked_at INTEGER NOT NULL,
  times      INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE cache_entry (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT    NOT NULL,
  version     INTEGER NOT NULL CHECK (version > 0),
  hash        BLOB    NOT NULL CHECK (length(hash) = 32),
  credentials BLOB    NOT NULL CHECK (length(credentials) = 32),
  state       TEXT    NOT NULL CHECK (state IN
              ('ready', 'not_found', 'denied', 'malformed', 'unsupported', 'download',
               'timeout', 'limit', 'crashed')),
  payload     BLOB,
  size_bytes  INTEGER NOT NULL CHECK (size_bytes >= 0),
  details     TEXT,
  scope       TEXT,
  module      TEXT,
  source      TEXT,
  boot        INTEGER NOT NULL,
  build_id    TEXT    NOT NULL,
  made_at     INTEGER NOT NULL,
  used_at     INTEGER NOT NULL,
  retry_at    INTEGER,
  repeats     INTEGER NOT NULL DEFAULT 0 CHECK (repeats >= 0),
  asks        INTEGER NOT NULL DEFAULT 0 CHECK (asks >= 0),
  CHECK ((state = 'ready') = (details IS NULL)),
  CHECK (state = 'ready' OR (payload IS NULL AND size_bytes = 0)),
  CHECK (state IN ('not_found', 'denied') OR credentials = zeroblob(32)),
  CHECK (payload IS NULL OR length(payload) = size_bytes),
  UNIQUE (kind, version, hash, credentials)
) STRICT;

CREATE INDEX cache_entry_by_use ON cache_entry (used_at, id);
CREATE INDEX cache_entry_by_module ON cache_entry (module) WHERE module IS NOT NULL;

CREATE TABLE flight (
  kind        TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  hash        BLOB    NOT NULL CHECK (length(hash) = 32),
  owner       TEXT    NOT NULL,
  boot        INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  attempt     INTEGER NOT NULL CHECK (attempt > 0),
  started_at  INTEGER NOT NULL,
  PRIMARY KEY (kind, version, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX flight_by_owner ON flight (owner);

CREATE TABLE job (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT    NOT NULL UNIQUE CHECK (length(id) = 36),
  kind         TEXT    NOT NULL,
  scope        TEXT,
  state        TEXT    NOT NULL CHECK (state IN
               ('queued', 'running', 'completed', 'failed', 'timeout', 'internal_error')),
  owner        TEXT,
  lease_until  INTEGER,
  attempt      INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  lapses       INTEGER NOT NULL DEFAULT 0 CHECK (lapses >= 0),
  body_bytes   INTEGER NOT NULL CHECK (body_bytes >= 0),
  result_bytes INTEGER,
  created_at   INTEGER NOT NULL,
  arrived_millis INTEGER NOT NULL DEFAULT 0,
  deadline_at  INTEGER NOT NULL,
  claimed_at   INTEGER,
  finished_at  INTEGER,
  millis       INTEGER,
  candidates   TEXT,
  CHECK ((state IN ('queued', 'running')) = (finished_at IS NULL)),
  CHECK ((state = 'running') = (owner IS NOT NULL)),
  CHECK ((owner IS NULL) = (lease_until IS NULL))
) STRICT;

CREATE INDEX job_live ON job (state, seq) WHERE finished_at IS NULL;
CREATE INDEX job_by_owner ON job (owner) WHERE owner IS NOT NULL;
CREATE INDEX job_by_end ON job (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX job_with_result ON job (finished_at) WHERE result_bytes IS NOT NULL;

CREATE VIEW v_jobs AS
SELECT id, kind, coalesce(scope, '(global)') AS scope, state,
       datetime(created_at, 'unixepoch') AS created_utc,
       unixepoch() - created_at AS age_seconds,
       CASE WHEN millis IS NOT NULL THEN round(millis / 1000.0, 3)
            ELSE coalesce(finished_at, unixepoch()) - created_at END AS took_seconds,
       attempt, owner, body_bytes, result_bytes
  FROM job ORDER BY seq DESC;

CREATE VIEW v_jobs_slow AS
SELECT id, kind, state,
       CASE WHEN millis IS NOT NULL THEN round(millis / 1000.0, 3)
            ELSE coalesce(finished_at, unixepoch()) - created_at END AS took_seconds,
       claimed_at - created_at AS waited_seconds, attempt, lapses,
       datetime(created_at, 'unixepoch') AS created_utc, owner
  FROM job ORDER BY took_seconds DESC, seq;

CREATE VIEW v_cache_by_kind AS
SELECT kind, version,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       datetime(min(used_at), 'unixepoch') AS oldest_use_utc,
       datetime(max(made_at), 'unixepoch') AS newest_utc
  FROM cache_entry GROUP BY kind, version ORDER BY bytes DESC;

CREATE VIEW v_cache_by_scope AS
SELECT coalesce(scope, '(global)') AS scope,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib
  FROM cache_entry GROUP BY 1 ORDER BY bytes DESC;

CREATE VIEW v_missing AS
SELECT module, sum(asks) FILTER (WHERE state = 'not_found') AS asks,
       count(*) FILTER (WHERE state = 'not_found') AS places_without,
       count(*) FILTER (WHERE state = 'ready') AS places_with,
       group_concat(DISTINCT source) FILTER (WHERE state = 'not_found') AS sources_without,
       datetime(max(made_at) FILTER (WHERE state = 'not_found'), 'unixepoch') AS last_tried_utc
  FROM cache_entry
 WHERE kind = 'object_meta' AND state IN ('not_found', 'ready') AND module IS NOT NULL
 GROUP BY module HAVING places_without > 0
 ORDER BY places_with = 0 DESC, asks DESC, module;

CREATE VIEW v_negative AS
SELECT id, state, kind, module, source, coalesce(scope, '(global)') AS scope, details,
       datetime(made_at, 'unixepoch') AS made_utc,
       unixepoch() - made_at AS age_seconds,
       datetime(retry_at, 'unixepoch') AS retry_utc,
       max(retry_at - unixepoch(), 0) AS retry_in_seconds, repeats, asks
  FROM cache_entry WHERE state <> 'ready' ORDER BY made_at DESC, id DESC;

CREATE VIEW v_sources_failing AS
SELECT source, state, count(*) AS entries, max(details) AS example,
       datetime(max(made_at), 'unixepoch') AS last_utc
  FROM cache_entry
 WHERE state IN ('denied', 'download', 'timeout') AND source IS NOT NULL
 GROUP BY source, state ORDER BY entries DESC, source;
