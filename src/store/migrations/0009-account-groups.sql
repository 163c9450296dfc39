-- Accounts of a user that one person linked or proved form a group, and a grant covers groups: docs/security.md T3.
-- While expires_at is set, the accounts are not the user's yet: they belong to the transaction they were linked in,
-- and go then unless the application redeems what was allowed (approved_at) before.
CREATE TABLE account_group (
  group_id       TEXT PRIMARY KEY,
  client_id      TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  transaction_id TEXT,
  created_at     BIGINT NOT NULL,
  approved_at    BIGINT,
  expires_at     BIGINT,
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);
CREATE INDEX account_group_by_user ON account_group (client_id, user_id);
CREATE UNIQUE INDEX account_group_by_transaction ON account_group (transaction_id);
CREATE INDEX account_group_by_expiry ON account_group (expires_at) WHERE expires_at IS NOT NULL;

-- The browsers that stand for a group, by the hash of their device cookie. Those of single accounts proved too little.
CREATE TABLE group_device (
  group_id    TEXT NOT NULL REFERENCES account_group ON DELETE CASCADE,
  device_hash TEXT NOT NULL,
  PRIMARY KEY (group_id, device_hash)
);
CREATE INDEX group_device_by_hash ON group_device (device_hash);
DROP TABLE account_device;

-- What an approval covers, and so the code and the grant that it gave: each group at most at this scope.
CREATE TABLE grant_coverage (
  coverage_id TEXT NOT NULL,
  group_id    TEXT NOT NULL REFERENCES account_group ON DELETE CASCADE,
  scope       TEXT NOT NULL CHECK (scope IN ('free-busy', 'read', 'read-write')),
  PRIMARY KEY (coverage_id, group_id)
);
CREATE INDEX grant_coverage_by_group ON grant_coverage (group_id);

-- The old unique column becomes the key of the account in its group; the id on the wire is a column of its own.
-- An account without identity was linked before identities were kept: it takes that of the next sign-in to it.
DROP INDEX account_by_provider_id;
ALTER TABLE account RENAME COLUMN account_id TO key_in_group;
ALTER TABLE account ADD COLUMN account_id TEXT NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN group_id TEXT NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN identity TEXT;
ALTER TABLE account ADD COLUMN proves_owner BIGINT NOT NULL DEFAULT 1 CHECK (proves_owner IN (0, 1));
UPDATE account
   SET account_id = key_in_group, group_id = client_id || ' ' || user_id,
       key_in_group = client_id || ' ' || user_id || ' ' || key_in_group;
CREATE INDEX account_by_provider_id ON account (provider, account_id);
CREATE INDEX account_by_group ON account (group_id);
CREATE INDEX account_by_identity ON account (provider, identity);
ALTER TABLE ended_access ADD COLUMN identity TEXT;

-- Accounts linked before form one group for each user, which the user's grants and pending code cover.
INSERT INTO account_group (group_id, client_id, user_id, created_at)
SELECT client_id || ' ' || user_id, client_id, user_id, created_at FROM application_user AS u
 WHERE EXISTS (SELECT 1 FROM account AS a WHERE a.client_id = u.client_id AND a.user_id = u.user_id)
    OR EXISTS (SELECT 1 FROM token_family AS f WHERE f.client_id = u.client_id AND f.user_id = u.user_id);
INSERT INTO grant_coverage (coverage_id, group_id, scope) SELECT group_id, group_id, 'read-write' FROM account_group;
ALTER TABLE token_family ADD COLUMN coverage_id TEXT NOT NULL DEFAULT '';
UPDATE token_family SET coverage_id = client_id || ' ' || user_id;
CREATE INDEX token_family_by_coverage ON token_family (coverage_id);

-- Several approvals of a user can be pending, one for each code challenge. `finishes` is whether a redemption makes
-- accounts the user's.
CREATE TABLE code_of_approval (
  approval_id    TEXT PRIMARY KEY,
  client_id      TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  user_id        TEXT NOT NULL,
  redirect_uri   TEXT NOT NULL,
  scope          TEXT NOT NULL CHECK (scope IN ('free-busy', 'read', 'read-write')),
  code_challenge TEXT,
  finishes       BIGINT NOT NULL DEFAULT 0 CHECK (finishes IN (0, 1)),
  approved_at    BIGINT NOT NULL,
  withdrawn_at   BIGINT
);
INSERT INTO code_of_approval (approval_id, client_id, user_id, redirect_uri, scope, code_challenge, approved_at,
  withdrawn_at)
SELECT client_id || ' ' || user_id, client_id, user_id, redirect_uri, scope, code_challenge, approved_at, withdrawn_at
  FROM authorization_code;
DROP TABLE authorization_code;
ALTER TABLE code_of_approval RENAME TO authorization_code;
CREATE INDEX authorization_code_by_user ON authorization_code (user_id, client_id);

-- SHA-256 of the transaction's second secret, which only a cookie has. Requests begun before have none and end.
ALTER TABLE authorization_request ADD COLUMN secret_hash TEXT NOT NULL DEFAULT '';
-- Who the application says the user is: 1 when the request was pushed (RFC 9126), with what counts only then.
ALTER TABLE authorization_request ADD COLUMN pushed BIGINT NOT NULL DEFAULT 0 CHECK (pushed IN (0, 1));
ALTER TABLE authorization_request ADD COLUMN user_name TEXT;
ALTER TABLE authorization_request ADD COLUMN login_hint TEXT;
-- How far it went: since when its user waits for another approval, whether an account was disconnected in it, and
-- whether it went straight to the one provider.
ALTER TABLE authorization_request ADD COLUMN allowed_at BIGINT;
ALTER TABLE authorization_request ADD COLUMN disconnected BIGINT NOT NULL DEFAULT 0 CHECK (disconnected IN (0, 1));
ALTER TABLE authorization_request ADD COLUMN sent_ahead BIGINT NOT NULL DEFAULT 0 CHECK (sent_ahead IN (0, 1));
CREATE INDEX authorization_request_by_client ON authorization_request (client_id, created_at);

-- A change is told to the grants that cover the group of its account.
ALTER TABLE event_change ADD COLUMN group_id TEXT NOT NULL DEFAULT '';
UPDATE event_change SET group_id = client_id || ' ' || user_id;
