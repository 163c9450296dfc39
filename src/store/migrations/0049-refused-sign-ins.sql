-- How many wrong passwords and passkeys a member had in all, at the last entry of the audit log about them, and at the last sign-in.
ALTER TABLE person ADD COLUMN refused_sign_ins BIGINT NOT NULL DEFAULT 0;
ALTER TABLE person ADD COLUMN refused_audited BIGINT NOT NULL DEFAULT 0;
ALTER TABLE person ADD COLUMN refused_when_signed_in BIGINT NOT NULL DEFAULT 0;
ALTER TABLE person ADD COLUMN signed_in_at BIGINT;

-- Copied from the member when the session began: the instant of the previous sign-in, and the number at that time.
ALTER TABLE person_session ADD COLUMN signed_in_before_at BIGINT;
ALTER TABLE person_session ADD COLUMN refused_before BIGINT NOT NULL DEFAULT 0;
