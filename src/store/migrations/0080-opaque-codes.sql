-- Versions do not mix: an older instance would accept the user's id as the code of an approval with an opaque code.
-- The SHA-256 of an opaque code, which its grant keeps for a day after the redemption (docs/wire.md O2.3).
ALTER TABLE token_family ADD COLUMN code_hash TEXT;
CREATE INDEX token_family_code_hash ON token_family (code_hash) WHERE code_hash IS NOT NULL;
