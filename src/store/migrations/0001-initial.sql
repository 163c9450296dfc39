-- Instants are epoch milliseconds. Keys that callers choose stay text; every hot row is found by
-- application and user. BIGINT reads INTEGER on SQLite, where it is then the rowid itself.

CREATE TABLE application (
  client_id    TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  display_name TEXT,
  redirect_uri TEXT NOT NULL,
  webhook_url  TEXT,
  created_at   BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL
);

-- SHA-256 of secrets of 256 random bits; two can live at once while one is being replaced.
CREATE TABLE client_secret (
  client_id   TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  secret_hash TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT,
  PRIMARY KEY (client_id, secret_hash)
);

CREATE TABLE application_user (
  client_id    TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  user_id      TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  PRIMARY KEY (client_id, user_id)
);
CREATE INDEX application_user_by_age ON application_user (last_seen_at);

CREATE TABLE authorization_request (
  transaction_id TEXT PRIMARY KEY,
  client_id      TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  redirect_uri   TEXT NOT NULL,
  scope          TEXT NOT NULL CHECK (scope IN ('free-busy', 'read', 'read-write')),
  state          TEXT,
  code_challenge TEXT,
  language       TEXT NOT NULL,
  theme          TEXT NOT NULL CHECK (theme IN ('auto', 'light', 'dark')),
  providers      TEXT NOT NULL,
  query          TEXT NOT NULL,
  form_token     TEXT NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('open', 'approved', 'denied')),
  created_at     BIGINT NOT NULL,
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);
CREATE INDEX authorization_request_by_user ON authorization_request (client_id, user_id);
CREATE INDEX authorization_request_by_age ON authorization_request (created_at);

-- No foreign key to the user: a withdrawn code outlives its user, so that /token can say what happened.
-- Few rows, written twice within minutes: one index, which also finds a code at any application.
CREATE TABLE authorization_code (
  client_id      TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  user_id        TEXT NOT NULL,
  issue_id       TEXT NOT NULL,
  redirect_uri   TEXT NOT NULL,
  scope          TEXT NOT NULL CHECK (scope IN ('free-busy', 'read', 'read-write')),
  code_challenge TEXT,
  approved_at    BIGINT NOT NULL,
  withdrawn_at   BIGINT,
  PRIMARY KEY (user_id, client_id)
);

-- A grant and the chain of its refresh tokens: one row for as long as it lives.
CREATE TABLE token_family (
  family_id    BIGINT PRIMARY KEY,
  token_hash   TEXT NOT NULL,
  client_id    TEXT NOT NULL,
  user_id      TEXT NOT NULL,
  scope        TEXT NOT NULL CHECK (scope IN ('free-busy', 'read', 'read-write')),
  created_at   BIGINT NOT NULL,
  refreshed_at BIGINT NOT NULL,
  ended_at     BIGINT
);
CREATE INDEX token_family_by_user ON token_family (client_id, user_id);
CREATE INDEX token_family_ended ON token_family (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE signing_key (
  kid        TEXT PRIMARY KEY,
  algorithm  TEXT NOT NULL CHECK (algorithm IN ('HS256', 'ES256')),
  sealed     TEXT NOT NULL,
  status     TEXT NOT NULL CHECK (status IN ('next', 'active', 'previous')),
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX signing_key_in_use ON signing_key (algorithm, status) WHERE status <> 'previous';

CREATE TABLE account (
  account_key        TEXT PRIMARY KEY,
  client_id          TEXT NOT NULL,
  user_id            TEXT NOT NULL,
  provider           TEXT NOT NULL CHECK (provider IN ('google', 'microsoft', 'apple', 'caldav')),
  account_id         TEXT NOT NULL,
  display            TEXT NOT NULL,
  credentials        TEXT NOT NULL,
  granted_scopes     TEXT NOT NULL,
  calendar_permission BIGINT CHECK (calendar_permission IN (0, 1)),
  health             TEXT NOT NULL CHECK (health IN ('active', 'degraded', 'reauth_required')),
  health_reason      TEXT,
  health_since       BIGINT NOT NULL,
  linked_at          BIGINT NOT NULL,
  -- The list of its calendars: how fresh it is, what its last sync failed of, and who is syncing it.
  listed_at          BIGINT,
  list_error         TEXT,
  list_failed_at     BIGINT,
  lease_holder       TEXT,
  lease_until        BIGINT,
  UNIQUE (client_id, user_id, provider, account_id),
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);

-- The browsers that proved they may act on an account, by the hash of their device cookie.
CREATE TABLE account_device (
  account_key TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
  device_hash TEXT NOT NULL,
  PRIMARY KEY (account_key, device_hash)
);

CREATE TABLE calendar (
  calendar_key TEXT PRIMARY KEY,
  account_key  TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
  href         TEXT NOT NULL,
  position     BIGINT NOT NULL,
  title        TEXT NOT NULL,
  description  TEXT,
  color        TEXT,
  time_zone    TEXT NOT NULL,
  access       TEXT NOT NULL CHECK (access IN ('write', 'read')),
  original     TEXT NOT NULL,
  sync_token   TEXT,
  synced_at    BIGINT,
  sync_error   TEXT,
  failed_at    BIGINT,
  lease_holder TEXT,
  lease_until  BIGINT,
  UNIQUE (account_key, href)
);

-- The mirror: one row for each VEVENT, and one for a resource that has none. A listing reads single
-- events by `shape` and start: 'short' ones (25 hours at most) by a bounded range of starts, the few
-- 'long' ones and series by all that began before. `content` is JSON members ready for an answer.
CREATE TABLE event (
  calendar_key  TEXT NOT NULL REFERENCES calendar ON DELETE CASCADE,
  href          TEXT NOT NULL,
  recurrence_id TEXT NOT NULL,
  event_id      TEXT NOT NULL,
  series_id     TEXT,
  shape         TEXT NOT NULL CHECK (shape IN ('short', 'long', 'series', 'override', 'hidden')),
  starts_at     BIGINT NOT NULL,
  ends_at       BIGINT NOT NULL,
  etag          TEXT,
  uid           TEXT NOT NULL,
  content       TEXT NOT NULL,
  timing        TEXT,
  original      TEXT,
  PRIMARY KEY (calendar_key, href, recurrence_id)
);
CREATE INDEX event_by_time ON event (calendar_key, shape, starts_at);
CREATE INDEX event_by_series ON event (calendar_key, series_id);

-- While a job is worked, run_at is the end of its lease, and again_at when it was asked for anew.
CREATE TABLE job (
  kind         TEXT NOT NULL,
  key          TEXT NOT NULL,
  run_at       BIGINT NOT NULL,
  attempts     BIGINT NOT NULL,
  lease_holder TEXT,
  again_at     BIGINT,
  PRIMARY KEY (kind, key)
);
CREATE INDEX job_by_time ON job (run_at);
