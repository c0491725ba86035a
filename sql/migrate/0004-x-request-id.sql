-- 0004-x-request-id.sql -- what a client calls its request.
-- (Released: never edited.  Prose stands in schema.sql.)

ALTER TABLE job ADD COLUMN x_request_id TEXT;

DROP VIEW v_jobs;

CREATE VIEW v_jobs AS
SELECT id, kind, coalesce(scope, '(global)') AS scope, state,
       datetime(created_at, 'unixepoch') AS created_utc,
       unixepoch() - created_at AS age_seconds,
       CASE WHEN millis IS NOT NULL THEN round(millis / 1000.0, 3)
            ELSE coalesce(finished_at, unixepoch()) - created_at END AS took_seconds,
       attempt, owner, body_bytes, result_bytes, x_request_id
  FROM job ORDER BY seq DESC;
