/**
 * Who is signed in where. A session is known by a hash of what the cookie has; it ends after 12 idle hours, or 7 days. One of
 * somebody whose role follows claims ends 12 hours after it began: that long it may outlive the claim.
 */
import { createHmac, randomBytes } from 'node:crypto';

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
/** Of somebody whose role follows claims, which only a sign-in reads again. */
export const LONGEST_OF_CLAIMS_MS = 12 * HOUR_MS;
/** What is dangerous asks for a sign-in that is not older. */
export const FRESH_MS = 5 * MINUTE_MS;
/** How exactly it is known when a session was last used. */
const TOUCHED_MS = MINUTE_MS;
const MOST_BROWSER_CHARACTERS = 200;

/** A person in a browser, signed in. */
export type SignedIn = {
  readonly person: Person;
  readonly session: Session;
  readonly refusedSignIns: RefusedSignIns;
  /** What its cookie has. */
  readonly secret: string;
};

/** Where somebody signs in from. */
export type Place = {
  readonly address: string;
  readonly browser: string;
  /** When they proved who they are, where that was not now. */
  readonly provedAt?: number | undefined;
};

const SECRET = /^[\w-]{43}$/;

/** Answers the secret for the cookie: always a new one, so that nobody can have set it before. */
export async function beginSession(
  personId: string,
  { address, browser, provedAt }: Place,
  { people, now }: SessionDeps,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const at = now();
  await people.addSession({
    sessionHash: hashOfSecret(secret),
    sessionId: randomBytes(9).toString('base64url'),
    personId,
    ...{ createdAt: at, seenAt: at, provedAt: provedAt ?? at, address },
    browser: browser.replace(/[^\x20-\x7e]/g, '?').slice(0, MOST_BROWSER_CHARACTERS),
  });
  return secret;
}

/** Who is signed in with this secret; `undefined` for a session that ended. */
export async function findSignedIn(
  secret: string | undefined,
  { people, now }: SessionDeps,
): Promise<SignedIn | undefined> {
  if (secret === undefined || !SECRET.test(secret)) return undefined;
  const at = now();
  const since = { seenAfter: at - IDLE_MS, createdAfter: at - LONGEST_MS };
  const found = await people.findSession(hashOfSecret(secret), since);
  if (found === undefined || isOutlived(found, at)) return undefined;
  if (found.session.seenAt < at - TOUCHED_MS) await people.touchSession(found.session.sessionId, at);
  return { ...found, secret };
}

const isOutlived = ({ person, session }: Pick<SignedIn, 'person' | 'session'>, now: number): boolean =>
  person.identity?.roleSource === 'claims' && session.createdAt <= now - LONGEST_OF_CLAIMS_MS;

/** Sessions that nobody can use any more, and links that have ended. */
export const deleteEndedSessions = ({ people, now }: SessionDeps): Promise<number> => {
  const at = now();
  return people.deleteEnded({ seen: at - IDLE_MS, created: at - LONGEST_MS, now: at });
};

/** Whether they proved who they are within five minutes. */
export const isFresh = ({ session }: SignedIn, now: number): boolean => session.provedAt > now - FRESH_MS;

/** The token of a session's forms that lead to `path`: no other session and no other path has it. */
export const formTokenOf = (secret: string, path: string): string =>
  createHmac('sha256', secret).update(`form ${path}`).digest('base64url');
