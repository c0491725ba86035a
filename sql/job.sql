-- job.sql -- every statement of the table job.

-- name: job_count_live
SELECT count(*) AS jobs FROM job WHERE finished_at IS NULL AND state IN ('queued', 'running');

-- name: job_count_asked
-- Those somebody waits for.
SELECT count(*) AS jobs FROM job
 WHERE finished_at IS NULL AND state IN ('queued', 'running') AND kind NOT GLOB 'refresh-*';

-- name: job_count_refreshes
SELECT count(*) AS jobs FROM job
 WHERE finished_at IS NULL AND state IN ('queued', 'running') AND kind GLOB 'refresh-*';

-- name: job_add
INSERT INTO job (id, kind, scope, state, body_bytes, created_at, deadline_at, arrived_millis,
                 x_request_id, kept_until)
VALUES (:id, :kind, :scope, 'queued', :body_bytes, :now, :deadline_at, :now_millis, :x_request_id,
        :kept_until);

-- name: job_record
INSERT INTO job (id, kind, scope, state, body_bytes, created_at, deadline_at, finished_at, millis,
                 arrived_millis, x_request_id)
VALUES (:id, :kind, :scope, 'completed', 0, :now, :now, :now, :millis, :now * 1000 - :millis,
        :x_request_id);

-- name: job_oldest_queued
SELECT seq, id, kind, scope, created_at, deadline_at, attempt, lapses, x_request_id FROM job
 WHERE finished_at IS NULL AND state = 'queued' ORDER BY seq LIMIT 1;

-- name: job_oldest_lapsed
-- columns of: job_oldest_queued
-- Its holder died, or the clock was set back by more than a lease.
SELECT seq, id, kind, scope, created_at, deadline_at, attempt, lapses, x_request_id FROM job
 WHERE finished_at IS NULL AND state = 'running'
   AND (lease_until <= :now OR lease_until > :now + 2 * :lease)
 ORDER BY seq LIMIT 1;

-- name: job_take
UPDATE job SET state = 'running', owner = :owner, lease_until = :now + :lease,
       attempt = attempt + 1, lapses = :lapses, claimed_at = coalesce(claimed_at, :now)
 WHERE seq = :seq;

-- name: job_renew
UPDATE job SET lease_until = :now + :lease WHERE owner = :owner;

-- name: job_give_back
UPDATE job SET state = 'queued', owner = NULL, lease_until = NULL
 WHERE id = :id AND owner = :owner AND attempt = :attempt AND finished_at IS NULL;

-- name: job_of_the_dead
-- Not through it: whoever carried it was killed from outside.
UPDATE job SET state = 'queued', owner = NULL, lease_until = NULL
 WHERE owner = :owner AND attempt < :most AND finished_at IS NULL;

-- name: job_requeue_all
-- A new boot begins: nobody lived, so whoever carried these jobs is dead, leases or not.
UPDATE job SET state = 'queued', owner = NULL, lease_until = NULL, lapses = lapses + 1
 WHERE finished_at IS NULL AND state = 'running';

-- name: job_lapse
UPDATE job SET lease_until = :now WHERE owner = :owner;

-- name: job_end_claimed
-- Only the claim that stands may end a job.
UPDATE job SET state = :state, owner = NULL, lease_until = NULL, finished_at = :now,
       millis = max(:now_millis - arrived_millis, 0), result_bytes = :result_bytes
 WHERE id = :id AND owner = :owner AND attempt = :attempt AND finished_at IS NULL;

-- name: job_of_claim
SELECT count(*) AS jobs FROM job WHERE id = :id AND owner = :owner AND attempt = :attempt;

-- name: job_end
UPDATE job SET state = :state, owner = NULL, lease_until = NULL, finished_at = :now,
       millis = max(:now_millis - arrived_millis, 0)
 WHERE id = :id AND finished_at IS NULL;

