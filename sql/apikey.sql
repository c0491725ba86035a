-- apikey.sql -- every statement of the table apikey.

-- name: apikey_add
INSERT INTO apikey (id, name, hash, created_at) VALUES (:id, :name, :hash, :now)
    ON CONFLICT DO NOTHING;

-- name: apikey_of_id
SELECT id, name, hash, used_at, revoked_at FROM apikey WHERE id = :id;

-- name: apikey_note_use
UPDATE apikey SET used_at = :now WHERE id = :id;

-- name: apikey_revoke
UPDATE apikey SET revoked_at = :now
 WHERE (id = :key AND revoked_at IS NULL) OR (name = :key AND revoked_at IS NULL);

-- name: apikey_list
SELECT id, name, created_at, used_at, revoked_at FROM apikey ORDER BY seq DESC;
