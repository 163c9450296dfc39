-- The account that a request is to reconnect: of a reconnect link, or pushed by the application.
ALTER TABLE authorization_request ADD COLUMN reconnects TEXT;
