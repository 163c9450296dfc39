-- The Ed25519 keys of single applications. In webhook_key, an older instance would sign for every application with them.
CREATE TABLE application_webhook_key (
  key_id       TEXT PRIMARY KEY,
  client_id    TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  public_key   TEXT NOT NULL,
  sealed       TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('active', 'previous')),
  activated_at BIGINT NOT NULL,
  retires_at   BIGINT,
  CHECK ((status = 'previous') = (retires_at IS NOT NULL))
);
CREATE UNIQUE INDEX application_webhook_key_active ON application_webhook_key (client_id) WHERE status = 'active';
CREATE INDEX application_webhook_key_by_client ON application_webhook_key (client_id);
-- 1: its own keys sign, 0: the instance's. Until the overlap ends, the others sign too. NULL: it was never switched.
ALTER TABLE application ADD COLUMN own_webhook_keys BIGINT NOT NULL DEFAULT 0 CHECK (own_webhook_keys IN (0, 1));
ALTER TABLE application ADD COLUMN webhook_keys_overlap_until BIGINT;
