/** Signs ID tokens (OpenID Connect Core §2) with RS256 (RFC 7518 §3.3), and publishes the key (RFC 7517). */
import { generateKeyPair, type KeyObject, randomUUID, sign } from 'node:crypto';
import { promisify } from 'node:util';

export type IdTokenSigner = {
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** Returns the key that verifies the tokens, for the provider's JSON Web Key Set. */
  publicKey(): Promise<Readonly<Record<string, unknown>>>;
};

type SigningKey = { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject };

export function idTokenSigner(): IdTokenSigner {
  // The key is generated on first use: that takes a moment, and many tests sign no one in.
  let signingKey: Promise<SigningKey> | undefined;
  const key = () => {
    signingKey ??= newKey();
    return signingKey;
  };
  return {
    async sign(claims) {
      const { kid, privateKey } = await key();
      const header = { alg: 'RS256', typ: 'JWT', kid };
      const signed = [header, claims].map(encoded).join('.');
      return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
    },
    async publicKey() {
      const { kid, publicKey } = await key();
      return { ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid };
    },
  };
}

async function newKey(): Promise<SigningKey> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { kid: randomUUID(), ...pair };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
