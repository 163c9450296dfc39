-- The progress of a calendar's first sync: how many of the listed resources were read, and how many were listed. The second
-- is NULL if the provider does not list them before it sends them, as Google and Microsoft do not.
ALTER TABLE calendar ADD COLUMN sync_read BIGINT;
ALTER TABLE calendar ADD COLUMN sync_expected BIGINT;
