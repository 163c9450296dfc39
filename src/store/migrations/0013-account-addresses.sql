-- The e-mail addresses by which events name the account's user, as a JSON list, and when its server was last asked for them.
ALTER TABLE account ADD COLUMN addresses TEXT NOT NULL DEFAULT '[]';
ALTER TABLE account ADD COLUMN addresses_read_at BIGINT;

-- When it last changed whether the user has to connect the account again; NULL until it first does. Until now it was told
-- as of the last change of health, of whatever kind.
ALTER TABLE account ADD COLUMN sync_state_at BIGINT;
UPDATE account SET sync_state_at = health_since WHERE health_since <> linked_at;
