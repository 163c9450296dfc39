-- Attempts of deliveries by endpoint and hour, for success rates. They stay when a user's deliveries are deleted.
CREATE TABLE endpoint_hour (
  endpoint_id TEXT NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
  hour        BIGINT NOT NULL,
  attempts    BIGINT NOT NULL,
  failures    BIGINT NOT NULL,
  PRIMARY KEY (endpoint_id, hour)
);
CREATE INDEX endpoint_hour_by_hour ON endpoint_hour (hour);

-- Pending deliveries with an attempt. The expressions keep queries for other states, and of all applications, apart.
CREATE INDEX webhook_message_retrying ON webhook_message (client_id, created_at, message_id)
 WHERE state || '' = 'pending' AND attempts > 0;
CREATE INDEX webhook_message_retrying_of_all ON webhook_message ((created_at + 0), message_id)
 WHERE state || '' = 'pending' AND attempts > 0;
