/**
 * The `jti` of a refresh token: a UUIDv8 (RFC 9562 §5.8) whose first 48 bits name the token family,
 * so that a rotation finds its one row by an integer key. Everything after the version is random.
 */
import { randomUUID } from 'node:crypto';

export type RefreshTokenId = string & { readonly brand: 'RefreshTokenId' };

/** Microseconds that 48 bits tell apart: 8.9 years, after which numbers lie among older ones. */
const NUMBERS = 2 ** 48;

/** The 48-bit key of the family the token belongs to. */
export const familyOf = (id: RefreshTokenId): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** A fresh token of the same family. */
export function successorOf(id: RefreshTokenId): RefreshTokenId {
  return inFamily(id.slice(0, 13));
}

/**
 * The first token of a new family. Its number is the microsecond it is drawn in, so that families which begin
 * together lie together in the table and a commit writes few of its pages. Unique in this process; of two processes
 * that draw one number, the store gives it to one (FamilyIdTaken). Nothing is decided by the time it tells, which
 * therefore does not come in as `now`.
 */
export function firstOfFamily(): RefreshTokenId {
  lastDrawn = Math.max(lastDrawn + 1, Math.floor((performance.timeOrigin + performance.now()) * 1000));
  const number = (lastDrawn % NUMBERS).toString(16).padStart(12, '0');
  return inFamily(`${number.slice(0, 8)}-${number.slice(8)}`);
}

let lastDrawn = 0;

function inFamily(prefix: string): RefreshTokenId {
  // The random part of a UUIDv4, variant included; Node keeps its entropy ready, eleven times as fast as
  // drawing bytes. The only place a string becomes a RefreshTokenId, besides reading one we signed.
  return `${prefix}-8${randomUUID().slice(15)}` as RefreshTokenId;
}
