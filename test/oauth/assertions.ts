/** Keys of applications and the assertions that they sign, made by `jose` and `node:crypto`. */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { DEFAULT_SETTINGS } from '../../src/oauth/client.ts';
import type { ClientKeys } from '../../src/oauth/client-key-store.ts';
import { ISSUER, type OAuthServer } from './oauth-server.ts';

export type SigningKey = {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: Readonly<Record<string, unknown>>;
};

const PAIRS = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  Ed25519: () => generateKeyPairSync('ed25519'),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

export function newKey(alg: keyof typeof PAIRS = 'ES256'): SigningKey {
  const { privateKey, publicKey } = PAIRS[alg]();
  const kid = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 8);
  return {
    alg,
    kid,
    privateKey,
    publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' },
  };
}

export const setOf = (...keys: readonly SigningKey[]) => ({ keys: keys.map(({ publicJwk }) => publicJwk) });

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs any header and claims. */
export function signedWith({ alg, privateKey }: SigningKey, header: object, claims: object): string {
  const input = `${encoded(header)}.${encoded(claims)}`;
  const options = {
    ES256: { key: privateKey, dsaEncoding: 'ieee-p1363' as const },
    PS256: { key: privateKey, padding: 6, saltLength: 32 },
  }[alg];
  const hash = alg.startsWith('Ed') ? null : 'sha256';
  return `${input}.${sign(hash, Buffer.from(input), options ?? privateKey).toString('base64url')}`;
}

export const claimsAt = (now: number, clientId = 'acme') => ({
  iss: clientId,
  sub: clientId,
  aud: ISSUER,
  exp: Math.floor(now / 1000) + 60,
  iat: Math.floor(now / 1000),
  jti: randomUUID(),
});

export const assertionOf = (key: SigningKey, now: number, claims: object = {}): string =>
  signedWith(key, { alg: key.alg, kid: key.kid }, { ...claimsAt(now), ...claims });

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** POST /token with `client_credentials` and an assertion, unless the form has other values. */
export function postAssertion(app: FastifyInstance, assertion: string, form: Record<string, string> = {}) {
  const grant = { grant_type: 'client_credentials', scope: 'application' };
  const credentials = { client_assertion: assertion, client_assertion_type: ASSERTION_TYPE };
  return app.inject({
    method: 'POST',
    url: '/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ ...grant, ...credentials, ...form }).toString(),
  });
}

/** Lets an application authenticate by these keys. */
export const useKeys = ({ stores, clock }: OAuthServer, keys: ClientKeys, clientId = 'acme') =>
  stores.clients.updateClient(
    clientId,
    { keys, clientAuthentication: 'private_key_jwt' },
    { now: clock.now, by: undefined },
  );

/** The switches of a public application. */
export const PUBLIC = {
  ...{ codeFormat: 'opaque', pkce: 'required', refreshReuse: 'end-grant', refreshReplayWindow: 10 },
  clientAuthentication: 'none',
} as const satisfies Partial<typeof DEFAULT_SETTINGS>;
