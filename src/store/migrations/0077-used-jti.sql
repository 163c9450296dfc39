-- The ids (`jti`) of assertions and DPoP proofs that were used, until they expire. An id works once on all instances.
CREATE TABLE used_jti (
  jti_hash   TEXT NOT NULL PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE INDEX used_jti_expiry ON used_jti (expires_at);
