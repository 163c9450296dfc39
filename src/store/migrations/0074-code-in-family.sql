-- Versions do not mix: a pending authorization code is a row of token_family, which redeeming it turns into a grant.
-- `token_hash` is empty until then, and `ended_at` equals `approved_at`, so no code counts as a living grant.
ALTER TABLE token_family ADD COLUMN redirect_uri TEXT;
ALTER TABLE token_family ADD COLUMN code_challenge TEXT;
ALTER TABLE token_family ADD COLUMN finishes BIGINT CHECK (finishes IN (0, 1));
ALTER TABLE token_family ADD COLUMN approved_at BIGINT;
ALTER TABLE token_family ADD COLUMN withdrawn_at BIGINT;
CREATE INDEX token_family_code ON token_family (user_id, client_id) WHERE redirect_uri IS NOT NULL;

-- Each code gets a free number of the millisecond of its approval (token-family-store.ts). Among as many numbers as
-- there are codes and families of that millisecond, enough are free.
ALTER TABLE authorization_code ADD COLUMN family_id BIGINT;
ALTER TABLE authorization_code ADD COLUMN coverage_id TEXT;
UPDATE authorization_code SET family_id = approved_at * 1024 % 281474976710656;
WITH RECURSIVE
  begun (start, numbers) AS (
    SELECT a.family_id, COUNT(*) + (SELECT COUNT(*) FROM token_family AS f
                                     WHERE f.family_id BETWEEN a.family_id AND a.family_id + 1023)
      FROM authorization_code AS a GROUP BY a.family_id),
  numbered (start, number, others) AS (
    SELECT start, start, numbers - 1 FROM begun
     UNION ALL SELECT start, number + 1, others - 1 FROM numbered WHERE others > 0),
  free AS (
    SELECT start, number, ROW_NUMBER() OVER (PARTITION BY start ORDER BY number) AS place FROM numbered
     WHERE NOT EXISTS (SELECT 1 FROM token_family AS f WHERE f.family_id = number)),
  code AS (
    SELECT approval_id, family_id, ROW_NUMBER() OVER (PARTITION BY family_id ORDER BY approval_id) AS place
      FROM authorization_code),
  chosen AS (
    SELECT c.approval_id, f.number FROM code AS c JOIN free AS f ON f.start = c.family_id AND f.place = c.place)
UPDATE authorization_code SET family_id = chosen.number
  FROM chosen WHERE chosen.approval_id = authorization_code.approval_id;
-- The number in 12 hex digits; the databases have no function for it in common.
WITH RECURSIVE
  hex (approval_id, rest, digits) AS (
    SELECT approval_id, family_id, CAST('' AS TEXT) FROM authorization_code
     UNION ALL
    SELECT approval_id, rest / 16, SUBSTR('0123456789abcdef', CAST(rest % 16 + 1 AS INTEGER), 1) || digits
      FROM hex WHERE LENGTH(digits) < 12)
UPDATE authorization_code SET coverage_id = hex.digits
  FROM hex WHERE hex.approval_id = authorization_code.approval_id AND LENGTH(hex.digits) = 12;

INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, coverage_id, created_at, refreshed_at,
  ended_at, redirect_uri, code_challenge, finishes, approved_at, withdrawn_at)
SELECT family_id, '', client_id, user_id, scope, coverage_id, approved_at, approved_at,
       approved_at, redirect_uri, code_challenge, finishes, approved_at, withdrawn_at
  FROM authorization_code;
-- A code and grants from before version 9 of the schema share their coverage.
INSERT INTO grant_coverage (coverage_id, group_id, scope)
SELECT a.coverage_id, c.group_id, c.scope
  FROM authorization_code AS a JOIN grant_coverage AS c ON c.coverage_id = a.approval_id;
DELETE FROM grant_coverage
 WHERE coverage_id IN (SELECT approval_id FROM authorization_code)
   AND NOT EXISTS (SELECT 1 FROM token_family AS f WHERE f.coverage_id = grant_coverage.coverage_id);
DROP TABLE authorization_code;
