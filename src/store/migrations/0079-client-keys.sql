-- The public keys with which applications sign assertions (RFC 7523): a JWK Set, or the address of one with the set that was
-- read last. Every token request reads `application`, so the keys are in a table of their own.
CREATE TABLE client_jwks (
  client_id       TEXT PRIMARY KEY REFERENCES application ON DELETE CASCADE,
  jwks            TEXT,
  jwks_uri        TEXT,
  -- 1 if an owner or the command line set the address: it may be one that KALENDS_PRIVATE_NETWORK opens.
  private_network BIGINT NOT NULL DEFAULT 0 CHECK (private_network IN (0, 1)),
  read_at         BIGINT,
  fresh_until     BIGINT,
  CHECK (jwks IS NOT NULL OR jwks_uri IS NOT NULL)
);

-- 1 if an application without client authentication pushed the request: anybody could, so it proves no user.
ALTER TABLE authorization_request ADD COLUMN public_client BIGINT NOT NULL DEFAULT 0 CHECK (public_client IN (0, 1));
