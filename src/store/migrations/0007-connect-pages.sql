-- NULL: the application sent no theme, so that its own setting or the user's choice counts. Until now that was kept as
-- 'auto', as a theme that was sent is kept from here on.
ALTER TABLE authorization_request ADD COLUMN sent_theme TEXT CHECK (sent_theme IN ('auto', 'light', 'dark'));
UPDATE authorization_request SET sent_theme = NULLIF(theme, 'auto');
ALTER TABLE authorization_request DROP COLUMN theme;
ALTER TABLE authorization_request RENAME COLUMN sent_theme TO theme;

-- Whether the pages run in a window of their own, which answers the page that opened it.
ALTER TABLE authorization_request ADD COLUMN display TEXT NOT NULL DEFAULT 'page' CHECK (display IN ('page', 'popup'));
