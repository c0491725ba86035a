-- 0006-apikey.sql -- the keys that were given out to those who send files.
-- (Released: never edited.  Prose stands in schema.sql.)

CREATE TABLE apikey (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE CHECK (length(id) = 20),
  name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  hash       BLOB    NOT NULL CHECK (length(hash) = 32),
  created_at INTEGER NOT NULL,
  used_at    INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE UNIQUE INDEX apikey_by_name ON apikey (name) WHERE revoked_at IS NULL;
