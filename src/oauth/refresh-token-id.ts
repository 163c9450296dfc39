/**
 * The `jti` of a refresh token: a UUIDv8 (RFC 9562 §5.8) whose first 48 bits name the token family,
 * so that a rotation finds its one row by an integer key. Everything else is random.
 */
import { randomInt, randomUUID } from 'node:crypto';

export type RefreshTokenId = string & { readonly brand: 'RefreshTokenId' };

/** 31 bits, 68 years: from then on names only lie among older ones. */
const SECONDS_TOLD_APART = 2 ** 31;
const FAMILIES_OF_A_SECOND = 2 ** 17;

/** The 48-bit key of the family the token belongs to. */
export const familyOf = (id: RefreshTokenId): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** A fresh token of the same family. */
export function successorOf(id: RefreshTokenId): RefreshTokenId {
  return inFamily(id.slice(0, 13));
}

/**
 * The first token of a new family that begins at `now` (epoch milliseconds). It is named by that second and 17
 * random bits, so that families begun together lie together in the table: a commit writes few of its pages. Two can
 * get one name, of which the store takes one (FamilyIdTaken).
 */
export function firstOfFamily(now: number): RefreshTokenId {
  const second = Math.floor(now / 1000) % SECONDS_TOLD_APART;
  const name = (second * FAMILIES_OF_A_SECOND + randomInt(FAMILIES_OF_A_SECOND))
    .toString(16)
    .padStart(12, '0');
  return inFamily(`${name.slice(0, 8)}-${name.slice(8)}`);
}

function inFamily(prefix: string): RefreshTokenId {
  // The random part of a UUIDv4, variant included; Node keeps its entropy ready, eleven times as fast as
  // drawing bytes. The only place a string becomes a RefreshTokenId, besides reading one we signed.
  return `${prefix}-8${randomUUID().slice(15)}` as RefreshTokenId;
}
