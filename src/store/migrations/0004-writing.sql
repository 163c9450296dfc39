-- Requests of the calendar API that a caller may repeat (Idempotency-Key), for a day. The seed names what is created at the
-- provider; the answer is there once there is one. What is under way is held until lease_until.
CREATE TABLE idempotency (
  client_id    TEXT NOT NULL,
  user_id      TEXT NOT NULL,
  key_hash     TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  seed         TEXT NOT NULL,
  answer       TEXT,
  -- Whose event the answer shows: it goes with the account.
  account_key  TEXT REFERENCES account ON DELETE CASCADE,
  lease_holder TEXT,
  lease_until  BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  PRIMARY KEY (client_id, user_id, key_hash),
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE INDEX idempotency_by_account ON idempotency (account_key);

-- Series that are being split in two at the provider: what is to be done, and how far it has come.
CREATE TABLE split_journal (
  split_id     TEXT PRIMARY KEY,
  calendar_key TEXT NOT NULL REFERENCES calendar ON DELETE CASCADE,
  step         TEXT NOT NULL CHECK (step IN ('planned', 'created', 'undoing')),
  plan         TEXT NOT NULL,
  created_at   BIGINT NOT NULL
);
CREATE INDEX split_journal_by_calendar ON split_journal (calendar_key);

-- A write finds its event by the id on the wire.
CREATE INDEX event_by_id ON event (calendar_key, event_id);
