-- How an application lets its users connect: whether it must push its requests, whether its returning users prove their
-- accounts, and which providers it offers, separated by commas (NULL: all).
ALTER TABLE application ADD COLUMN pushed_requests TEXT NOT NULL DEFAULT 'accepted'
  CHECK (pushed_requests IN ('accepted', 'required'));
ALTER TABLE application ADD COLUMN returning_users TEXT NOT NULL DEFAULT 'prove'
  CHECK (returning_users IN ('prove', 'continue'));
ALTER TABLE application ADD COLUMN providers TEXT;

-- What the application's users can read of it, linked where they consent.
ALTER TABLE application_look ADD COLUMN privacy_url TEXT;
ALTER TABLE application_look ADD COLUMN terms_url TEXT;

-- Requests that applications pushed (RFC 9126), under the SHA-256 of their `request_uri`. A spent one names the
-- transaction it began, so that the same browser finds it again.
CREATE TABLE pushed_request (
  uri_hash   TEXT PRIMARY KEY,
  client_id  TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  query      TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  spent_for  TEXT
);
CREATE INDEX pushed_request_by_age ON pushed_request (created_at);
CREATE INDEX pushed_request_by_application ON pushed_request (client_id);
