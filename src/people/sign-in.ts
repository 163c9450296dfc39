/**
 * Signs members in with a password. Attempts from a browser that the member used before count for that browser, others
 * for the address, its networks and the login: guessing elsewhere locks no member out of a known browser.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { addressKey, toNetworks } from '../http/address-key.ts';
import { attemptLimit, countEach, type RefundableLimit, refundEach } from '../http/attempt-limit.ts';
import { ownLimits } from '../http/shared-attempts.ts';
import { type HashingCaller, type HashingDeps, isPassword } from './password.ts';
import { PeopleRefusal, type SignInTarget } from './people-refusal.ts';
import { type Person, parseLogin } from './person.ts';
import type { PersonStore } from './person-store.ts';

/** The limits of browsers and logins are shared by all instances, the others are in the memory of each. */
export type SignInLimits = ReturnType<typeof signInLimits>;

const WINDOW_SECONDS = 15 * 60;
const MOST_COUNTED_NETWORKS = 20_000;

/** `now` returns milliseconds since any moment. */
export const signInLimits = (now: () => number = () => performance.now(), createLimit = ownLimits) => ({
  /** By the nonce of a known browser's mark, or by a session's id. */
  ofBrowser: createLimit('browser', { attempts: 10, seconds: WINDOW_SECONDS }),
  ofBrowserInDay: createLimit('browser_in_day', { attempts: 50, seconds: 24 * 60 * 60 }),
  ofAddress: attemptLimit(30, WINDOW_SECONDS),
  ofAccountAtAddress: attemptLimit(10, WINDOW_SECONDS),
  /** By /48 or /24, and by /32 or /16. */
  ofSite: attemptLimit(120, WINDOW_SECONDS),
  ofWideNetwork: attemptLimit(600, WINDOW_SECONDS),
  ofLogin: createLimit(
    'login',
    { attempts: FREE_ATTEMPTS, seconds: WINDOW_SECONDS, backOff: BACK_OFF },
    loginLimit(now),
  ),
  /** Limits returns from single sign-on, each of which makes requests to the issuer. */
  ofReturns: attemptLimit(20, WINDOW_SECONDS),
  countForLog: countForLog(now),
});

/** Returns a function that reports the calls per network: once a minute for each, at most 1,000 times in all. */
function countForLog(now: () => number) {
  const [ofNetwork, inAll] = [attemptLimit(1, 60, { now }), attemptLimit(1_000, 60, { now })];
  const counts = new Map<string, number>();
  return async (network: string): Promise<number | undefined> => {
    const isTooEarly = ((await ofNetwork(network)) ?? (await inAll(''))) !== undefined;
    const count = (counts.get(network) ?? 0) + 1;
    counts.delete(network);
    if (!isTooEarly) return count;
    if (counts.size < MOST_COUNTED_NETWORKS) counts.set(network, count);
    return undefined;
  };
}

/** `link`: an invitation, setup link or reset link. */
export type SignInWay = 'password' | 'passkey' | 'single_sign_on' | 'link';
export type SignInOutcome = 'ok' | 'refused' | 'too_many' | 'error';

export type SignInDeps = HashingDeps & {
  readonly people: PersonStore;
  readonly signInLimits: SignInLimits;
  /** Marks browsers in which a member signed in before. */
  readonly knownBrowserKey: Buffer;
};

export type PasswordSignIn = Omit<HashingCaller, 'member'> & {
  readonly login: string;
  readonly password: string;
  /** The mark in the cookie of a browser in which a member signed in before. */
  readonly mark?: string | undefined;
  /** The session in which the member confirms their identity. */
  readonly sessionId?: string;
};

/** Returns the member. Throws PeopleRefusal `wrong_login`, also for unknown logins, or `too_many…`. */
export async function signIn(attempt: PasswordSignIn, deps: SignInDeps): Promise<Person> {
  const login = parseLogin(attempt.login) ?? '';
  const match = login === '' ? undefined : await deps.people.findByLogin(login);
  const { refund, target } = await countAttempt({ ...attempt, login, person: match?.person }, deps);
  const caller = { ...attempt, member: target.isKnownBrowser ? target.personId : undefined };
  const check = { password: attempt.password, hash: match?.password };
  const isRight = await isPassword(check, caller, deps).catch(async (reason: unknown) => {
    await refund();
    throw reason;
  });
  if (!isRight || match === undefined) throw new PeopleRefusal('wrong_login', { target });
  await refund();
  return match.person;
}

/** A sign-in attempt and the member that it names, if any. */
export type Attempt = Pick<PasswordSignIn, 'login' | 'address' | 'mark' | 'sessionId'> & {
  readonly person: Person | undefined;
  /** Undefined for a passkey. */
  readonly password?: string | undefined;
};

