-- The application of a job, so that applications share the slots. It is '' in rows that were there before, and in those that an
-- older instance inserts, until the job is scheduled again.
ALTER TABLE job ADD COLUMN client_id TEXT NOT NULL DEFAULT '';
ALTER TABLE job_turn ADD COLUMN client_id TEXT NOT NULL DEFAULT '';
-- Has all the columns by which turns are skipped: passing over thousands of them reads no rows of the table.
DROP INDEX job_turn_by_time;
CREATE INDEX job_turn_by_time ON job_turn (kind, turn_at, client_id, host, owner, served_at);
