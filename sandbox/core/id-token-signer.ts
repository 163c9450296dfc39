/** Signs ID tokens (OpenID Connect Core §2) with RS256. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export type IdTokenSigner = {
  sign(claims: JWTPayload): Promise<string>;
  /** What verifies them, for the provider's JSON Web Key Set (RFC 7517). */
  publicKey(): Promise<JWK>;
};

export function idTokenSigner(): IdTokenSigner {
  // Made at the first use: it takes a moment, and many a test signs nobody in.
  let made: ReturnType<typeof newKey> | undefined;
  const key = () => {
    made ??= newKey();
    return made;
  };
  return {
    async sign(claims) {
      const { privateKey, publicKey } = await key();
      const header = { alg: 'RS256', typ: 'JWT', kid: publicKey.kid };
      return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
    },
    publicKey: async () => (await key()).publicKey,
  };
}

async function newKey() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = await exportJWK(publicKey);
  return { privateKey, publicKey: { ...jwk, use: 'sig', kid: await calculateJwkThumbprint(jwk) } };
}