/** Counts an attempt. Returns its member and an undo function. If a limit is reached, throws and counts nothing. */
export async function countAttempt(attempt: Attempt, deps: Omit<SignInDeps, 'people' | 'passwordSlots'>) {
  const { signInLimits } = deps;
  const browser = attempt.sessionId ?? knownBrowserNonce(attempt, deps);
  const target: SignInTarget = { personId: attempt.person?.personId, isKnownBrowser: browser !== undefined };
  const counted =
    browser === undefined
      ? ofNewBrowser(attempt, signInLimits)
      : [signInLimits.ofBrowser, signInLimits.ofBrowserInDay].map((limit) => ({ limit, key: browser }));
  const exceeded = await countEach(counted);
  if (exceeded !== undefined) {
    const kind = exceeded.limit === signInLimits.ofLogin ? 'too_many_for_login' : 'too_many';
    throw new PeopleRefusal(kind, { retryAfter: exceeded.retryAfter, target });
  }
  return { target, refund: () => refundEach(counted) };
}

/** Lists the limits, the largest network first: if it is over its limit, the others get no new keys. */
function ofNewBrowser({ address, login, password }: Attempt, limits: SignInLimits) {
  const [wide, site, key] = toNetworks(address);
  const ofPlace = [
    { limit: limits.ofAddress, key },
    { limit: limits.ofAccountAtAddress, key: `${key} ${login}` },
  ];
  if (password === undefined) return ofPlace;
  const ofNetworks = [
    { limit: limits.ofWideNetwork, key: wide },
    { limit: limits.ofSite, key: site },
  ];
  // No member has the empty login.
  return [...ofNetworks, ...ofPlace, ...(login === '' ? [] : [{ limit: limits.ofLogin, key: login }])];
}

/** Returns a mark for a browser in which this member signed in. A mark signs no one in. */
export function createBrowserMark(personId: string, key: Buffer): string {
  const nonce = randomBytes(12).toString('base64url');
  return `${nonce}.${signMark(nonce, personId, key)}.${signMark(nonce, ANYBODY, key)}`;
}

/** Replaces the member's id while the member is unknown. No member has the empty id. */
const ANYBODY = '';

/** Returns the key that counts attempts without a member: a known browser, else the address. */
export function countedForNobody(
  { address, mark }: Pick<Attempt, 'address' | 'mark'>,
  { knownBrowserKey }: Pick<SignInDeps, 'knownBrowserKey'>,
): string {
  const [nonce = '', , mac = ''] = mark?.split('.') ?? [];
  return isMac(mac, signMark(nonce, ANYBODY, knownBrowserKey)) ? `browser ${nonce}` : addressKey(address);
}

/** Returns the nonce of the mark if the named member has signed in with this browser. */
function knownBrowserNonce(
  { mark = '', person }: Pick<Attempt, 'mark' | 'person'>,
  { knownBrowserKey }: Pick<SignInDeps, 'knownBrowserKey'>,
): string | undefined {
  const [nonce = '', mac = ''] = mark.split('.');
  return person !== undefined && isMac(mac, signMark(nonce, person.personId, knownBrowserKey))
    ? nonce
    : undefined;
}

function isMac(text: string, mac: string): boolean {
  const [given, expected] = [Buffer.from(text), Buffer.from(mac)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const signMark = (nonce: string, personId: string, key: Buffer): string =>
  createHmac('sha256', key).update(`${nonce} ${personId}`).digest('base64url');

const MINUTE_MS = 60_000;
const WINDOW_MS = 15 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FREE_ATTEMPTS = 20;
const BACK_OFF = { firstMs: MINUTE_MS, longestMs: 60 * MINUTE_MS, forgetMs: DAY_MS };
/** Logins share the counts by a keyed hash: memory is bounded, and invented logins displace no count. */
const COUNTS = 2 ** 14;

/**
 * Allows 20 attempts in 15 minutes per login, then one a minute, and doubles the wait after each one up to an hour.
 * It starts over a day after the last wait. `now` returns milliseconds since any moment.
 */
export function loginLimit(now: () => number): RefundableLimit {
  const key = randomBytes(32);
  const counts = new Map<number, { attempts: number; readonly begunAt: number; nextAt: number }>();
  const slotOf = (login: string) => createHmac('sha256', key).update(login).digest().readUInt16BE() % COUNTS;
  const limit = async (login: string): Promise<number | undefined> => {
    const at = now();
    const { attempts = 0, begunAt = at, nextAt = at } = counts.get(slotOf(login)) ?? {};
    if (at < nextAt) return Math.ceil((nextAt - at) / 1000);
    const isOver = at >= (attempts < FREE_ATTEMPTS ? begunAt + WINDOW_MS : nextAt + DAY_MS);
    const next = isOver ? { attempts: 1, begunAt: at } : { attempts: attempts + 1, begunAt };
    const minutes = next.attempts < FREE_ATTEMPTS ? 0 : Math.min(2 ** (next.attempts - FREE_ATTEMPTS), 60);
    counts.set(slotOf(login), { ...next, nextAt: at + minutes * MINUTE_MS });
    return undefined;
  };
  return Object.assign(limit, {
    async refund(login: string) {
      const count = counts.get(slotOf(login));
      if (count !== undefined) Object.assign(count, { attempts: count.attempts - 1, nextAt: now() });
    },
  });
}
