/**
 * The `jti` of a refresh token: a UUIDv8 (RFC 9562 §5.8) whose first 48 bits are the number of the token's family,
 * by which a rotation finds its one row. Everything after the version is random.
 */
import { randomUUID } from 'node:crypto';

export type RefreshTokenId = string & { readonly brand: 'RefreshTokenId' };

/** Family numbers are below this: what 48 bits hold. */
export const FAMILY_NUMBERS = 2 ** 48;

/** The number of the family the token belongs to. */
export const familyOf = (id: RefreshTokenId): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** A family's number as tokens state it: 12 hex digits. */
export const familyText = (familyId: number): string => familyId.toString(16).padStart(12, '0');

/** A fresh token of the family with this number. */
export function newTokenIn(familyId: number): RefreshTokenId {
  const family = familyText(familyId);
  // Behind the version the random part of a UUIDv4, variant included. The only place where a string becomes a
  // RefreshTokenId, besides reading one we signed.
  return `${family.slice(0, 8)}-${family.slice(8)}-8${randomUUID().slice(15)}` as RefreshTokenId;
}
