/**
 * The `jti` of a refresh token: a UUIDv8 (RFC 9562 §5.8). Its first 48 bits are the family's number, by which a
 * rotation finds its row. The rest is random, or derived from the previous `jti`.
 */
import { createHmac, randomUUID } from 'node:crypto';

export type RefreshTokenId = string & { readonly brand: 'RefreshTokenId' };

export const FAMILY_NUMBERS = 2 ** 48;

/** Returns the number of the token's family. */
export const parseFamilyId = (id: RefreshTokenId): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Returns a family's number as tokens state it: 12 hex digits. */
export const familyText = (familyId: number): string => familyId.toString(16).padStart(12, '0');

/** Returns a new token id of the family. */
export const newTokenIn = (familyId: number): RefreshTokenId =>
  // The random part of a UUIDv4 after its version, variant included.
  tokenIn(familyId, randomUUID().slice(15));

/**
 * Derives the successor of a token: always the same one, and impossible to derive without `key` (32 bytes). `jkt` is the
 * thumbprint of the DPoP key that the successor is bound to: with another one, it is another token.
 */
export function deriveSuccessor(id: RefreshTokenId, key: Buffer, jkt = ''): RefreshTokenId {
  const mac = createHmac('sha256', key).update(id).update(jkt).digest('hex');
  const variant = '89ab'.charAt(Number.parseInt(mac.charAt(3), 16) % 4);
  return tokenIn(parseFamilyId(id), `${mac.slice(0, 3)}-${variant}${mac.slice(4, 7)}-${mac.slice(7, 19)}`);
}

function tokenIn(familyId: number, afterVersion: string): RefreshTokenId {
  const family = familyText(familyId);
  // The only cast from string to RefreshTokenId, besides reading a token that Kalends signed.
  return `${family.slice(0, 8)}-${family.slice(8)}-8${afterVersion}` as RefreshTokenId;
}
