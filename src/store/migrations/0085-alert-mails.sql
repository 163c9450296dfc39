-- When a member proved to receive mail at `login`, and whether a developer gets the alerts of their applications there.
ALTER TABLE person ADD COLUMN address_confirmed_at BIGINT;
ALTER TABLE person ADD COLUMN alert_mails BIGINT NOT NULL DEFAULT 1 CHECK (alert_mails IN (0, 1));
