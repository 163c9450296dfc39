/**
 * The `jti` of a refresh token: a UUIDv8 (RFC 9562 §5.8) whose first 48 bits are the number of the token's family,
 * by which a rotation finds its one row. Everything after the version is random, or derived from the `jti` before it.
 */
import { createHmac, randomUUID } from 'node:crypto';

export type RefreshTokenId = string & { readonly brand: 'RefreshTokenId' };

/** Family numbers are below this: what 48 bits hold. */
export const FAMILY_NUMBERS = 2 ** 48;

/** The number of the family the token belongs to. */
export const familyOf = (id: RefreshTokenId): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** A family's number as tokens state it: 12 hex digits. */
export const familyText = (familyId: number): string => familyId.toString(16).padStart(12, '0');

/** A fresh token of the family with this number. */
export const newTokenIn = (familyId: number): RefreshTokenId =>
  // The random part of a UUIDv4 behind its version, variant included.
  tokenIn(familyId, randomUUID().slice(15));

/** Derives the successor of a token under `key`, 32 bytes: the same one each time, which no one derives without the key. */
export function deriveSuccessor(id: RefreshTokenId, key: Buffer): RefreshTokenId {
  const mac = createHmac('sha256', key).update(id).digest('hex');
  const variant = '89ab'.charAt(Number.parseInt(mac.charAt(3), 16) % 4);
  return tokenIn(familyOf(id), `${mac.slice(0, 3)}-${variant}${mac.slice(4, 7)}-${mac.slice(7, 19)}`);
}

function tokenIn(familyId: number, afterVersion: string): RefreshTokenId {
  const family = familyText(familyId);
  // The only place where a string becomes a RefreshTokenId, besides reading one we signed.
  return `${family.slice(0, 8)}-${family.slice(8)}-8${afterVersion}` as RefreshTokenId;
}
