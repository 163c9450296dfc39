-- The apps that applications registered with Google and Microsoft themselves; the secret is sealed.
CREATE TABLE provider_app (
  client_id         TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  provider          TEXT NOT NULL CHECK (provider IN ('google', 'microsoft')),
  app_client_id     TEXT NOT NULL,
  app_client_secret TEXT NOT NULL,
  updated_at        BIGINT NOT NULL,
  PRIMARY KEY (client_id, provider)
);

-- A browser that was sent to a provider and may come back once. What was kept for it is sealed, and gone
-- once it came; how it ended stays, for a browser that asks again.
CREATE TABLE sign_in (
  transaction_id TEXT NOT NULL REFERENCES authorization_request ON DELETE CASCADE,
  provider       TEXT NOT NULL CHECK (provider IN ('google', 'microsoft')),
  state_hash     TEXT NOT NULL,
  kept           TEXT,
  outcome        TEXT,
  PRIMARY KEY (transaction_id, provider)
);
