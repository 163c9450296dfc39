-- What happened to each account, newest numbers last (calendars/health-history.ts): so many of each, for some weeks.
CREATE TABLE account_history (
  account_key TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
  number      BIGINT NOT NULL,
  happened    TEXT NOT NULL CHECK (happened IN ('connected', 'degraded', 'reauth_required', 'recovered')),
  reason      TEXT,
  message     TEXT,
  happened_at BIGINT NOT NULL,
  PRIMARY KEY (account_key, number)
);
CREATE INDEX account_history_by_time ON account_history (happened_at);

-- Users are found by the beginning of an id or of an account's address, of one application or of all, and paged in this
-- order. An index of PostgreSQL finds beginnings only where it compares bytes. Those of all applications have an expression,
-- so that PostgreSQL never reads through them for one application.
CREATE INDEX application_user_by_id ON application_user (((user_id || '') COLLATE BYTES), client_id);
CREATE INDEX application_user_of_client ON application_user (client_id, user_id COLLATE BYTES);
CREATE INDEX account_by_address ON account ((LOWER(display COLLATE BYTES) || ''), account_key);
CREATE INDEX account_of_client_by_address ON account (client_id, (LOWER(display COLLATE BYTES)), account_key);

-- Accounts that do not work, by reason: of all applications or of one.
CREATE INDEX account_ailing ON account ((health_reason || ''), health_since, account_key) WHERE health <> 'active';
CREATE INDEX account_ailing_of_client ON account (client_id, health_reason, health_since, account_key)
 WHERE health <> 'active';
