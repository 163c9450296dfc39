-- Keys of the administration API (people/admin-key-store.ts), known by hashes. `client_ids` is a JSON list. Instants are
-- epoch milliseconds; a key without `expires_at` does not expire. The previous key is valid until `previous_until`.
-- The creator is a member (`created_by`), a key or 'environment' (`created_by_key`), or the command line (neither).
CREATE TABLE admin_key (
  key_id         TEXT PRIMARY KEY,
  name           TEXT NOT NULL,
  role           TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
  client_ids     TEXT NOT NULL,
  prefix         TEXT NOT NULL,
  key_hash       TEXT NOT NULL UNIQUE,
  previous_hash  TEXT UNIQUE,
  previous_until BIGINT,
  created_by     TEXT,
  created_by_key TEXT,
  created_at     BIGINT NOT NULL,
  expires_at     BIGINT,
  used_at        BIGINT
);
CREATE INDEX admin_key_by_creator ON admin_key (created_by_key);
