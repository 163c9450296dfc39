-- What happened, by application and hour (activity/activity.ts). The application '' is all of them together, so that nobody
-- has to add up thousands; it has no foreign key for that.
CREATE TABLE activity_count (
  client_id TEXT NOT NULL,
  hour      BIGINT NOT NULL,
  name      TEXT NOT NULL,
  count     BIGINT NOT NULL,
  PRIMARY KEY (client_id, hour, name)
);
CREATE INDEX activity_count_by_hour ON activity_count (hour);
-- How far the flow came: 1 a provider was chosen, 2 an account linked, 3 access allowed.
ALTER TABLE authorization_request ADD COLUMN flow_step BIGINT NOT NULL DEFAULT 0;

-- Few of many: they are counted by state and reason.
CREATE INDEX account_by_health ON account (client_id, health, health_reason, group_id) WHERE health <> 'active';
-- How many accounts an application has, as of the last housekeeping; '' is all of them.
CREATE TABLE connection_total (
  client_id  TEXT PRIMARY KEY,
  total      BIGINT NOT NULL,
  counted_at BIGINT NOT NULL
);

-- How large the database was on each day, at its last housekeeping. `day` is its first instant in UTC.
CREATE TABLE database_size (
  day   BIGINT PRIMARY KEY,
  bytes BIGINT NOT NULL
);
-- The processes that serve this database, as each says of itself now and then.
CREATE TABLE instance (
  instance_id TEXT PRIMARY KEY,
  host        TEXT NOT NULL,
  version     TEXT NOT NULL,
  role        TEXT NOT NULL,
  started_at  BIGINT NOT NULL,
  seen_at     BIGINT NOT NULL
);
