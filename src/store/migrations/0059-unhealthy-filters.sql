-- Filters of unhealthy accounts, by state and provider, without reading their rows.
DROP INDEX account_ailing;
DROP INDEX account_ailing_of_client;
CREATE INDEX account_ailing ON account ((health_reason || ''), health_since, account_key, group_id, health, provider)
 WHERE health <> 'active';
CREATE INDEX account_ailing_of_client ON account
 (client_id, health_reason, health_since, account_key, group_id, health, provider) WHERE health <> 'active';
