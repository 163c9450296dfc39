-- Who did what (audit/audit-entry.ts). Written in the transaction of the change it tells of, and never changed. Entries stay
-- when their application goes: no foreign key. `before_change` and `after_change` are JSON of the fields that changed.
CREATE TABLE audit_entry (
  number        BIGINT PRIMARY KEY,
  made_at       BIGINT NOT NULL,
  actor_kind    TEXT NOT NULL CHECK (actor_kind IN ('command_line', 'person', 'system')),
  actor_id      TEXT,
  actor_name    TEXT,
  address       TEXT,
  action        TEXT NOT NULL,
  client_id     TEXT,
  subject       TEXT,
  before_change TEXT,
  after_change  TEXT
);
CREATE INDEX audit_entry_by_time ON audit_entry (made_at, number);
CREATE INDEX audit_entry_by_client ON audit_entry (client_id, made_at, number);
CREATE INDEX audit_entry_by_client_action ON audit_entry (client_id, action, made_at, number);
CREATE INDEX audit_entry_by_action ON audit_entry (action, made_at, number);
CREATE INDEX audit_entry_by_actor ON audit_entry (actor_kind, actor_id, made_at, number);
CREATE INDEX audit_entry_by_subject ON audit_entry (subject, made_at, number);

-- The number of the newest entry. Whoever appends one writes this row, so that numbers rise as transactions commit.
CREATE TABLE audit_counter (
  id     BIGINT PRIMARY KEY CHECK (id = 1),
  number BIGINT NOT NULL
);
INSERT INTO audit_counter (id, number) VALUES (1, 0);

-- The key of the hash by which the audit log names the user; made when first needed. Empty: the log has the deletion of
-- the user, which is under way.
ALTER TABLE application_user ADD COLUMN audit_key TEXT;
