-- A split invites the attendees of the new series in a step of its own, after the old series has ended.
CREATE TABLE split_journal_next (
  split_id     TEXT PRIMARY KEY,
  calendar_key TEXT NOT NULL REFERENCES calendar ON DELETE CASCADE,
  step         TEXT NOT NULL CHECK (step IN ('planned', 'created', 'inviting', 'undoing')),
  plan         TEXT NOT NULL,
  created_at   BIGINT NOT NULL
);
INSERT INTO split_journal_next (split_id, calendar_key, step, plan, created_at)
  SELECT split_id, calendar_key, step, plan, created_at FROM split_journal;
DROP TABLE split_journal;
ALTER TABLE split_journal_next RENAME TO split_journal;
CREATE INDEX split_journal_by_calendar ON split_journal (calendar_key);
