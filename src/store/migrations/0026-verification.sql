-- Where the application is at home on the web.
ALTER TABLE application_look ADD COLUMN application_url TEXT;

-- How far the review of an application is; no row: never submitted, and not verified. While `verified_at` is there, the
-- values beside it are what users see in the place of the application's present ones. It is when those were approved.
CREATE TABLE verification (
  client_id       TEXT PRIMARY KEY REFERENCES application ON DELETE CASCADE,
  status          TEXT NOT NULL CHECK (status IN ('not_submitted', 'under_review', 'approved', 'changes_requested')),
  submitted_at    BIGINT,
  reviewer_note   TEXT,
  verified_at     BIGINT,
  display_name    TEXT,
  application_url TEXT,
  support_email   TEXT,
  support_url     TEXT,
  CHECK (status <> 'under_review' OR submitted_at IS NOT NULL),
  CHECK (status <> 'approved' OR verified_at IS NOT NULL)
);
CREATE INDEX verification_under_review ON verification (submitted_at) WHERE status = 'under_review';

-- The pictures among the approved values: of their own, so that replacing the application's leaves them.
CREATE TABLE approved_logo (
  client_id TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  scheme    TEXT NOT NULL CHECK (scheme IN ('light', 'dark')),
  hash      TEXT NOT NULL,
  content   TEXT NOT NULL,
  PRIMARY KEY (client_id, scheme)
);
CREATE INDEX approved_logo_by_hash ON approved_logo (hash);

-- What was done about the verification of an application, numbered from 1. `fields` are the reviewed values that an edit
-- changed, separated by commas; `actor` is NULL where it is not known.
CREATE TABLE verification_activity (
  client_id TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  number    BIGINT NOT NULL,
  at        BIGINT NOT NULL,
  actor     TEXT,
  kind      TEXT NOT NULL
    CHECK (kind IN ('submitted', 'approved', 'changes_requested', 'cancelled', 'edited', 'withdrawn')),
  note      TEXT,
  fields    TEXT NOT NULL,
  PRIMARY KEY (client_id, number)
);

-- Who was verified before there were reviews has what it shows now approved.
INSERT INTO verification (client_id, status, verified_at, display_name, support_email, support_url)
SELECT a.client_id, 'approved', l.updated_at, a.display_name, l.support_email, l.support_url
  FROM application_look AS l JOIN application AS a ON a.client_id = l.client_id WHERE l.verified = 1;
INSERT INTO approved_logo (client_id, scheme, hash, content)
SELECT g.client_id, g.scheme, g.hash, g.content
  FROM application_logo AS g JOIN verification AS v ON v.client_id = g.client_id;
INSERT INTO verification_activity (client_id, number, at, kind, note, fields)
SELECT client_id, 1, verified_at, 'approved', 'Verified before there were reviews.', '' FROM verification;
ALTER TABLE application_look DROP COLUMN verified;
