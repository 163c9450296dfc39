-- How many seconds after a refresh the spent refresh token still returns its successor; 0: not at all.
ALTER TABLE application ADD COLUMN refresh_replay_window BIGINT NOT NULL DEFAULT 0
  CHECK (refresh_replay_window BETWEEN 0 AND 120);
