-- An application host names its application in lower case, and anybody can ask for one.
CREATE INDEX application_by_label ON application (LOWER(client_id));
