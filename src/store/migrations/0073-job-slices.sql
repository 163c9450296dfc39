-- Versions do not mix: an older instance claims jobs under another lock, so limits over all instances would not hold. No job is
-- lost meanwhile, since the database computes the slice of its rows as well.
--
-- All jobs of a host, or of an owner without one, are in a slice, whose row is locked while they are counted and claimed. It is
-- the first byte of the name's SHA-256, modulo 64; 0 on SQLite, which has one writer.
-- on postgres: ALTER TABLE job ADD COLUMN slice BIGINT NOT NULL GENERATED ALWAYS AS (get_byte(sha256(decode(replace(CASE WHEN host <> '' THEN host ELSE owner END, '\', '\\'), 'escape')), 0) % 64) STORED;
-- on postgres: ALTER TABLE job_turn ADD COLUMN slice BIGINT NOT NULL GENERATED ALWAYS AS (get_byte(sha256(decode(replace(CASE WHEN host <> '' THEN host ELSE owner END, '\', '\\'), 'escape')), 0) % 64) STORED;
-- on sqlite: ALTER TABLE job ADD COLUMN slice BIGINT NOT NULL DEFAULT 0;
-- on sqlite: ALTER TABLE job_turn ADD COLUMN slice BIGINT NOT NULL DEFAULT 0;
CREATE TABLE job_slice (slice BIGINT PRIMARY KEY);
INSERT INTO job_slice (slice)
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 63) SELECT n FROM numbers;
-- The row that was locked before.
DELETE FROM job_turn WHERE owner = '' AND kind = '' AND host = '';

-- Has all the columns by which slices and turns are chosen.
DROP INDEX job_turn_by_time;
CREATE INDEX job_turn_by_time ON job_turn (kind, turn_at, client_id, host, owner, served_at, slice);
DROP INDEX job_leased;
CREATE INDEX job_leased ON job (run_at, slice) WHERE lease_holder IS NOT NULL;
