-- Calendars that the account's user left out: they are not mirrored, and nobody sees them. While only those are wanted
-- that were chosen, each that appears later is left out too.
ALTER TABLE calendar ADD COLUMN left_out BIGINT NOT NULL DEFAULT 0 CHECK (left_out IN (0, 1));
ALTER TABLE account ADD COLUMN only_chosen BIGINT NOT NULL DEFAULT 0 CHECK (only_chosen IN (0, 1));
