-- The admin key that created the link: its id, or 'environment'. The link works only while this key does.
ALTER TABLE invitation ADD COLUMN created_by_key TEXT;
