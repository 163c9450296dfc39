-- Why a resource, or a part of it, cannot be read; and as JSON which resources of a calendar those are (count, ids, message).
ALTER TABLE event ADD COLUMN unreadable TEXT;
ALTER TABLE calendar ADD COLUMN unreadable TEXT;
CREATE INDEX event_unreadable ON event (calendar_key, href) WHERE unreadable IS NOT NULL;
