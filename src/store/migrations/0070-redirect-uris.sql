-- The redirect URIs of an application besides its default, `application.redirect_uri`, in the order of their positions.
CREATE TABLE redirect_uri (
  client_id TEXT NOT NULL REFERENCES application (client_id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  uri       TEXT NOT NULL,
  PRIMARY KEY (client_id, position),
  UNIQUE (client_id, uri)
);
