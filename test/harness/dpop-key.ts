/** A DPoP key with its proofs, for tests. */
import { hash, randomUUID } from 'node:crypto';
import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

export type DpopKey = Awaited<ReturnType<typeof dpopKey>>;

/** The request of a proof, and the differences from a valid one. `undefined` removes a member. */
export type ProofOf = {
  readonly method: string;
  readonly url: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly accessToken?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
};

export async function dpopKey(alg = 'ES256', modulusLength = 2048) {
  const name = alg === 'EdDSA' ? 'Ed25519' : alg;
  const { privateKey, publicKey } = await generateKeyPair(name, { extractable: true, modulusLength });
  const { kty, crv, x, y, e, n } = await exportJWK(publicKey);
  const jwk = JSON.parse(JSON.stringify({ kty, crv, x, y, e, n })) as JWK; // without absent members
  return {
    alg,
    jwk,
    privateKey,
    jkt: await calculateJwkThumbprint(jwk),
    async prove({ method, url, now, accessToken, claims = {}, header = {} }: ProofOf): Promise<string> {
      const ath = accessToken && hash('sha256', accessToken, 'base64url');
      const valid = { jti: randomUUID(), htm: method, htu: url, iat: Math.floor(now / 1000), ath };
      const payload = new TextEncoder().encode(JSON.stringify({ ...valid, ...claims }));
      const all = { typ: 'dpop+jwt', alg, jwk, ...header };
      return new CompactSign(payload)
        .setProtectedHeader({ ...all, alg })
        .sign(privateKey, { crit: { unknown: true } });
    },
  };
}
