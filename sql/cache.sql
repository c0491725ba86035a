-- cache.sql -- every statement of the tables cache_entry and flight.

-- name: cache_find
-- The shared row, and the one of these credentials.
SELECT id, state, size_bytes, payload, details, scope, boot, build_id, made_at, used_at,
       repeats, credentials, checksum, coalesce(fresh_until, 0) AS fresh_until
  FROM cache_entry
 WHERE kind = :kind AND version = :version AND hash = :hash
   AND credentials IN (zeroblob(32), :credentials);

-- name: cache_key_of
SELECT kind, version, hash FROM cache_entry WHERE id = :id AND state = 'ready';

-- name: cache_forget
DELETE FROM cache_entry WHERE id = :id;

-- name: cache_forget_key
-- A payload answers for everybody: whatever was remembered goes.
DELETE FROM cache_entry WHERE kind = :kind AND version = :version AND hash = :hash;

-- name: cache_forget_shared_failure
-- Superseded by what these credentials were told.
DELETE FROM cache_entry
 WHERE kind = :kind AND version = :version AND hash = :hash
   AND credentials = zeroblob(32) AND state <> 'ready';

-- name: cache_forget_one
DELETE FROM cache_entry
 WHERE kind = :kind AND version = :version AND hash = :hash AND credentials = :credentials;

-- name: cache_add
INSERT INTO cache_entry (kind, version, hash, credentials, state, payload, size_bytes, details,
                         scope, module, source, boot, build_id, made_at, used_at, retry_at,
                         repeats, asks, key_text, checksum, module_id, debug_file, debug_id,
                         code_file, code_id, release, fresh_until, etag, last_modified)
VALUES (:kind, :version, :hash, :credentials, :state, :payload, :size_bytes, :details,
        :scope, :module, :source, :boot, :build_id, :now, :now, :retry_at, :repeats, :asks,
        :key_text, :checksum, :module_id, :debug_file, :debug_id, :code_file, :code_id,
        :release, :fresh_until, :etag, :last_modified);

-- name: cache_stale
-- What may be believed once more, when its server says so.
SELECT id, size_bytes, payload IS NOT NULL AS has_payload, scope, boot, made_at, used_at,
       coalesce(fresh_until, 0) AS fresh_until, etag, last_modified
  FROM cache_entry
 WHERE kind = :kind AND version = :version AND hash = :hash AND credentials = zeroblob(32)
   AND state = 'ready' AND coalesce(etag, last_modified) IS NOT NULL;

-- name: cache_renew
UPDATE cache_entry
   SET fresh_until = :fresh_until, etag = coalesce(:etag, etag),
       last_modified = coalesce(:last_modified, last_modified), made_at = :now, used_at = :now
 WHERE id = :id;

-- name: cache_asks
SELECT asks FROM cache_entry
 WHERE kind = :kind AND version = :version AND hash = :hash AND credentials = :credentials;

-- name: cache_touch
-- At most one write an hour for a hot entry; a failure's asks are counted instead.
UPDATE cache_entry
   SET used_at = CASE WHEN state = 'ready' AND used_at < :now - 3500 THEN :now ELSE used_at END,
       asks = asks + (state <> 'ready')
 WHERE id = :id;

-- name: cache_page
-- The keeper walks all entries in pages, judging each by the one rule in expiry.c.
SELECT id, kind, version, hash, state, size_bytes, payload IS NOT NULL AS has_payload, scope, boot, build_id,
       made_at, used_at, repeats, coalesce(fresh_until, 0) AS fresh_until,
       coalesce(etag, last_modified) IS NOT NULL AS is_versioned
  FROM cache_entry WHERE id > :after ORDER BY id LIMIT :count;

-- name: cache_total
SELECT count(*) AS entries, coalesce(sum(size_bytes), 0) AS bytes,
       count(*) FILTER (WHERE state <> 'ready' OR payload IS NOT NULL) AS rows_only
  FROM cache_entry;

-- name: cache_oldest
-- Least recently used first; whoever maps a file keeps its pages.
SELECT id, kind, version, hash, size_bytes, state, payload IS NOT NULL AS has_payload, used_at
  FROM cache_entry WHERE (used_at, id) > (:used_at, :id) ORDER BY used_at, id LIMIT :count;

-- name: cache_has
SELECT 1 FROM cache_entry
 WHERE kind = :kind AND version = :version AND hash = :hash AND credentials = zeroblob(32)
   AND state = 'ready' AND payload IS NULL;

-- name: cache_is_ready
SELECT 1 FROM cache_entry
 WHERE kind = :kind AND version = :version AND hash = :hash AND credentials = zeroblob(32)
   AND state = 'ready';

-- name: flight_claim
-- Ours when nobody flies, we do already, or the one who did is dead: its lease is past (or
-- absurdly far ahead: the clock was set back), or its boot is over.
INSERT INTO flight (kind, version, hash, owner, boot, lease_until, attempt, started_at, module,
                    key_text)
