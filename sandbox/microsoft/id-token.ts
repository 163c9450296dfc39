/** ID tokens (OpenID Connect Core §2) in RS256, as Microsoft signs them, and the key set to check them with. */
import { createSign, generateKeyPairSync, hash, randomUUID } from 'node:crypto';

import { type Account, isPersonal } from './directory.ts';
import { issuerOf } from './tenant.ts';

export type IdTokenSigner = {
  sign(claims: Readonly<Record<string, unknown>>): string;
  /** RFC 7517 §5. */
  readonly keySet: { readonly keys: readonly object[] };
};

export function idTokenSigner(): IdTokenSigner {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = publicKey.export({ format: 'jwk' });
  const kid = hash('sha1', `${jwk.n}`, 'base64url');
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const header = encode({ typ: 'JWT', alg: 'RS256', kid });
  return {
    sign(claims) {
      const input = `${header}.${encode(claims)}`;
      return `${input}.${createSign('sha256').update(input).sign(privateKey, 'base64url')}`;
    },
    // (k) Microsoft's keys state no `alg`; checking has to take it from the token, within what metadata allows.
    keySet: { keys: [{ ...jwk, use: 'sig', kid, x5t: kid }] },
  };
}

export type IdTokenRequest = {
  readonly account: Account;
  readonly clientId: string;
  readonly nonce: string | undefined;
  readonly origin: string;
  /** Epoch milliseconds, and by how many of them that is ahead of real time. */
  readonly now: number;
  readonly ahead: number;
};

/** The claims for these scopes; `sub` is another one for each app. */
export function idTokenClaims(
  { account, clientId, nonce, origin, now, ahead }: IdTokenRequest,
  scopes: { readonly profile: boolean; readonly email: boolean },
): Record<string, unknown> {
  const seconds = Math.floor(now / 1000);
  // Not before real time: an app whose clock is not turned would refuse a token of its future.
  const begins = Math.floor((now - ahead) / 1000);
  return {
    aud: clientId,
    iss: issuerOf(origin, account.tenant),
    iat: begins,
    nbf: begins,
    // (k)
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

/** Another one for each app, so that apps cannot compare their users. */
export const subjectOf = ({ oid }: Account, clientId: string): string =>
  hash('sha256', `${oid} ${clientId}`, 'base64url');
