-- What applications called (request-log/request-entry.ts): all refusals and a share of the rest, for some days. The user is
-- named by a hash whose key is in the user's own row (application_user.audit_key). No address is whole, and no body is one
-- that a caller sent. `body` is JSON.
CREATE TABLE request_log (
  request_id   TEXT PRIMARY KEY,
  at           BIGINT NOT NULL,
  method       TEXT NOT NULL,
  route        TEXT,
  status       BIGINT NOT NULL,
  status_class BIGINT NOT NULL,
  duration_ms  BIGINT NOT NULL,
  client_id    TEXT REFERENCES application ON DELETE CASCADE,
  user_hash    TEXT,
  network      TEXT,
  body         TEXT
);
-- One for each thing that is looked for, with the time behind it: pages are read without sorting.
-- Those of all applications have an expression, so that PostgreSQL never reads through them for one application.
CREATE INDEX request_log_by_time ON request_log ((at + 0));
CREATE INDEX request_log_by_class ON request_log (status_class, (at + 0));
CREATE INDEX request_log_by_route ON request_log (route, (at + 0));
CREATE INDEX request_log_by_client ON request_log (client_id, at);
CREATE INDEX request_log_by_client_class ON request_log (client_id, status_class, at);
CREATE INDEX request_log_by_client_status ON request_log (client_id, status, at);
CREATE INDEX request_log_by_client_route ON request_log (client_id, route, at);
CREATE INDEX request_log_by_user ON request_log (user_hash, at) WHERE user_hash IS NOT NULL;
