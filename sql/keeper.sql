-- keeper.sql -- what the keeper asks on its own account.

-- name: keeper_live_jobs
SELECT count(*) FROM job WHERE finished_at IS NULL AND state IN ('queued', 'running');
