-- What a listing of an account's calendars tells of their events. listed_version changes whenever they do; it was first listed
-- like that at listed_since, and last when the mirror had listed_revision. begun_version is what it was when the sync under way
-- began, and synced_version when the last one that ended well did: where that can be trusted, and while nothing is written. read_at
-- is when that one began.
ALTER TABLE calendar ADD COLUMN listed_version TEXT;
ALTER TABLE calendar ADD COLUMN listed_since BIGINT;
ALTER TABLE calendar ADD COLUMN listed_revision BIGINT;
ALTER TABLE calendar ADD COLUMN begun_version TEXT;
ALTER TABLE calendar ADD COLUMN synced_version TEXT;
ALTER TABLE calendar ADD COLUMN read_at BIGINT;
