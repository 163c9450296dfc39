/**
 * Authorization code grant, RFC 6749 §4.1.3: uses up the code's record and starts a token family.
 *
 * Departs from RFC 6749 §10.10 and RFC 9700 §2.1: the code's value is the user's id (docs/wire.md O2.3), so it proves
 * nothing by itself. Only the record that an approval created does, redeemed once and by its own client. See
 * docs/departures.md#code-is-user-id. An application can have opaque codes instead.
 */
import type { ActivityNotes } from '../activity/activity.ts';
import { DPOP } from '../http/dpop-error.ts';
import type { Log } from '../lib/log.ts';
import { hashOfSecret } from '../lib/sealing.ts';
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
import { hasResources } from './resource-indicators.ts';
import type { TokenResponse, TokenSigner } from './token-signer.ts';

export type AuthorizationCodeRequest = {
  readonly client: Client;
  readonly proof?: TokenProof | undefined;
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | undefined;
  /** The resource of the token request; by default, that of the authorization request. */
  readonly resource?: string | undefined;
};
export type AuthorizationCodeDeps = {
  readonly codes: AuthorizationCodeStore;
  readonly signer: TokenSigner;
  readonly activityNotes: ActivityNotes;
  /** Called when the second redemption of a code ended its grant. */
  readonly codeReplayed?: (() => void) | undefined;
  readonly log: Log;
  readonly now: () => number;
};

const VERIFIER_REQUIRED = 'code_verifier is missing: a public application is identified by nothing else';

/** Throws OAuthError. An error does not use up the code, so that a guess cannot use up another client's code. */
export async function authorizationCodeGrant(
  request: AuthorizationCodeRequest,
  deps: AuthorizationCodeDeps,
): Promise<TokenResponse> {
  const now = deps.now();
  const { clientId, codeFormat, codeLifetime, clientAuthentication } = request.client;
  const jkt = bindTokens(request);
  const { code, redirectUri, codeVerifier } = request;
  // The request of a code from before the application became public may have had no challenge.
  if (clientAuthentication === 'none' && codeVerifier === undefined) throw invalidGrant(VERIFIER_REQUIRED);
  const presented: Redemption = {
    clientId,
    code,
    codeHash: codeFormat === 'opaque' ? hashOfSecret(code) : undefined,
    redirectUri,
    codeChallenge: codeVerifier === undefined ? undefined : deriveChallenge(codeVerifier),
    approvedSince: now - codeLifetime * 1000,
    ...(request.client.senderConstraint !== 'off' && { dpopJkt: jkt ?? null }),
  };
  await useProof(request, () => isPending(presented, deps));
  const family = await deps.codes.redeemCode(presented, now);
  if (family !== undefined) {
    deps.activityNotes.add(clientId, 'flow_exchanged');
    const requested = hasResources(request.client) ? (request.resource ?? family.resource) : undefined;
    return deps.signer.signTokenResponse({ ...family.grant, resource: requested, jkt }, family.first);
  }

  const { codeHash } = presented;
  const reason =
    codeHash === undefined
      ? await findRefusal(presented, deps.codes)
      : await refuseOpaqueCode({ ...presented, codeHash, now }, deps);
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

/** The time after the redemption in which a second one ends the grant. */
const REPLAY_MS = 24 * 3_600_000;

/**
 * Returns why an opaque code was refused. If its application redeemed it already, the grant ends (RFC 6749 §4.1.2), unless
 * the request differs from the approved one: without the verifier it proves nothing.
 */
async function refuseOpaqueCode(
  presented: Redemption & { readonly codeHash: string; readonly now: number },
  { codes, codeReplayed, log }: AuthorizationCodeDeps,
): Promise<OAuthError> {
  const { clientId, codeHash, now } = presented;
  const record = await codes.findOpaqueCode(codeHash);
  if (record === undefined) return invalidGrant('Invalid authorization code');
  if (record.clientId !== clientId) return invalidGrant('Client mismatch');
  if (record.redeemedAt === undefined) return refusalOfRecord(record, presented);
  const mismatch = findMismatch(record, presented);
  if (mismatch !== undefined) return mismatch;
  const ended = await codes.endRedeemedGrant({ clientId, codeHash, redeemedSince: now - REPLAY_MS }, now);
  if (ended !== undefined) {
    codeReplayed?.();
    const { familyId, userId } = ended;
    const fields = { event: 'code_replayed', clientId, familyId, userId } as const;
    log.warn(fields, 'A code was redeemed twice, and its grant was ended');
  }
  return invalidGrant('Authorization code was redeemed already');
}

function refusalOfRecord(record: AuthorizationCode, presented: Redemption): OAuthError {
  if (record.approvedAt < presented.approvedSince) return invalidGrant('Authorization code expired');
  // > OAuth session expired (transaction lost)
  if (record.withdrawnAt !== undefined)
    return new OAuthError(
      AUTHORIZATION.session_expired,
      'OAuth session expired: no account is connected any more',
    );
  // Without a mismatch, it was approved again in the meantime: the presented code is from before that.
  return findMismatch(record, presented) ?? invalidGrant('Invalid authorization code');
}

/** Returns whether a code of the application is known. */
const isPending = async (
  { clientId, code, codeHash }: Redemption,
  { codes }: Pick<AuthorizationCodeDeps, 'codes'>,
): Promise<boolean> =>
  codeHash === undefined
    ? (await codes.findCodes(clientId, code)).length > 0
    : (await codes.findOpaqueCode(codeHash)) !== undefined;

/** Returns how the request differs from the one that was approved, if it does. */
function findMismatch(record: AuthorizationCode, presented: Redemption): OAuthError | undefined {
  if (presented.redirectUri !== record.redirectUri) return invalidGrant('Redirect URI mismatch');
  if (presented.codeChallenge !== record.codeChallenge)
    // RFC 9700 §2.1.1: a verifier without a challenge means that the challenge was stripped on the way.
    return invalidGrant(
      record.codeChallenge === undefined
        ? 'code_verifier was sent for a request without code_challenge'
        : 'code_verifier does not match the code_challenge',
    );
  if (!isBoundToOther(record, presented)) return undefined;
  // RFC 9449 §10
  if (presented.dpopJkt === null) return new OAuthError(DPOP.invalid_dpop_proof);
  return invalidGrant('The DPoP proof is of another key than the authorization code');
}
