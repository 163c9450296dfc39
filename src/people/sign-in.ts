/**
 * Signing in, and with a password. Wrong attempts are counted for a browser that signed in before, else for its address, and for the
 * account at that address: whoever guesses locks out themselves, and nobody elsewhere.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { addressKey } from '../http/address-key.ts';
import { attemptLimit, type RefundableLimit } from '../http/attempt-limit.ts';
import { isPassword } from './password.ts';
import { PeopleRefusal } from './people-refusal.ts';
import { loginOf, type Person } from './person.ts';
import type { PersonStore } from './person-store.ts';

/** In memory of each instance. */
export type SignInLimits = {
  readonly ofBrowser: RefundableLimit;
  readonly ofAddress: RefundableLimit;
  readonly ofAccountAtAddress: RefundableLimit;
  /** Of returns from single sign-on, each of which makes requests to the issuer. */
  readonly ofReturns: RefundableLimit;
};

const WINDOW_SECONDS = 15 * 60;

export const signInLimits = (): SignInLimits => ({
  ofBrowser: attemptLimit(10, WINDOW_SECONDS),
  ofAddress: attemptLimit(30, WINDOW_SECONDS),
  ofAccountAtAddress: attemptLimit(10, WINDOW_SECONDS),
  ofReturns: attemptLimit(20, WINDOW_SECONDS),
});

export type SignInDeps = {
  readonly people: PersonStore;
  readonly signInLimits: SignInLimits;
  /** Marks browsers that have signed in before. */
  readonly knownBrowserKey: Buffer;
};

export type PasswordSignIn = {
  readonly login: string;
  readonly password: string;
  readonly address: string;
  /** The mark of a browser that signed in before, as its cookie has it. */
  readonly mark: string | undefined;
};

/** Throws PeopleRefusal: `wrong_login`, whether there is such an account or not, or `too_many`. */
export async function signIn(attempt: PasswordSignIn, deps: SignInDeps): Promise<Person> {
  const login = loginOf(attempt.login) ?? '';
  const found = login === '' ? undefined : await deps.people.findByLogin(login);
  const { address, mark } = attempt;
  const refund = await countAttempt({ address, mark, login, person: found?.person }, deps);
  const isRight = await isPassword(attempt.password, found?.password);
  if (!isRight || found === undefined) throw new PeopleRefusal('wrong_login');
  await refund();
  return found.person;
}

/** An attempt to come in, with whoever it names where there is such a person. */
export type Attempt = Pick<PasswordSignIn, 'login' | 'address' | 'mark'> & {
  readonly person: Person | undefined;
};

/** Counts it; answers what takes it back when it was right. Throws PeopleRefusal `too_many`. */
export async function countAttempt(
  attempt: Attempt,
  deps: Pick<SignInDeps, 'signInLimits' | 'knownBrowserKey'>,
): Promise<() => Promise<void>> {
  const counted = countedFor(attempt, deps);
  for (const { limit, key } of counted) {
    const retryAfter = await limit(key);
    if (retryAfter !== undefined) throw new PeopleRefusal('too_many', { retryAfter });
  }
  return async () => {
    for (const { limit, key } of counted) await limit.refund(key);
  };
}

function countedFor(
  { address, mark, person, login }: Attempt,
  {
    signInLimits: { ofBrowser, ofAddress, ofAccountAtAddress },
    knownBrowserKey,
  }: Pick<SignInDeps, 'signInLimits' | 'knownBrowserKey'>,
) {
  if (person !== undefined && mark !== undefined && isMarkOf(mark, person.personId, knownBrowserKey))
    return [{ limit: ofBrowser, key: mark }];
  return [
    { limit: ofAddress, key: addressKey(address) },
    { limit: ofAccountAtAddress, key: `${addressKey(address)} ${login}` },
  ];
}

/** The mark of a browser in which this person has signed in. It lets nobody in. */
export function markOf(personId: string, key: Buffer): string {
  const nonce = randomBytes(12).toString('base64url');
  return `${nonce}.${macOf(nonce, personId, key)}.${macOf(nonce, ANYBODY, key)}`;
}

/** For who asks whether anybody signed in there, before it is known who comes: the id of no person. */
const ANYBODY = '';

/** What an attempt counts for where nobody is named yet: a browser in which somebody signed in before, else its address. */
export function countedForNobody(
  { address, mark }: Pick<Attempt, 'address' | 'mark'>,
  { knownBrowserKey }: Pick<SignInDeps, 'knownBrowserKey'>,
): string {
  const [nonce = '', , mac = ''] = mark?.split('.') ?? [];
  return isMac(mac, macOf(nonce, ANYBODY, knownBrowserKey)) ? `browser ${nonce}` : addressKey(address);
}

function isMarkOf(mark: string, personId: string, key: Buffer): boolean {
  const [nonce = '', mac = ''] = mark.split('.');
  return isMac(mac, macOf(nonce, personId, key));
}

function isMac(text: string, mac: string): boolean {
  const [given, expected] = [Buffer.from(text), Buffer.from(mac)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const macOf = (nonce: string, personId: string, key: Buffer): string =>
  createHmac('sha256', key).update(`${nonce} ${personId}`).digest('base64url');
