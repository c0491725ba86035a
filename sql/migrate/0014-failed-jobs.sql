-- 0014-failed-jobs.sql -- the jobs that failed are found without all others.
-- (Released: never edited.  Prose stands in schema.sql.)

CREATE INDEX job_failed ON job (state) WHERE state IN ('failed', 'timeout', 'internal_error');
