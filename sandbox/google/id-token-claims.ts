/** The claims of Google's ID tokens (OpenID Connect Core §2). */
import { hash } from 'node:crypto';

import { EMAIL_SCOPE, PROFILE_SCOPE } from './google-scopes.ts';
import type { GooglePerson } from './google-store.ts';
import type { IssuedTokens } from './google-tokens.ts';

/** Returns the claims; `now` is epoch milliseconds. */
export function idTokenClaims(
  { clientId, scopes, accessToken, expiresIn, nonce }: IssuedTokens,
  { sub, email, name }: GooglePerson,
  { issuer, now }: { issuer: string; now: number },
) {
  const issuedAt = Math.floor(now / 1000);
  // The left half of the hash, OpenID Connect Core §3.1.3.6.
  const atHash = hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url');
  return {
    iss: issuer,
    azp: clientId,
    aud: clientId,
    sub,
    ...(scopes.includes(EMAIL_SCOPE) ? { email, email_verified: true } : {}),
    ...(scopes.includes(PROFILE_SCOPE) ? { name } : {}),
    at_hash: atHash,
    ...(nonce === undefined ? {} : { nonce }),
    iat: issuedAt,
    exp: issuedAt + expiresIn,
  };
}
