-- Attempts for a person or an account, counted by all instances together. `next_at` is when another one is allowed once
-- there were too many, `until` when counting starts again, both in epoch milliseconds.
CREATE TABLE attempt (
  key_hash TEXT PRIMARY KEY,
  count    BIGINT NOT NULL,
  until    BIGINT NOT NULL,
  next_at  BIGINT NOT NULL
);
CREATE INDEX attempt_by_end ON attempt (until);
