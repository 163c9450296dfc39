-- Keys that were derived from a master key that is no more, and outlive it: sealed, one for each purpose.
CREATE TABLE derived_key (
  purpose TEXT PRIMARY KEY,
  sealed  TEXT NOT NULL
);

-- The ids of the master keys that an instance has, by spaces, and of the one it seals under. An older version says neither.
ALTER TABLE instance ADD COLUMN key_ids TEXT NOT NULL DEFAULT '';
ALTER TABLE instance ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
