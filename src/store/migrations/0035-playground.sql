-- Test users of the dashboard's playground (playground/test-user-store.ts): one for each person and application. Instants are
-- epoch milliseconds.

-- `session_id`, `state_hash`, `verifier` and `begun_at` are of the flow that is under way. `verifier` and `tokens` are sealed.
-- The row of somebody who was removed waits for housekeeping, which deletes the user with it.
CREATE TABLE playground_user (
  client_id  TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  person_id  TEXT REFERENCES person ON DELETE SET NULL,
  created_at BIGINT NOT NULL,
  ends_at    BIGINT NOT NULL,
  session_id TEXT,
  state_hash TEXT,
  verifier   TEXT,
  begun_at   BIGINT,
  tokens     TEXT,
  PRIMARY KEY (client_id, user_id),
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);
CREATE UNIQUE INDEX playground_user_by_person ON playground_user (person_id, client_id);
CREATE INDEX playground_user_by_end ON playground_user (ends_at);
CREATE INDEX playground_user_by_state ON playground_user (state_hash);
