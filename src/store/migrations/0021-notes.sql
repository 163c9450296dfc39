-- What happened to a user's calendars and connections, for the endpoints that ask to hear of it. The number is one of the
-- user's feed. group_id is that of the account, which may be gone by now; `data` is JSON.
CREATE TABLE user_note (
  client_id  TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  seq        BIGINT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('calendars', 'connections')),
  event_type TEXT NOT NULL,
  group_id   TEXT NOT NULL,
  provider   TEXT NOT NULL,
  data       TEXT NOT NULL,
  noted_at   BIGINT NOT NULL,
  PRIMARY KEY (client_id, user_id, seq),
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);
CREATE INDEX user_note_by_age ON user_note (noted_at);
