/**
 * Both signatures of Standard Webhooks: `v1`, HMAC-SHA256 with the endpoint's secret, and `v1a`, Ed25519 with the
 * keys of the instance. The comparison is the runtime's own, in constant time.
 */

/** The parties whose signatures are accepted. */
export type Signers = {
  /** `whsec_` and base64, for `v1`. */
  readonly secrets: readonly string[];
  /** `whpk_` and base64, for `v1a`. */
  readonly publicKeys: readonly string[];
};

/** An imported key, compared only with the entries of its version. */
type Verifier = {
  readonly prefix: 'v1,' | 'v1a,';
  readonly algorithm: 'HMAC' | 'Ed25519';
  readonly key: CryptoKey;
};

/**
 * Returns whether one of the signatures, separated by spaces, is by one of the signers. Fails as `secretBytes` does.
 */
export async function isSigned(
  content: Uint8Array<ArrayBuffer>,
  signatures: string,
  signers: Signers,
): Promise<boolean> {
  const entries = signatures.split(' ');
  for (const { prefix, algorithm, key } of await verifiersOf(signers)) {
    for (const entry of entries) {
      const signature = entry.startsWith(prefix) ? bytesOf(entry.slice(prefix.length)) : undefined;
      if (signature === undefined) continue;
      if (await crypto.subtle.verify(algorithm, key, signature, content)) return true;
    }
  }
  return false;
}

/**
 * Returns the key in an endpoint's secret. Throws TypeError if the secret is malformed, because then no delivery can
 * succeed.
 */
export function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith('whsec_') ? bytesOf(secret.slice('whsec_'.length)) : undefined;
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('The secret of a webhook endpoint is "whsec_" and base64, as Kalends printed it.');
  return bytes;
}

async function verifiersOf({ secrets, publicKeys }: Signers): Promise<Verifier[]> {
  const verifiers: Verifier[] = [];
  for (const secret of secrets) {
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', secretBytes(secret), hmac, false, ['verify']);
    verifiers.push({ prefix: 'v1,', algorithm: 'HMAC', key });
  }
  for (const publicKey of publicKeys) {
    const raw = publicKey.startsWith('whpk_') ? bytesOf(publicKey.slice('whpk_'.length)) : undefined;
    // The service may publish new kinds of keys later.
    if (raw?.length !== 32) continue;
    const key = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
    verifiers.push({ prefix: 'v1a,', algorithm: 'Ed25519', key });
  }
  return verifiers;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined; // Not base64, so not a signature or key of Kalends.
  }
}
