-- Who may come into the dashboard (people/person-store.ts). Instants are epoch milliseconds.

-- `login` is the e-mail address in lower case, by which somebody signs in. `password` is an Argon2id hash with its parameters.
CREATE TABLE person (
  person_id  TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  login      TEXT NOT NULL UNIQUE,
  role       TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
  password   TEXT,
  created_at BIGINT NOT NULL,
  seen_at    BIGINT
);

-- The applications that a developer was given.
CREATE TABLE person_application (
  person_id TEXT NOT NULL REFERENCES person ON DELETE CASCADE,
  client_id TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  PRIMARY KEY (person_id, client_id)
);
CREATE INDEX person_application_by_client ON person_application (client_id);

-- Links that are used once: the setup of an instance without people, an invitation, a way back in. Known by a hash.
-- `client_ids` is a JSON list. `person_id` is who is to come back in.
CREATE TABLE invitation (
  token_hash TEXT PRIMARY KEY,
  invitation_id TEXT NOT NULL UNIQUE,
  purpose    TEXT NOT NULL CHECK (purpose IN ('setup', 'invite', 'reset')),
  role       TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
  login      TEXT,
  client_ids TEXT NOT NULL,
  person_id  TEXT REFERENCES person ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX invitation_by_end ON invitation (expires_at);
CREATE INDEX invitation_by_person ON invitation (person_id);

-- Known by a hash of what the cookie has. `proved_at` is the last sign-in: what is dangerous asks for a fresh one.
CREATE TABLE person_session (
  session_hash TEXT PRIMARY KEY,
  session_id   TEXT NOT NULL UNIQUE,
  person_id    TEXT NOT NULL REFERENCES person ON DELETE CASCADE,
  created_at   BIGINT NOT NULL,
  seen_at      BIGINT NOT NULL,
  proved_at    BIGINT NOT NULL,
  address      TEXT NOT NULL,
  browser      TEXT NOT NULL
);
CREATE INDEX person_session_by_person ON person_session (person_id);
CREATE INDEX person_session_by_age ON person_session (created_at);
