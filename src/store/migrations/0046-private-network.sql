-- 1 if an owner or the command line set the URL: only then may requests reach what KALENDS_PRIVATE_NETWORK opens. Who set the
-- existing ones is not known, so they are 0 if the application has members of its own. Listeners have no URL.
ALTER TABLE webhook_endpoint ADD COLUMN private_network BIGINT NOT NULL DEFAULT 0 CHECK (private_network IN (0, 1));
UPDATE webhook_endpoint SET private_network = 1
 WHERE expires_at IS NULL AND client_id NOT IN (SELECT client_id FROM person_application);
