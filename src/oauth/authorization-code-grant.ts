/**
 * Authorization code grant, RFC 6749 §4.1.3: uses up the code's record and starts a token family.
 *
 * Departs from RFC 6749 §10.10 and RFC 9700 §2.1: the code's value is the user's id (docs/wire.md O2.3), so it proves
 * nothing by itself. Only the record that an approval created does, redeemed once and by its own client. See
 * docs/departures.md#code-is-user-id.
 */
import type { ActivityNotes } from '../activity/activity.ts';
import { DPOP } from '../http/dpop-error.ts';
import type { Log } from '../lib/log.ts';
import {
  type AuthorizationCode,
  type AuthorizationCodeStore,
  isBoundToOther,
  type Redemption,
} from './authorization-code-store.ts';
import type { Client } from './client.ts';
import { bindTokens, type TokenProof, useProof } from './dpop.ts';
import { AUTHORIZATION, invalidGrant, OAuthError } from './oauth-error.ts';
import { deriveChallenge } from './pkce.ts';
import type { TokenResponse, TokenSigner } from './token-signer.ts';

export type AuthorizationCodeRequest = {
  readonly client: Client;
  readonly proof?: TokenProof | undefined;
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | undefined;
};
export type AuthorizationCodeDeps = {
  readonly codes: AuthorizationCodeStore;
  readonly signer: TokenSigner;
  readonly activityNotes: ActivityNotes;
  readonly log: Log;
  readonly now: () => number;
};

export const CODE_LIFETIME_MS = 10 * 60_000;

/** Throws OAuthError. An error does not use up the code, so that a guess cannot use up another client's code. */
export async function authorizationCodeGrant(
  request: AuthorizationCodeRequest,
  deps: AuthorizationCodeDeps,
): Promise<TokenResponse> {
  const now = deps.now();
  const { clientId } = request.client;
  const jkt = bindTokens(request);
  const { code, redirectUri, codeVerifier } = request;
  const presented: Redemption = {
    clientId,
    code,
    redirectUri,
    codeChallenge: codeVerifier === undefined ? undefined : deriveChallenge(codeVerifier),
    approvedSince: now - CODE_LIFETIME_MS,
    ...(request.client.senderConstraint !== 'off' && { dpopJkt: jkt ?? null }),
  };
  await useProof(request, async () => (await deps.codes.findCodes(clientId, code)).length > 0);
  const family = await deps.codes.redeemCode(presented, now);
  if (family !== undefined) {
    deps.activityNotes.add(clientId, 'flow_exchanged');
    return deps.signer.signTokenResponse({ ...family.grant, jkt }, family.first);
  }

  const reason = await findRefusal(presented, deps.codes);
  // Logged, so that the operator sees attempts to guess codes.
  deps.log.warn(
    { event: 'code_refused', clientId, reason: reason.message },
    'An authorization code was refused',
  );
  throw reason;
}

/** Returns why the code was refused. Looked up only in that case. */
async function findRefusal(presented: Redemption, codes: AuthorizationCodeStore): Promise<OAuthError> {
  const { clientId, code } = presented;
  const records = await codes.findCodes(clientId, code);
  // If there are several, the record with the presented challenge gives the reason.
  const record = records.find(({ codeChallenge }) => codeChallenge === presented.codeChallenge) ?? records[0];
  if (record !== undefined) return refusalOfRecord(record, presented);
  const foreign = await codes.isCodeOfAnotherClient(clientId, code);
  return invalidGrant(foreign ? 'Client mismatch' : 'Invalid authorization code');
}

function refusalOfRecord(record: AuthorizationCode, presented: Redemption): OAuthError {
  if (record.approvedAt < presented.approvedSince) return invalidGrant('Authorization code expired');
  // > OAuth session expired (transaction lost)
  if (record.withdrawnAt !== undefined)
    return new OAuthError(
      AUTHORIZATION.session_expired,
      'OAuth session expired: no account is connected any more',
    );
  if (presented.redirectUri !== record.redirectUri) return invalidGrant('Redirect URI mismatch');
  if (presented.codeChallenge !== record.codeChallenge) {
    // RFC 9700 §2.1.1: a verifier without a challenge means that the challenge was stripped on the way.
    return invalidGrant(
      record.codeChallenge === undefined
        ? 'code_verifier was sent for a request without code_challenge'
        : 'code_verifier does not match the code_challenge',
    );
  }
  if (isBoundToOther(record, presented)) {
    // RFC 9449 §10
    if (presented.dpopJkt === null) throw new OAuthError(DPOP.invalid_dpop_proof);
    return invalidGrant('The DPoP proof is of another key than the authorization code');
  }
  // Approved again in the meantime: the presented code is from before that.
  return invalidGrant('Invalid authorization code');
}
