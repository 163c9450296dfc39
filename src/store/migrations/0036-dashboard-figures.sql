-- What the dashboard counts of accounts that ail, without reading their rows: their group says whether they are their user's yet.
DROP INDEX account_ailing;
DROP INDEX account_ailing_of_client;
CREATE INDEX account_ailing ON account ((health_reason || ''), health_since, account_key, group_id)
 WHERE health <> 'active';
CREATE INDEX account_ailing_of_client ON account (client_id, health_reason, health_since, account_key, group_id)
 WHERE health <> 'active';

-- Requests of one status over all applications: those of its class may be very many, and it among them seldom.
CREATE INDEX request_log_by_status ON request_log (status, (at + 0));
