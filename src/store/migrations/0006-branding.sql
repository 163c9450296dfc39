-- How an application shows itself on the Connect pages; no row where it has set nothing.
CREATE TABLE application_look (
  client_id     TEXT PRIMARY KEY REFERENCES application ON DELETE CASCADE,
  enabled       BIGINT NOT NULL CHECK (enabled IN (0, 1)),
  primary_color TEXT,
  theme         TEXT NOT NULL CHECK (theme IN ('auto', 'light', 'dark')),
  hide_footer   BIGINT NOT NULL CHECK (hide_footer IN (0, 1)),
  support_email TEXT,
  support_url   TEXT,
  verified      BIGINT NOT NULL CHECK (verified IN (0, 1)),
  updated_at    BIGINT NOT NULL
);

-- The pictures it shows now, as they are served: `content` is WebP in base64, `hash` the SHA-256 of the WebP. Each
-- application has its own rows, so that a picture goes with the last application that shows it.
CREATE TABLE application_logo (
  client_id TEXT NOT NULL REFERENCES application ON DELETE CASCADE,
  scheme    TEXT NOT NULL CHECK (scheme IN ('light', 'dark')),
  hash      TEXT NOT NULL,
  content   TEXT NOT NULL,
  PRIMARY KEY (client_id, scheme)
);
CREATE INDEX application_logo_by_hash ON application_logo (hash);
