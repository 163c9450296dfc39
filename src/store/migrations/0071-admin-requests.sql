-- POSTs of the administration API with an Idempotency-Key (writing/idempotency-store.ts). `acted_at` is set in the transaction
-- of the first change that the request makes. The response is sealed: it can have a secret that is shown only once.
CREATE TABLE admin_request (
  key_id       TEXT NOT NULL,
  key_hash     TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  seed         TEXT NOT NULL,
  answer       TEXT,
  acted_at     BIGINT,
  lease_holder TEXT,
  lease_until  BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  PRIMARY KEY (key_id, key_hash)
);
CREATE INDEX admin_request_by_age ON admin_request (created_at);
