-- What providers were asked to tell of: an account's calendar, or without one its list of calendars. A row is there before the
-- provider is asked, since its first notice may come before its answer. `remote_id` is the provider's own name for it.
-- state: 'asked' (no answer yet), 'made' (nothing was heard yet), 'live', 'unsupported' (this calendar cannot be watched),
-- 'failed' (tried again at renew_at). What was read before trusted_from says nothing about what changed since.
CREATE TABLE provider_watch (
  watch_id     TEXT PRIMARY KEY,
  account_key  TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
  calendar_key TEXT REFERENCES calendar ON DELETE CASCADE,
  token_hash   TEXT NOT NULL,
  remote_id    TEXT,
  state        TEXT NOT NULL CHECK (state IN ('asked', 'made', 'live', 'unsupported', 'failed')),
  reason       TEXT,
  made_at      BIGINT NOT NULL,
  trusted_from BIGINT NOT NULL,
  renew_at     BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL
);
CREATE INDEX provider_watch_by_account ON provider_watch (account_key);
CREATE INDEX provider_watch_by_calendar ON provider_watch (calendar_key) WHERE calendar_key IS NOT NULL;
