/** DPoP (RFC 9449): proofs of the key that tokens are bound to, made with the runtime's WebCrypto. */
import { isRecord } from './kalends-error.ts';

/** An ECDSA key with the curve P-256, such as from WebCrypto's `generateKey`. The private key need not be extractable. */
export type DpopKeyPair = { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey };

/** The request of a proof. `url` has no query. */
export type ProvenRequest = {
  readonly method: string;
  readonly url: string;
  /** Undefined at the token endpoint. */
  readonly accessToken: string | undefined;
};

/** The proofs of one key. */
export type DpopProofs = {
  /** Returns the value of the header `DPoP`: a new proof for one request, with the latest nonce of the service. */
  prove(request: ProvenRequest): Promise<string>;
  /** Reads the nonce for the next proof from a response. */
  noteNonce(response: Response): void;
};

const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Returns the proofs of `pair`, or of a new key. `now` is epoch milliseconds. */
export function dpopProofs(pair: DpopKeyPair | undefined, now: () => number): DpopProofs {
  let nonce: string | undefined;
  let key: Promise<{ privateKey: CryptoKey; jwk: object }> | undefined;
  const loadKey = async () => {
    const { privateKey, publicKey } =
      pair ?? (await crypto.subtle.generateKey(ES256, false, ['sign', 'verify']));
    const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
    return { privateKey, jwk: { kty, crv, x, y } };
  };
  return {
    async prove({ method, url, accessToken }) {
      key ??= loadKey();
      const { privateKey, jwk } = await key;
      const claims = {
        ...{ jti: crypto.randomUUID(), htm: method, htu: url, iat: Math.floor(now() / 1000), nonce },
        ath:
          accessToken && base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes(accessToken)))),
      };
      const header = { typ: 'dpop+jwt', alg: 'ES256', jwk };
      const input = [header, claims].map((part) => base64url(bytes(JSON.stringify(part)))).join('.');
      const signature = await crypto.subtle.sign(ES256, privateKey, bytes(input));
      return `${input}.${base64url(new Uint8Array(signature))}`;
    },
    noteNonce(response) {
      nonce = response.headers.get('dpop-nonce') ?? nonce;
    },
  };
}

/** Returns whether an access token is bound to a key. */
export function isBound(accessToken: string): boolean {
  try {
    const [, payload = ''] = accessToken.split('.');
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return isRecord(claims) && claims.cnf !== undefined;
  } catch {
    return false; // The service issued no such token.
  }
}

/** Returns bytes in base64url without padding. */
export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
