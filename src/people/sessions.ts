/**
 * Sessions of members, identified by a hash of their cookie. They end after 12 idle hours or 7 days; after 12 hours if
 * the role follows claims, which only a sign-in reads.
 */
import { createHmac, randomBytes } from 'node:crypto';

import type { By } from '../audit/audit-entry.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import type { Person } from './person.ts';
import type { PersonStore, RefusedSignIns, Session } from './person-store.ts';

export type SessionDeps = {
  readonly people: PersonStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const IDLE_MS = 12 * HOUR_MS;
export const LONGEST_MS = 7 * 24 * HOUR_MS;
/** The maximum for a member whose role follows claims, because only a sign-in reads the claims again. */
export const LONGEST_OF_CLAIMS_MS = 12 * HOUR_MS;
/** The maximum age of a sign-in for dangerous actions. */
export const FRESH_MS = 5 * MINUTE_MS;
/** The precision of a session's last use. */
const TOUCHED_MS = MINUTE_MS;
const MOST_BROWSER_CHARACTERS = 200;

export type SignedIn = {
  readonly person: Person;
  readonly session: Session;
  readonly refusedSignIns: RefusedSignIns;
  /** The secret in the session's cookie. */
  readonly secret: string;
};

export type Place = {
  readonly address: string;
  readonly browser: string;
  /** When the member proved their identity, if that was earlier. */
  readonly provedAt?: number | undefined;
};

const SECRET = /^[\w-]{43}$/;

/** Creates a session and returns its secret for the cookie, always a new one: no one can have set it before. */
export async function beginSession(
  personId: string,
  { address, browser, provedAt }: Place,
  { people, now, by }: SessionDeps & By,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const at = now();
  const session = {
    sessionHash: hashOfSecret(secret),
    sessionId: randomBytes(9).toString('base64url'),
    personId,
    ...{ createdAt: at, seenAt: at, provedAt: provedAt ?? at, address },
    browser: browser.replace(/[^\x20-\x7e]/g, '?').slice(0, MOST_BROWSER_CHARACTERS),
  };
  await people.addSession(session, by);
  return secret;
}

/** Returns the member and session of this secret; `undefined` if the session has ended. */
export async function findSignedIn(
  secret: string | undefined,
  { people, now }: SessionDeps,
): Promise<SignedIn | undefined> {
  if (secret === undefined || !SECRET.test(secret)) return undefined;
  const at = now();
  const since = { seenAfter: at - IDLE_MS, createdAfter: at - LONGEST_MS };
  const match = await people.findSession(hashOfSecret(secret), since);
  if (match === undefined || isOutlived(match, at)) return undefined;
  if (match.session.seenAt < at - TOUCHED_MS) await people.touchSession(match.session.sessionId, at);
  return { ...match, secret };
}

const isOutlived = ({ person, session }: Pick<SignedIn, 'person' | 'session'>, now: number): boolean =>
  person.identity?.roleSource === 'claims' && session.createdAt <= now - LONGEST_OF_CLAIMS_MS;

export const deleteEndedSessions = ({ people, now }: SessionDeps): Promise<number> => {
  const at = now();
  return people.deleteEnded({ seen: at - IDLE_MS, created: at - LONGEST_MS, now: at });
};

/** Returns whether the member proved their identity within the last five minutes. */
export const isFresh = ({ session }: SignedIn, now: number): boolean => session.provedAt > now - FRESH_MS;

/** Returns the token of a session's forms for `path`. It is valid for no other session or path. */
export const deriveFormToken = (secret: string, path: string): string =>
  createHmac('sha256', secret).update(`form ${path}`).digest('base64url');
