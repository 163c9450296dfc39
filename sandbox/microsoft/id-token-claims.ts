/** The claims of Microsoft's ID tokens (OpenID Connect Core §2). */
import { hash, randomUUID } from 'node:crypto';

import { type Account, isPersonal } from './directory.ts';
import { issuerOf } from './tenant.ts';

export type IdTokenRequest = {
  readonly account: Account;
  readonly clientId: string;
  readonly nonce: string | undefined;
  readonly origin: string;
  /** Epoch milliseconds, and the number of milliseconds by which that is ahead of real time. */
  readonly now: number;
  readonly ahead: number;
};

/** Returns the claims for these scopes; `sub` differs for each app. */
export function idTokenClaims(
  { account, clientId, nonce, origin, now, ahead }: IdTokenRequest,
  scopes: { readonly profile: boolean; readonly email: boolean },
): Record<string, unknown> {
  const seconds = Math.floor(now / 1000);
  // The start is not ahead of real time: an app whose clock is not turned would refuse a token from its future.
  const begins = Math.floor((now - ahead) / 1000);
  return {
    aud: clientId,
    iss: issuerOf(origin, account.tenant),
    iat: begins,
    nbf: begins,
    // No source confirms the two lifetimes.
    exp: seconds + (isPersonal(account) ? 86_400 : 3600),
    ...(scopes.profile ? { name: account.name, preferred_username: account.email, oid: account.oid } : {}),
    ...(scopes.email ? { email: account.email } : {}),
    ...(nonce === undefined ? {} : { nonce }),
    sub: subjectOf(account, clientId),
    tid: account.tenant,
    uti: hash('sha256', randomUUID(), 'base64url').slice(0, 22),
    ver: '2.0',
  };
}

/** Returns a different subject for each app, so that apps cannot compare their users. */
export const subjectOf = ({ oid }: Account, clientId: string): string =>
  hash('sha256', `${oid} ${clientId}`, 'base64url');
