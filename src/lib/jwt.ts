/**
 * Compact JWS (RFC 7515 §3.1) with HS256 and ES256 (RFC 7518 §3.2, §3.4), for tokens of this program. Their protected
 * header is compared as text with the headers of its keys, so `alg` and `typ` cannot be confused.
 */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';

/** A signing key in memory. */
export type JwtKey =
  | {
      readonly kid: string;
      readonly algorithm: 'HS256';
      readonly secret: KeyObject;
    }
  | {
      readonly kid: string;
      readonly algorithm: 'ES256';
      readonly privateKey: KeyObject;
      readonly publicKey: KeyObject;
    };

/** Creates a key from its stored material: a base64url secret (HS256) or a PKCS #8 PEM (ES256). */
export function jwtKey(kid: string, algorithm: 'HS256' | 'ES256', material: string): JwtKey {
  if (algorithm === 'HS256') return { kid, algorithm, secret: createSecretKey(material, 'base64url') };
  const privateKey = createPrivateKey(material);
  return { kid, algorithm, privateKey, publicKey: createPublicKey(privateKey) };
}

/** Returns the encoded protected header of the key's tokens of this `typ` (RFC 7515 §4.1.9). */
export const protectedHeader = ({ algorithm, kid }: JwtKey, typ: string): string =>
  Buffer.from(JSON.stringify({ alg: algorithm, typ, kid })).toString('base64url');

/** Returns the compact serialization of `claims` under an encoded header of the same key. */
export function signJwt(header: string, claims: object, key: JwtKey): string {
  const input = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${input}.${signature(input, key)}`;
}

/** Returns the claims of a token, or `undefined` if its signature is not the key's. */
export function verifyJwt(token: string, key: JwtKey): unknown {
  const end = token.lastIndexOf('.');
  const input = token.slice(0, end);
  if (!signatureHolds(input, token.slice(end + 1), key)) return undefined;
  return JSON.parse(Buffer.from(input.slice(input.indexOf('.') + 1), 'base64url').toString());
}

/** Returns the signature in base64url. */
function signature(input: string, key: JwtKey): string {
  if (key.algorithm === 'HS256') return createHmac('sha256', key.secret).update(input).digest('base64url');
  const options = { key: key.privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return sign('sha256', Buffer.from(input), options).toString('base64url');
}

/** Compares the encoded text, because a lenient decoder would accept several spellings of one token. */
function signatureHolds(input: string, presented: string, key: JwtKey): boolean {
  if (key.algorithm === 'HS256') {
    const expected = Buffer.from(signature(input, key));
    const text = Buffer.from(presented);
    return text.length === expected.length && timingSafeEqual(text, expected);
  }
  const bytes = Buffer.from(presented, 'base64url');
  if (bytes.toString('base64url') !== presented) return false;
  return verify('sha256', Buffer.from(input), { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, bytes);
}
