/**
 * The `jti` of a refresh token: a UUIDv8 (RFC 9562 §5.8) whose first 48 bits name the token family,
 * so that a rotation finds its one row by an integer key. Everything else is random.
 */
import { randomUUID } from 'node:crypto';

export type RefreshTokenId = string & { readonly brand: 'RefreshTokenId' };

/** The 48-bit key of the family the token belongs to. */
export const familyOf = (id: RefreshTokenId): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** A fresh token of the same family. */
export function successorOf(id: RefreshTokenId): RefreshTokenId {
  return inFamily(id.slice(0, 13));
}

/** The first token of a new, randomly named family. */
export function firstOfFamily(): RefreshTokenId {
  // The first 48 bits of a UUIDv4 are random, all of them.
  return inFamily(randomUUID().slice(0, 13));
}

function inFamily(prefix: string): RefreshTokenId {
  // The random part of a UUIDv4, variant included; Node keeps its entropy ready, eleven times as fast as
  // drawing bytes. The only place a string becomes a RefreshTokenId, besides reading one we signed.
  return `${prefix}-8${randomUUID().slice(15)}` as RefreshTokenId;
}
