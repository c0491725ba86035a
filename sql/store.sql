-- store.sql -- statements of the store itself.

-- name: store_boot_latest
SELECT id, build_id, started_at FROM boot ORDER BY id DESC LIMIT 1;

-- name: store_boot_add
INSERT INTO boot (kernel_boot_id, build_id, started_at)
VALUES (:kernel_boot_id, :build_id, :now);

-- name: store_boot_forget
-- A year of restarts is history enough.
DELETE FROM boot WHERE id <= :id - 1000;

-- name: store_probe
INSERT INTO probe (id, checked_at) VALUES (1, :now)
    ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at, times = times + 1;
