-- The switches of an application (src/oauth/switches.ts), each with its default. Lifetimes are in seconds; 0 means none.
ALTER TABLE application ADD COLUMN pkce TEXT NOT NULL DEFAULT 'accepted'
  CHECK (pkce IN ('accepted', 'required'));
ALTER TABLE application ADD COLUMN code_format TEXT NOT NULL DEFAULT 'user-id'
  CHECK (code_format IN ('user-id', 'opaque'));
ALTER TABLE application ADD COLUMN code_lifetime BIGINT NOT NULL DEFAULT 600
  CHECK (code_lifetime BETWEEN 10 AND 600);
ALTER TABLE application ADD COLUMN issuer_in_callback TEXT NOT NULL DEFAULT 'off'
  CHECK (issuer_in_callback IN ('off', 'on'));
ALTER TABLE application ADD COLUMN refresh_rotation TEXT NOT NULL DEFAULT 'always'
  CHECK (refresh_rotation IN ('always', 'never'));
ALTER TABLE application ADD COLUMN refresh_reuse TEXT NOT NULL DEFAULT 'refuse'
  CHECK (refresh_reuse IN ('refuse', 'end-grant'));
ALTER TABLE application ADD COLUMN refresh_idle_lifetime BIGINT NOT NULL DEFAULT 0
  CHECK (refresh_idle_lifetime = 0 OR refresh_idle_lifetime BETWEEN 3600 AND 315360000);
ALTER TABLE application ADD COLUMN refresh_lifetime BIGINT NOT NULL DEFAULT 0
  CHECK (refresh_lifetime = 0 OR refresh_lifetime BETWEEN 3600 AND 315360000);
ALTER TABLE application ADD COLUMN sender_constraint TEXT NOT NULL DEFAULT 'off'
  CHECK (sender_constraint IN ('off', 'accepted', 'required'));
ALTER TABLE application ADD COLUMN dpop_nonce TEXT NOT NULL DEFAULT 'off'
  CHECK (dpop_nonce IN ('off', 'on'));
ALTER TABLE application ADD COLUMN client_authentication TEXT NOT NULL DEFAULT 'secret'
  CHECK (client_authentication IN ('secret', 'private_key_jwt', 'none'));
ALTER TABLE application ADD COLUMN revocation TEXT NOT NULL DEFAULT 'open'
  CHECK (revocation IN ('open', 'authenticated'));
ALTER TABLE application ADD COLUMN resource_indicators TEXT NOT NULL DEFAULT 'off'
  CHECK (resource_indicators IN ('off', 'on'));
