import type { Guard } from './known-guards.ts';

/** The guards of authorization codes and token families. */
export const TOKEN_GUARDS: readonly Guard[] = [
  {
    store: 'token-family',
    without: ' AND token_hash = {presented}=>',
    fails: 'the winner of a race, and nobody else, holds the current token',
  },
  {
    store: 'token-family',
    without: '{presented} AND ended_at IS NULL=>{presented}',
    fails: 'any living grant of the user ends every one of them',
    on: 'PostgreSQL',
  },
  {
    store: 'token-family',
    without: ' AND f.ended_at IS NULL=>',
    fails: 'any living grant of the user ends every one of them',
  },
  {
    store: 'token-family',
    without: ' AND refreshed_at > {refreshedAfter}=>',
    fails: 'a token of a grant that was not refreshed after the instant is not rotated',
  },
  {
    store: 'token-family',
    without: ' AND created_at > {createdAfter}=>',
    fails: 'a token of a grant that did not begin after the instant is not rotated',
  },
  {
    store: 'token-family',
    without: ' AND f.ended_at IS NULL=>',
    fails: 'a grant that has ended is not found by its tokens',
  },
  {
    store: 'token-family',
    without: ':familyId AND ended_at IS NULL AND refreshed_at=>:familyId AND refreshed_at',
    fails: 'a use is noted, and not again before the instant or after the end of the grant',
  },
  {
    store: 'token-family',
    without: ' AND refreshed_at < :notedBefore=> AND CAST(:notedBefore AS BIGINT) > 0',
    fails: 'a use is noted, and not again before the instant or after the end of the grant',
  },
  {
    store: 'token-family',
    without: 'ended_at IS NULL AND token_hash <> :presented=>token_hash <> :presented',
    fails: 'exactly one of ten who present a spent token ends its grant',
  },
  {
    store: 'token-family',
    without: " AND token_hash <> :presented=> AND CAST(:presented AS TEXT) <> ''",
    fails: 'the current token ends nothing',
  },
  {
    store: 'token-family',
    without: ' AND refreshed_at < :issuedBefore=> AND CAST(:issuedBefore AS BIGINT) > 0',
    fails: 'a spent token ends nothing before the instant',
  },
  {
    store: 'token-family',
    without:
      ':familyId AND client_id = :clientId AND user_id = :userId AND ended=>:familyId AND CAST(:clientId AS TEXT) <> CAST(:userId AS TEXT) AND ended',
    fails: 'a spent token of another user or application ends nothing',
  },
  {
    store: 'token-family',
    without: ' AND own.ended_at IS NULL=>',
    fails: 'a token of an ended grant cannot end a later authorization',
  },
  {
    store: 'token-family',
    without: 'own.client_id = :clientId AND own.user_id = :userId AND=>',
    fails: 'a family that belongs to another user or application ends nothing',
  },
  {
    store: 'token-family',
    without: 'user_id = :userId AND ended_at IS NULL AND EXISTS=>user_id = :userId AND EXISTS',
    fails: 'each grant ends once, however many revoke at once',
    on: 'PostgreSQL',
  },
  {
    store: 'authorization-code',
    without: ' AND redirect_uri = {redirectUri}=>',
    fails: 'a code redeems nothing, and keeps the record, without the redirect URI of the approval',
  },
  {
    store: 'authorization-code',
    without: " AND COALESCE(code_challenge, '') = COALESCE(CAST({codeChallenge} AS TEXT), '')=>",
    fails: 'a code redeems nothing without the challenge of the approval',
  },
  {
    store: 'authorization-code',
    without: ' AND approved_at >= {approvedSince}=>',
    fails: 'a code redeems nothing, and keeps the record, without an approval that is young enough',
  },
  {
    store: 'authorization-code',
    without: '{approvedSince} AND withdrawn_at IS NULL=>{approvedSince}',
    fails: 'a code whose record was withdrawn meanwhile is not redeemed, and the record is kept',
  },
  {
    store: 'authorization-code',
    without: ' AND client_id = :clientId AND redirect_uri IS NOT NULL=> AND redirect_uri IS NOT NULL',
    fails: "a code's record is answered at its own application only",
  },
  {
    store: 'authorization-code',
    without: "{familyId} AND token_hash = ''=>{familyId}",
    fails: 'exactly one of ten concurrent exchanges redeems a code',
  },
  {
    store: 'opaque-codes',
    without: ' AND code_hash IS NULL=>',
    fails: 'the user’s id is no code of an approval with an opaque code',
  },
  {
    store: 'opaque-codes',
    without: 'client_id = :clientId AND created_at=>CAST(:clientId AS TEXT) IS NOT NULL AND created_at',
    fails: 'a replay ends nothing at another application, before the redemption, or later than a day',
  },
  {
    store: 'opaque-codes',
    without: ' AND created_at >= :redeemedSince=> AND CAST(:redeemedSince AS BIGINT) > 0',
    fails: 'a replay ends nothing at another application, before the redemption, or later than a day',
  },
  {
    store: 'opaque-codes',
    without: ':redeemedSince AND ended_at IS NULL=>:redeemedSince',
    fails: 'exactly one of ten concurrent replays ends the grant, and no other grant of the user',
  },
  {
    store: 'token-family',
    without: " OR (redirect_uri IS NOT NULL AND token_hash = '' AND withdrawn_at IS NULL)=>",
    fails: 'the operator withdraws the pending code of that user too',
  },
  {
    store: 'authorization-code',
    without: " AND token_hash <> ''=>",
    fails: 'a pending code counts as no grant',
  },
  {
    store: 'token-family',
    without:
      ' AND NOT EXISTS (SELECT 1 FROM token_family AS f WHERE f.coverage_id = grant_coverage.coverage_id)=>',
    fails: 'what an ended grant covered is forgotten with it',
  },
];
