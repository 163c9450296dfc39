-- Versions do not mix: an earlier version cannot show the new event and forgets resources.

-- The history of an account also says that a spent refresh token ended a grant (calendars/health-history.ts).
ALTER TABLE account_history ADD COLUMN event TEXT NOT NULL DEFAULT 'connected'
  CHECK (event IN ('connected', 'degraded', 'reauth_required', 'recovered', 'refresh_reused'));
UPDATE account_history SET event = happened;
ALTER TABLE account_history DROP COLUMN happened;
ALTER TABLE account_history RENAME COLUMN event TO happened;

-- The resource that an authorization request named (RFC 8707). The refresh token of a grant has it as a claim.
ALTER TABLE authorization_request ADD COLUMN resource TEXT;
ALTER TABLE token_family ADD COLUMN resource TEXT;
