-- Endpoints that are paused or whose last attempt failed, by the start of the problem: few of many.
CREATE INDEX webhook_endpoint_unhealthy ON webhook_endpoint (COALESCE(paused_at, failing_since), endpoint_id)
 WHERE state = 'paused' OR failures > 0;
CREATE INDEX webhook_endpoint_unhealthy_of_client ON webhook_endpoint
 (client_id, COALESCE(paused_at, failing_since), endpoint_id) WHERE state = 'paused' OR failures > 0;
