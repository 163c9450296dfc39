-- Problems that operators are notified of. Until a second evaluation confirms one, `opened_at` is NULL.
CREATE TABLE alert (
  alert_id    TEXT NOT NULL PRIMARY KEY,
  kind        TEXT NOT NULL,
  subject     TEXT NOT NULL,
  client_id   TEXT REFERENCES application ON DELETE CASCADE,
  severity    TEXT NOT NULL,
  summary     TEXT NOT NULL,
  action      TEXT NOT NULL,
  url         TEXT,
  noticed_at  BIGINT NOT NULL,
  opened_at   BIGINT,
  missed      BIGINT NOT NULL DEFAULT 0,
  resolved_at BIGINT
);
-- A subject has one current alert of a kind.
CREATE UNIQUE INDEX alert_current ON alert (kind, subject) WHERE resolved_at IS NULL;
CREATE INDEX alert_by_time ON alert (noticed_at, alert_id);

-- One message about an alert for one recipient.
CREATE TABLE alert_notice (
  alert_id   TEXT NOT NULL REFERENCES alert ON DELETE CASCADE,
  event      TEXT NOT NULL,
  channel    TEXT NOT NULL,
  recipient  TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  sent_at    BIGINT,
  failed_at  BIGINT,
  PRIMARY KEY (alert_id, event, channel, recipient)
);
CREATE INDEX alert_notice_due ON alert_notice (channel, recipient, created_at)
 WHERE sent_at IS NULL AND failed_at IS NULL;

-- When the next message to a recipient may be sent. Claiming it is one conditional statement.
CREATE TABLE alert_recipient (
  channel   TEXT NOT NULL,
  recipient TEXT NOT NULL,
  next_at   BIGINT NOT NULL,
  PRIMARY KEY (channel, recipient)
);
