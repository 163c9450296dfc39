-- Passkeys of people who may come into the dashboard (people/passkey-store.ts). Instants are epoch milliseconds.

-- `passkey_id` is the credential's id and `public_key` its COSE key, both base64url. `transports` is a JSON list.
CREATE TABLE passkey (
  passkey_id TEXT PRIMARY KEY,
  person_id  TEXT NOT NULL REFERENCES person ON DELETE CASCADE,
  public_key TEXT NOT NULL,
  counter    BIGINT NOT NULL,
  transports TEXT NOT NULL,
  name       TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  used_at    BIGINT
);
CREATE INDEX passkey_by_person ON passkey (person_id);

-- Challenges that were answered, by a hash, until they would have ended anyway. What a challenge is for is sealed in a cookie.
CREATE TABLE spent_challenge (
  challenge_hash TEXT PRIMARY KEY,
  expires_at     BIGINT NOT NULL
);
CREATE INDEX spent_challenge_by_end ON spent_challenge (expires_at);
