-- The Ed25519 keys that webhooks are signed with. `sealed` is the private key; one that is `previous` signs beside the active
-- one until it retires.
CREATE TABLE webhook_key (
  key_id       TEXT PRIMARY KEY,
  public_key   TEXT NOT NULL,
  sealed       TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('active', 'previous')),
  activated_at BIGINT NOT NULL,
  retires_at   BIGINT,
  CHECK ((status = 'previous') = (retires_at IS NOT NULL))
);
CREATE UNIQUE INDEX webhook_key_active ON webhook_key (status) WHERE status = 'active';
