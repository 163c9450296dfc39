-- Resends are taken endpoint by endpoint.
DROP INDEX webhook_message_to_replay;
CREATE INDEX webhook_message_to_replay ON webhook_message (endpoint_id, replay_at, created_at) WHERE replay_at IS NOT NULL;
