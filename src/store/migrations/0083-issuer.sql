-- The issuer (src/oauth/issuers.ts) at which an authorization request began or was pushed.
ALTER TABLE authorization_request ADD COLUMN issuer TEXT NOT NULL DEFAULT 'default';
ALTER TABLE pushed_request ADD COLUMN issuer TEXT NOT NULL DEFAULT 'default';
