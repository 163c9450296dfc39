-- What a search looks through: title, description, location and attendees, folded (event-row.ts).
ALTER TABLE event ADD COLUMN search_text TEXT NOT NULL DEFAULT '';

-- The calendar that its account means when it names none.
ALTER TABLE calendar ADD COLUMN is_primary BIGINT NOT NULL DEFAULT 0 CHECK (is_primary IN (0, 1));

-- One more with every transaction that writes its events: what was read of one revision holds while it is the same.
ALTER TABLE calendar ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;

-- The feed of a user's changes. It is kept once somebody follows it (feed_id); every writing transaction then takes the
-- next number of feed_seq, which locks this row until it commits: numbers come in the order of commits.
-- Changes up to feed_pruned are forgotten.
ALTER TABLE application_user ADD COLUMN feed_id TEXT;
ALTER TABLE application_user ADD COLUMN feed_seq BIGINT NOT NULL DEFAULT 0;
ALTER TABLE application_user ADD COLUMN feed_pruned BIGINT NOT NULL DEFAULT 0;
ALTER TABLE application_user ADD COLUMN feed_read_at BIGINT NOT NULL DEFAULT 0;

-- The last change of each single event and series. No foreign key to calendar or account: it outlives both, so that
-- their removal is told. `provider`, `account_id` and `href` are what the wire named the event by.
CREATE TABLE event_change (
  calendar_key TEXT NOT NULL,
  event_id     TEXT NOT NULL,
  client_id    TEXT NOT NULL,
  user_id      TEXT NOT NULL,
  seq          BIGINT NOT NULL,
  -- The number under which the event appeared; 0 when it was there before anybody followed.
  created_seq  BIGINT NOT NULL,
  deleted      BIGINT NOT NULL CHECK (deleted IN (0, 1)),
  provider     TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  href         TEXT NOT NULL,
  noted_at     BIGINT NOT NULL,
  PRIMARY KEY (calendar_key, event_id),
  FOREIGN KEY (client_id, user_id) REFERENCES application_user ON DELETE CASCADE
);
CREATE INDEX event_change_by_seq ON event_change (client_id, user_id, seq);
CREATE INDEX event_change_by_age ON event_change (noted_at);

-- The mirror keeps events written out, and now says more of each: everything is listed anew once, in full.
UPDATE event SET etag = NULL;
UPDATE calendar SET sync_token = NULL, synced_at = CASE WHEN synced_at IS NOT NULL THEN 0 END;
UPDATE account SET listed_at = CASE WHEN listed_at IS NOT NULL THEN 0 END;
