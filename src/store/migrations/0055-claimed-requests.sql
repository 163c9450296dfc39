-- Failed requests that only named an application without proving it (http/asker.ts): 1, otherwise 0.
ALTER TABLE request_log ADD COLUMN claimed BIGINT NOT NULL DEFAULT 0;
-- The application whose limit a row counts toward. Empty: the limit of unknown callers.
CREATE INDEX request_log_by_owner ON request_log ((CASE claimed WHEN 0 THEN COALESCE(client_id, '') ELSE '' END), at);
