/** The DPoP key of a test user (RFC 9449). Its tokens are bound to it if the application has a sender constraint. */
import { generateKeyPairSync, hash, randomUUID } from 'node:crypto';
import type { TokenProof } from '../oauth/dpop.ts';

/** A private key for ES256 as a JWK (RFC 7517). */
export type TestKey = Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'd', string>>;

export function createTestKey(): TestKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' }) as TestKey; // RFC 7518 §6.2 has these members.
}

/** Returns the proof of a key for a grant in this process: no one sent it, so that it cannot be repeated. */
export async function proveKey({ kty, crv, x, y }: TestKey): Promise<TokenProof> {
  const { calculateJwkThumbprint } = await import('jose');
  return { jkt: await calculateJwkThumbprint({ kty, crv, x, y }), nextNonce: undefined, use: async () => {} };
}

type Proven = {
  readonly method: string;
  /** The URL without its query. */
  readonly url: string;
  /** Undefined at `/token` and `/par`. */
  readonly accessToken: string | undefined;
  readonly nonce: string | undefined;
};

/** Returns the header `DPoP` of a request. `now` is in epoch milliseconds. */
export async function signProof(key: TestKey, proven: Proven, now: number): Promise<string> {
  const { SignJWT, importJWK } = await import('jose');
  const { method: htm, url: htu, accessToken, nonce } = proven;
  const ath = accessToken === undefined ? undefined : hash('sha256', accessToken, 'base64url');
  const { d: _, ...jwk } = key;
  // JSON leaves out undefined claims.
  return new SignJWT({ htm, htu, ath, nonce, jti: randomUUID(), iat: Math.floor(now / 1000) })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .sign(await importJWK(key, 'ES256'));
}
