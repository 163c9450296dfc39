-- Of which trace a job or a delivery is part (lib/current-trace.ts): the traceparent of what asked for it last. NULL where it is of
-- none, and always while tracing is off.
ALTER TABLE job ADD COLUMN trace TEXT;
ALTER TABLE webhook_stream ADD COLUMN trace TEXT;
