-- history.sql -- every statement of the tables sample and host_state.

-- name: sample_add
-- In the order of enum history_field.  A minute may have several parts: a keeper that was restarted.
INSERT INTO sample (span, at, node,
  seconds, requests, failed, asked, cold, jobs_completed, jobs_failed, jobs_timeout, jobs_internal,
  hits, misses, downloads_ok, downloads_absent, downloads_failed, download_bytes, written_bytes,
  cells_done, cells_failed, cells_crashed, cells_limit, cells_killed, jobs_live, cache_bytes, timed,
  le_1, le_2, le_4, le_8, le_16, le_32, le_64, le_128, le_256, le_512, le_1024, le_2048, le_4096,
  le_8192, le_16384, le_32768, le_65536)
VALUES (:span, :at, :node,
  :seconds, :requests, :failed, :asked, :cold, :jobs_completed, :jobs_failed, :jobs_timeout,
  :jobs_internal, :hits, :misses, :downloads_ok, :downloads_absent, :downloads_failed,
  :download_bytes, :written_bytes, :cells_done, :cells_failed, :cells_crashed, :cells_limit,
  :cells_killed, :jobs_live, :cache_bytes, :timed, :le_1, :le_2, :le_4, :le_8, :le_16, :le_32,
  :le_64, :le_128, :le_256, :le_512, :le_1024, :le_2048, :le_4096, :le_8192, :le_16384, :le_32768,
  :le_65536)
    ON CONFLICT DO UPDATE SET
  seconds = seconds + excluded.seconds, requests = requests + excluded.requests,
  failed = failed + excluded.failed, asked = asked + excluded.asked, cold = cold + excluded.cold,
  jobs_completed = jobs_completed + excluded.jobs_completed,
  jobs_failed = jobs_failed + excluded.jobs_failed,
  jobs_timeout = jobs_timeout + excluded.jobs_timeout,
  jobs_internal = jobs_internal + excluded.jobs_internal, hits = hits + excluded.hits,
  misses = misses + excluded.misses, downloads_ok = downloads_ok + excluded.downloads_ok,
  downloads_absent = downloads_absent + excluded.downloads_absent,
  downloads_failed = downloads_failed + excluded.downloads_failed,
  download_bytes = download_bytes + excluded.download_bytes,
  written_bytes = written_bytes + excluded.written_bytes,
  cells_done = cells_done + excluded.cells_done,
  cells_failed = cells_failed + excluded.cells_failed,
  cells_crashed = cells_crashed + excluded.cells_crashed,
  cells_limit = cells_limit + excluded.cells_limit,
  cells_killed = cells_killed + excluded.cells_killed,
  jobs_live = max(jobs_live, excluded.jobs_live),
  cache_bytes = coalesce(max(cache_bytes, excluded.cache_bytes), cache_bytes, excluded.cache_bytes),
  timed = timed + excluded.timed, le_1 = le_1 + excluded.le_1, le_2 = le_2 + excluded.le_2,
  le_4 = le_4 + excluded.le_4, le_8 = le_8 + excluded.le_8, le_16 = le_16 + excluded.le_16,
  le_32 = le_32 + excluded.le_32, le_64 = le_64 + excluded.le_64, le_128 = le_128 + excluded.le_128,
  le_256 = le_256 + excluded.le_256, le_512 = le_512 + excluded.le_512,
  le_1024 = le_1024 + excluded.le_1024, le_2048 = le_2048 + excluded.le_2048,
  le_4096 = le_4096 + excluded.le_4096, le_8192 = le_8192 + excluded.le_8192,
  le_16384 = le_16384 + excluded.le_16384, le_32768 = le_32768 + excluded.le_32768,
  le_65536 = le_65536 + excluded.le_65536;

-- name: sample_range
-- The newest first.
SELECT at, node,
       seconds, requests, failed, asked, cold, jobs_completed, jobs_failed, jobs_timeout,
       jobs_internal, hits, misses, downloads_ok, downloads_absent, downloads_failed,
       download_bytes, written_bytes, cells_done, cells_failed, cells_crashed, cells_limit,
       cells_killed, jobs_live, cache_bytes, timed, le_1, le_2, le_4, le_8, le_16, le_32, le_64,
       le_128, le_256, le_512, le_1024, le_2048, le_4096, le_8192, le_16384, le_32768, le_65536
  FROM sample WHERE span = :span AND at >= :from AND at < :until ORDER BY at DESC, node;

-- name: sample_forget
-- What stands in the future was written by a clock that was wrong.
DELETE FROM sample WHERE span = :span AND (at < :before OR at > :after);

-- name: host_turned
INSERT INTO host_state (host, named_by, owner, source, state, since, until, words)
VALUES (:host, :named_by, :owner, :source, :state, :now, :until, :words)
    ON CONFLICT DO UPDATE SET source = excluded.source, state = excluded.state, since = excluded.since,
       until = excluded.until, words = coalesce(excluded.words, words);

-- name: host_forget_owner
DELETE FROM host_state WHERE owner = :owner;

-- name: host_forget_stale
DELETE FROM host_state WHERE coalesce(until, since) < :before OR since > :after;

-- name: host_list
-- Those that are not well first.
SELECT host, named_by, owner, source, state, since, until, words FROM host_state
 ORDER BY state = 'closed', since DESC, host, named_by, owner LIMIT :count;
