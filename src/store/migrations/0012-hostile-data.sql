-- A resource over the budget has one row without an event, which says why; bytes is the size of a row's texts. An original
-- that is too large to keep is known by its SHA-256.
ALTER TABLE event ADD COLUMN too_complex TEXT;
ALTER TABLE event ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE event ADD COLUMN original_digest TEXT;
-- In the order of a listing, and with all that says whether an event overlaps a window: however many events begin at one
-- moment or ended long ago, no more of them are read than a page has.
DROP INDEX event_by_time;
CREATE INDEX event_by_time ON event (calendar_key, shape, starts_at, event_id, ends_at);
CREATE INDEX event_too_complex ON event (calendar_key, href) WHERE too_complex IS NOT NULL;

-- What the calendar's events take together, and as JSON what of it was left out (count, and name and message of one).
ALTER TABLE calendar ADD COLUMN event_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calendar ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calendar ADD COLUMN too_complex TEXT;

-- Syncs, and runs of jobs, that were begun and did not come to their end, in a row.
ALTER TABLE calendar ADD COLUMN unfinished_syncs BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN unfinished_syncs BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN unfinished BIGINT NOT NULL DEFAULT 0;

-- Whose work a job is, so that users, accounts and servers take turns: a digest of the application and its user, the
-- account and its server's host; empty where the work is nobody's own. revived is 1 while a job runs whose last run died.
ALTER TABLE job ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN account_key TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN revived BIGINT NOT NULL DEFAULT 0;
CREATE INDEX job_by_owner ON job (kind, owner, host, run_at);
CREATE INDEX job_leased ON job (run_at) WHERE lease_holder IS NOT NULL;

-- The queue of the owners that have jobs: no job of (kind, owner, host) is due before turn_at, and of those whose turn has
-- come the owner comes first that was served longest ago. The row without owner and kind is locked by whoever takes jobs.
CREATE TABLE job_turn (
  owner     TEXT NOT NULL,
  kind      TEXT NOT NULL,
  host      TEXT NOT NULL,
  turn_at   BIGINT NOT NULL,
  served_at BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, kind, host)
);
CREATE INDEX job_turn_by_time ON job_turn (kind, turn_at, host, owner, served_at);
INSERT INTO job_turn (owner, kind, host, turn_at) VALUES ('', '', '', 0);
INSERT INTO job_turn (owner, kind, host, turn_at) SELECT '', kind, '', MIN(run_at) FROM job GROUP BY kind;

UPDATE event SET bytes = OCTET_LENGTH(content) + OCTET_LENGTH(search_text) + COALESCE(OCTET_LENGTH(timing), 0) + COALESCE(OCTET_LENGTH(original), 0);
UPDATE calendar SET
  event_count = (SELECT COUNT(DISTINCT href) FROM event WHERE event.calendar_key = calendar.calendar_key),
  bytes = (SELECT COALESCE(SUM(bytes), 0) FROM event WHERE event.calendar_key = calendar.calendar_key);

-- What a user's calendars take together is summed with each write.
CREATE INDEX calendar_by_size ON calendar (account_key, bytes);
-- Pushed requests that nobody spent are counted by application.
CREATE INDEX pushed_request_unspent ON pushed_request (client_id, created_at) WHERE spent_for IS NULL;

-- Accounts that were removed and have much in the mirror are each in a group of their own whose expires_at is 0, until they
-- are deleted in parts. The grants of told_group are told of what goes; it is NULL where they were nobody's yet.
ALTER TABLE account_group ADD COLUMN told_group TEXT;
CREATE INDEX account_group_told ON account_group (told_group) WHERE told_group IS NOT NULL;
