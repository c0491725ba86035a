-- 0003-checksum.sql -- what the bytes of a blob come to, so that damage is noticed.
-- (Released: never edited.  Prose stands in schema.sql.)

ALTER TABLE cache_entry ADD COLUMN checksum INTEGER;
