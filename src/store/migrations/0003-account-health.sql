-- Why an account does not work: a word for machines (health-reason.ts) beside the sentence for people.
ALTER TABLE account RENAME COLUMN health_reason TO health_message;
ALTER TABLE account ADD COLUMN health_reason TEXT;
-- One more each time the user links it: what was found out of it before says nothing of it after.
ALTER TABLE account ADD COLUMN times_linked BIGINT NOT NULL DEFAULT 1;

-- Who renews the credentials, and how the last renewal of these very credentials failed. The version is
-- one more each time they are replaced, by a renewal or by the user.
ALTER TABLE account ADD COLUMN credentials_version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN renewal_holder TEXT;
ALTER TABLE account ADD COLUMN renewal_until BIGINT;
ALTER TABLE account ADD COLUMN renewal_failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN renewal_failure TEXT;
ALTER TABLE account ADD COLUMN renewal_failed_at BIGINT;
CREATE INDEX account_by_provider_id ON account (provider, account_id);

-- Until now only passwords could be refused.
UPDATE account
   SET health_reason = CASE health WHEN 'reauth_required' THEN 'password_refused' ELSE 'provider_unavailable' END
 WHERE health <> 'active';

-- Access whose account is gone here and that is still to be ended at the provider; it outlives its
-- application, so that there is no foreign key. The credentials are
-- sealed for the account's key, as they were in its row.
CREATE TABLE ended_access (
  account_key TEXT PRIMARY KEY,
  client_id   TEXT NOT NULL,
  provider    TEXT NOT NULL CHECK (provider IN ('google', 'microsoft')),
  account_id  TEXT NOT NULL,
  credentials TEXT NOT NULL,
  ended_at    BIGINT NOT NULL
);

-- What keeps requests to providers within their limits, over all instances. A mailbox has a few slots;
-- a row is one that is taken.
CREATE TABLE request_slot (
  mailbox     TEXT NOT NULL,
  slot        BIGINT NOT NULL,
  holder      TEXT NOT NULL,
  lease_until BIGINT NOT NULL,
  PRIMARY KEY (mailbox, slot)
);
-- A bucket of tokens as one instant: when it will be full again.
CREATE TABLE request_budget (
  bucket  TEXT PRIMARY KEY,
  full_at BIGINT NOT NULL
);
-- Operations of an account that failed lately. One with open_until is not asked before that instant, and
-- then by one probe at a time.
CREATE TABLE request_circuit (
  account_key TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
  operation   TEXT NOT NULL,
  failures    BIGINT NOT NULL,
  failure     TEXT NOT NULL,
  open_until  BIGINT,
  probe_until BIGINT,
  PRIMARY KEY (account_key, operation)
);
