-- A resource over the budget has one row without an event, which says why; bytes is the size of a row's texts. An original
-- that is too large to keep is known by its SHA-256.
ALTER TABLE event ADD COLUMN too_complex TEXT;
ALTER TABLE event ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE event ADD COLUMN original_digest TEXT;
CREATE INDEX event_too_complex ON event (calendar_key) WHERE too_complex IS NOT NULL;

-- What the calendar's events take together, and as JSON what of it was left out (count, and name and message of one).
ALTER TABLE calendar ADD COLUMN event_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calendar ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calendar ADD COLUMN too_complex TEXT;

-- Syncs, and runs of jobs, that were begun and did not come to their end, in a row.
ALTER TABLE calendar ADD COLUMN unfinished_syncs BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN unfinished_syncs BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN unfinished BIGINT NOT NULL DEFAULT 0;

-- Whose work a job is, so that users, accounts and servers take turns; empty for work of nobody's own.
ALTER TABLE job ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN account_key TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN host TEXT NOT NULL DEFAULT '';

UPDATE event SET bytes = LENGTH(content) + LENGTH(search_text) + COALESCE(LENGTH(timing), 0) + COALESCE(LENGTH(original), 0);
UPDATE calendar SET
  event_count = (SELECT COUNT(DISTINCT href) FROM event WHERE event.calendar_key = calendar.calendar_key),
  bytes = (SELECT COALESCE(SUM(bytes), 0) FROM event WHERE event.calendar_key = calendar.calendar_key);

-- Pushed requests that nobody spent are counted by application.
CREATE INDEX pushed_request_unspent ON pushed_request (client_id, created_at) WHERE spent_for IS NULL;