-- name: job_overdue
-- Few jobs are live: max_concurrent_requests of them at most.  Who carries one ends it by itself,
-- and can say why; it gets two seconds for that.
SELECT id FROM job
 WHERE finished_at IS NULL AND state IN ('queued', 'running') AND deadline_at <= :now
   AND (state = 'queued' OR lease_until <= :now OR deadline_at <= :now - 2)
 LIMIT :count;

-- name: job_lapsed_for_good
SELECT id FROM job
 WHERE finished_at IS NULL AND state = 'running' AND lease_until <= :now AND lapses >= :lapses
 LIMIT :count;

-- name: job_look
SELECT state, finished_at, result_bytes, kept_until FROM job WHERE id = :id;

-- name: job_with_old_result
SELECT id FROM job
 WHERE result_bytes IS NOT NULL AND kept_until IS NULL AND finished_at <= :before
 ORDER BY finished_at LIMIT :count;

-- name: job_no_longer_kept
-- columns of: job_with_old_result
SELECT id FROM job
 WHERE kept_until IS NOT NULL AND kept_until <= :now AND finished_at <= :before
 ORDER BY kept_until LIMIT :count;

-- name: job_kept
-- The newest first.
SELECT id, result_bytes, finished_at FROM job
 WHERE kept_until IS NOT NULL AND result_bytes IS NOT NULL
 ORDER BY kept_until DESC, seq DESC;

-- name: job_result_gone
UPDATE job SET result_bytes = NULL, kept_until = NULL WHERE id = :id;

-- name: job_delete
DELETE FROM job WHERE id = :id AND kept_until IS NOT NULL;

-- name: job_has_old
-- Asked every second, so that the write lock is not.
SELECT EXISTS (SELECT 1 FROM job WHERE finished_at IS NOT NULL AND finished_at <= :before
                                   AND kept_until IS NULL)
    OR (SELECT max(seq) FROM job) -
       (SELECT seq FROM job WHERE kept_until IS NULL ORDER BY seq LIMIT 1) >= :keep + 1000 AS is_any;

-- name: job_forget_old
-- History for people ends after a while.
DELETE FROM job WHERE seq IN
       (SELECT seq FROM job WHERE finished_at <= :before AND finished_at IS NOT NULL
           AND kept_until IS NULL ORDER BY finished_at LIMIT :count);

-- name: job_forget_many
-- ... or after so many; what has just ended may still be asked for.
DELETE FROM job WHERE seq IN
       (SELECT seq FROM job WHERE seq <= (SELECT max(seq) FROM job) - :keep
           AND finished_at <= :before AND finished_at IS NOT NULL AND kept_until IS NULL
         ORDER BY finished_at LIMIT :count);

-- name: job_note_candidates
UPDATE job SET candidates = :json WHERE id = :id;

-- name: job_live_by_state
SELECT state, count(*) AS jobs, min(created_at) AS oldest_at FROM job
 WHERE finished_at IS NULL AND state IN ('queued', 'running') GROUP BY state;

-- name: job_ended_by_state
SELECT state, count(*) AS jobs, coalesce(max(millis), 0) AS slowest_millis FROM job
 WHERE finished_at IS NOT NULL AND finished_at >= :since GROUP BY state;

-- name: job_of_id
SELECT id, kind, scope, state, created_at, finished_at, millis, attempt, candidates, owner,
       kept_until, result_bytes
  FROM job WHERE id = :id;

-- name: job_under_way
-- columns of: job_of_id
SELECT id, kind, scope, state, created_at, finished_at, millis, attempt, candidates, owner,
       kept_until, result_bytes
  FROM job WHERE finished_at IS NULL AND state IN ('queued', 'running')
 ORDER BY seq LIMIT :count;

-- name: job_mentioning
-- columns of: job_of_id
-- A look through the history, for people: as many rows as jobs are kept.
SELECT id, kind, scope, state, created_at, finished_at, millis, attempt, candidates, owner,
       kept_until, result_bytes
  FROM job
 WHERE candidates IS NOT NULL AND instr(candidates, :text) > 0 ORDER BY seq DESC LIMIT :count;
