/** ID tokens (OpenID Connect Core §2), signed RS256, and the key they are verified with. */
import { createHash, generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';

import { EMAIL_SCOPE, PROFILE_SCOPE } from './google-scopes.ts';
import type { IssuedTokens } from './google-tokens.ts';
import type { GooglePerson } from './google-world.ts';

export interface IdTokens {
  /** A JSON Web Key Set (RFC 7517). */
  keys(): Promise<{ readonly keys: readonly object[] }>;
  sign(tokens: IssuedTokens, person: GooglePerson): Promise<string>;
}

export function idTokens({ issuer, now }: { issuer: () => string; now: () => number }): IdTokens {
  // Made at the first use: it takes a moment, and many a test signs nobody in.
  let pair: ReturnType<typeof newKey> | undefined;
  const key = () => {
    pair ??= newKey();
    return pair;
  };
  return {
    async keys() {
      const { publicKey, kid } = await key();
      return { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] };
    },
    async sign(tokens, person) {
      const { privateKey, kid } = await key();
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = claimsOf(tokens, person, { issuer: issuer(), now: now() });
      const input = `${encode({ alg: 'RS256', kid, typ: 'JWT' })}.${encode(claims)}`;
      return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
    },
  };
}

async function newKey() {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const kid = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  return { publicKey, privateKey, kid: kid.slice(0, 40) };
}

function claimsOf(
  { clientId, scopes, accessToken, expiresIn, nonce }: IssuedTokens,
  { sub, email, name }: GooglePerson,
  { issuer, now }: { issuer: string; now: number },
) {
  const issuedAt = Math.floor(now / 1000);
  // The left half of the hash, OpenID Connect Core §3.1.3.6.
  const atHash = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
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