VALUES (:kind, :version, :hash, :owner, :boot, :now + :lease, 1, :now, :module, :key_text)
    ON CONFLICT (kind, version, hash) DO UPDATE
   SET owner = excluded.owner, boot = excluded.boot, lease_until = excluded.lease_until,
       attempt = attempt + 1, started_at = excluded.started_at
 WHERE flight.lease_until <= :now OR flight.lease_until > :now + 2 * :lease
    OR flight.boot < excluded.boot OR flight.owner = excluded.owner;

-- name: flight_renew
UPDATE flight SET lease_until = :now + :lease WHERE owner = :owner;

-- name: flight_lapse
UPDATE flight SET lease_until = :now WHERE owner = :owner;

-- name: flight_end
DELETE FROM flight WHERE kind = :kind AND version = :version AND hash = :hash;

-- name: flight_give_up
DELETE FROM flight
 WHERE kind = :kind AND version = :version AND hash = :hash AND owner = :owner;

-- name: flight_end_all
-- A new boot begins: nobody flies.
DELETE FROM flight;

-- name: flight_sweep
-- There are as many flights as there are downloads and cells: few.
DELETE FROM flight WHERE lease_until < :now - :lease;

-- name: cache_admin_list
-- columns of: cache_page
-- For people; a filter that is NULL or 0 lets everything pass.
SELECT id, kind, version, hash, state, size_bytes, payload IS NOT NULL AS has_payload, scope, boot, build_id,
       made_at, used_at, repeats, coalesce(fresh_until, 0) AS fresh_until,
       coalesce(etag, last_modified) IS NOT NULL AS is_versioned, module, source, details, asks, key_text,
       credentials <> zeroblob(32) AS is_personal, module_id
  FROM cache_entry
 WHERE id > :after
   AND (:kind IS NULL OR kind = :kind)
   AND (:scope IS NULL OR coalesce(scope, 'global') = :scope)
   AND (:module IS NULL OR module = :module OR module_id = :module)
   AND (:source IS NULL OR source = :source)
   AND (:id = 0 OR id = :id)
   AND (:failures = 0 OR state <> 'ready')
   AND (:hash IS NULL OR hex(hash) LIKE :hash || '%')
 ORDER BY id LIMIT :count;

-- name: cache_admin_sorted
-- columns of: cache_admin_list
-- The same for the whole list at once, in another order.
SELECT id, kind, version, hash, state, size_bytes, payload IS NOT NULL AS has_payload, scope, boot, build_id,
       made_at, used_at, repeats, coalesce(fresh_until, 0) AS fresh_until,
       coalesce(etag, last_modified) IS NOT NULL AS is_versioned, module, source, details, asks, key_text,
       credentials <> zeroblob(32) AS is_personal, module_id
  FROM cache_entry
 WHERE id > :after
   AND (:kind IS NULL OR kind = :kind)
   AND (:scope IS NULL OR coalesce(scope, 'global') = :scope)
   AND (:module IS NULL OR module = :module OR module_id = :module)
   AND (:source IS NULL OR source = :source)
   AND (:id = 0 OR id = :id)
   AND (:failures = 0 OR state <> 'ready')
   AND (:hash IS NULL OR hex(hash) LIKE :hash || '%')
 ORDER BY CASE :sort WHEN 'newest' THEN -made_at WHEN 'oldest' THEN made_at
                     WHEN 'size' THEN -size_bytes WHEN 'used' THEN -used_at
                     WHEN 'asks' THEN -asks ELSE id END, id
 LIMIT :count;

-- name: flight_of
SELECT owner, attempt, started_at, lease_until FROM flight
 WHERE kind = :kind AND version = :version AND hash = :hash;

-- name: flight_list
-- What is downloaded and made right now; :owner NULL: by anybody.
SELECT kind, module, key_text, owner, started_at, attempt FROM flight
 WHERE lease_until > :now AND (:owner IS NULL OR owner = :owner) ORDER BY started_at LIMIT :count;

-- name: cache_by_kind
SELECT kind, version, count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures, sum(size_bytes) AS bytes,
       version < max(version) OVER (PARTITION BY kind) AS is_outdated
  FROM cache_entry GROUP BY kind, version ORDER BY bytes DESC;

-- name: cache_by_source
SELECT coalesce(source, '(none)') AS source, count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state = 'not_found') AS not_found,
       count(*) FILTER (WHERE state = 'denied') AS denied,
       count(*) FILTER (WHERE state NOT IN ('ready', 'not_found', 'denied')) AS failed,
       max(made_at) AS newest_at
  FROM cache_entry GROUP BY 1 ORDER BY 2 DESC, 1;

-- name: cache_of_module
SELECT kind, state, source, scope, size_bytes, details, made_at, retry_at, repeats, asks, id,
       key_text, module_id
  FROM cache_entry WHERE module = :module OR module_id = :module
 ORDER BY CASE :sort WHEN 'oldest' THEN made_at WHEN 'size' THEN -size_bytes
                     WHEN 'used' THEN -used_at WHEN 'asks' THEN -asks
                     WHEN 'id' THEN id ELSE -made_at END, id DESC
 LIMIT :count;
