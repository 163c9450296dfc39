-- The profile of an application (src/oauth/profile.ts), and the switches from before the profile, as JSON.
ALTER TABLE application ADD COLUMN profile TEXT NOT NULL DEFAULT 'default'
  CHECK (profile IN ('default', 'fapi2'));
ALTER TABLE application ADD COLUMN switches_before TEXT;
