-- Deliveries are listed the newest first, whatever they are filtered by: each index has the time and the id behind what it
-- finds. Most begin with a state: a list of all states is merged from one of each.
-- That of all applications has an expression, so that PostgreSQL never reads through it for one application.
DROP INDEX webhook_message_by_client;
DROP INDEX webhook_message_by_user;
DROP INDEX webhook_message_by_endpoint;
DROP INDEX webhook_message_by_age;
CREATE INDEX webhook_message_of_user ON webhook_message (client_id, user_id, created_at, message_id);
CREATE INDEX webhook_message_of_calendar ON webhook_message (client_id, calendar_id, created_at, message_id);
CREATE INDEX webhook_message_of_endpoint ON webhook_message (endpoint_id, state, created_at, message_id);
CREATE INDEX webhook_message_of_all ON webhook_message (state, (created_at + 0), message_id);
