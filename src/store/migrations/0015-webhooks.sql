-- Where deliveries of an application go. Its webhook_url is the first, with the id 'we_' and the application's.
-- `secrets` is sealed JSON; NULL until one is made. `address` is the URL's origin and path. An endpoint without end has no
-- expires_at; that of a listener ends soon after the listener.
CREATE TABLE webhook_endpoint (
  endpoint_id       TEXT PRIMARY KEY,
  client_id         TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  url               TEXT NOT NULL,
  address           TEXT NOT NULL,
  is_first          BIGINT NOT NULL CHECK (is_first IN (0, 1)),
  secrets           TEXT,
  hears_events      BIGINT NOT NULL DEFAULT 1 CHECK (hears_events IN (0, 1)),
  hears_calendars   BIGINT NOT NULL DEFAULT 0 CHECK (hears_calendars IN (0, 1)),
  hears_connections BIGINT NOT NULL DEFAULT 0 CHECK (hears_connections IN (0, 1)),
  hears_own         BIGINT NOT NULL DEFAULT 0 CHECK (hears_own IN (0, 1)),
  state             TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused')),
  paused_reason     TEXT,
  paused_at         BIGINT,
  -- Attempts in a row that failed, since when, and before when none is made.
  failures          BIGINT NOT NULL DEFAULT 0,
  failing_since     BIGINT,
  gate_at           BIGINT NOT NULL DEFAULT 0,
  served_at         BIGINT NOT NULL DEFAULT 0,
  created_at        BIGINT NOT NULL,
  expires_at        BIGINT
);
CREATE INDEX webhook_endpoint_by_client ON webhook_endpoint (client_id);
CREATE INDEX webhook_endpoint_by_address ON webhook_endpoint (address);
CREATE INDEX webhook_endpoint_by_end ON webhook_endpoint (expires_at) WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX webhook_endpoint_first ON webhook_endpoint (client_id) WHERE is_first = 1;
INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at)
SELECT 'we_' || client_id, client_id, webhook_url, webhook_url, 1, updated_at FROM application
 WHERE webhook_url IS NOT NULL AND webhook_url <> '';

-- What an application chose for a calendar: a channel id of its own, or not to hear of it.
CREATE TABLE webhook_subscription (
  calendar_key TEXT PRIMARY KEY REFERENCES calendar ON DELETE CASCADE,
  client_id    TEXT NOT NULL,
  user_id      TEXT NOT NULL,
  channel_id   TEXT,
  expires_at   BIGINT,
  ended        BIGINT NOT NULL CHECK (ended IN (0, 1)),
  updated_at   BIGINT NOT NULL,
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);
CREATE UNIQUE INDEX webhook_subscription_by_channel ON webhook_subscription (client_id, user_id, channel_id)
 WHERE channel_id IS NOT NULL;

-- What an endpoint hears of a calendar, or without one of a user's calendars and connections (user_note): up to where of the
-- user's feed it was told (`told_id` is NULL where that is all of `told_seq`), and when something is to be done for it.
-- due_at 0: changed since it was last looked at; NULL: nothing to do; while its work is leased, the end of the lease.
-- `initial` is 1 while the end of the first sync is to be told.
CREATE TABLE webhook_stream (
  stream_id     TEXT PRIMARY KEY,
  endpoint_id   TEXT NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
  client_id     TEXT NOT NULL,
  user_id       TEXT NOT NULL,
  calendar_key  TEXT REFERENCES calendar ON DELETE CASCADE,
  told_seq      BIGINT NOT NULL,
  told_id       TEXT,
  sequence      BIGINT NOT NULL DEFAULT 0,
  initial       BIGINT NOT NULL DEFAULT 0 CHECK (initial IN (0, 1)),
  message_id    TEXT,
  pending_since BIGINT,
  due_at        BIGINT,
  lease_holder  TEXT,
  lease_until   BIGINT NOT NULL DEFAULT 0,
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);
CREATE INDEX webhook_stream_due ON webhook_stream (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_stream_changed ON webhook_stream (stream_id) WHERE due_at = 0;
CREATE INDEX webhook_stream_leased ON webhook_stream (endpoint_id, lease_until) WHERE lease_holder IS NOT NULL;
CREATE INDEX webhook_stream_by_calendar ON webhook_stream (calendar_key);
CREATE INDEX webhook_stream_by_user ON webhook_stream (client_id, user_id);

-- What was told, as it was sent: `body` is sealed. What is told of calendars and connections has no account or calendar. `shows` is how much of events it has.
CREATE TABLE webhook_message (
  message_id   TEXT PRIMARY KEY,
  endpoint_id  TEXT NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
  client_id    TEXT NOT NULL,
  user_id      TEXT NOT NULL,
  account_key  TEXT REFERENCES account ON DELETE CASCADE,
  calendar_key TEXT,
  provider     TEXT NOT NULL,
  calendar_id  TEXT,
  sequence     BIGINT NOT NULL,
  change_type  TEXT NOT NULL,
  event_count  BIGINT NOT NULL,
  shows        TEXT NOT NULL CHECK (shows IN ('events', 'busy')),
  body         TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead', 'withheld')),
  reason       TEXT,
  attempts     BIGINT NOT NULL DEFAULT 0,
  next_at      BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  settled_at   BIGINT,
  -- A replay that is asked for: the message is sent once more, whatever its state.
  replay_at    BIGINT,
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);
CREATE INDEX webhook_message_by_client ON webhook_message (client_id, created_at, message_id);
CREATE INDEX webhook_message_by_state ON webhook_message (client_id, state, created_at, message_id);
CREATE INDEX webhook_message_by_user ON webhook_message (client_id, user_id);
CREATE INDEX webhook_message_by_account ON webhook_message (account_key);
CREATE INDEX webhook_message_by_endpoint ON webhook_message (endpoint_id);
CREATE INDEX webhook_message_by_age ON webhook_message (created_at);
CREATE INDEX webhook_message_to_replay ON webhook_message (replay_at) WHERE replay_at IS NOT NULL;

-- `answer` is the beginning of what the receiver said, sealed.
CREATE TABLE webhook_attempt (
  message_id  TEXT NOT NULL REFERENCES webhook_message ON DELETE CASCADE,
  number      BIGINT NOT NULL,
  started_at  BIGINT NOT NULL,
  duration_ms BIGINT NOT NULL,
  status      BIGINT,
  fault       TEXT,
  answer      TEXT,
  PRIMARY KEY (message_id, number)
);

-- When a change of the user's events was last noted: a quiet user is looked at less often.
ALTER TABLE application_user ADD COLUMN changed_at BIGINT NOT NULL DEFAULT 0;

-- Of a change: the number of the last one that the application did not make itself, under which number each field last
-- changed (JSON), what a deleted event was (JSON), and whether the application created it.
ALTER TABLE event_change ADD COLUMN foreign_seq BIGINT NOT NULL DEFAULT 0;
ALTER TABLE event_change ADD COLUMN fields TEXT;
ALTER TABLE event_change ADD COLUMN was TEXT;
ALTER TABLE event_change ADD COLUMN created_own BIGINT NOT NULL DEFAULT 0 CHECK (created_own IN (0, 1));
UPDATE event_change SET foreign_seq = seq;
CREATE INDEX event_change_by_calendar ON event_change (calendar_key, seq, event_id);
