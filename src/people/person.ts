/** A member of the dashboard with their role. Instants are epoch milliseconds. */
import type { PersonIdentity } from './identity.ts';

/**
 * An `owner` may do everything. A `developer` works on the applications given to them and sees no others' users. A
 * `viewer` reads all applications, without bodies, and with the names of users masked.
 */
export type Role = 'owner' | 'developer' | 'viewer';

export const ROLES: readonly Role[] = ['owner', 'developer', 'viewer'];

export type Person = {
  readonly personId: string;
  readonly name: string;
  /** The e-mail address they sign in with, in lower case. */
  readonly login: string;
  readonly role: Role;
  /** The applications given to them. Only used for developers. */
  readonly clientIds: readonly string[];
  readonly hasPassword: boolean;
  readonly createdAt: number;
  /** When they were last active; undefined if they never were. */
  readonly seenAt: number | undefined;
  /** Their identity at the issuer, if they use single sign-on. */
  readonly identity?: PersonIdentity | undefined;
};

/** The author of an action: the command line of this machine, or a member in the dashboard. */
export type Actor = 'command line' | Person;

const MOST_CHARACTERS = 200;

/** Returns the problem of a member's name, as the end of a sentence; undefined if it is valid. */
export function personNameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'must not be empty';
  if (name.length > MOST_CHARACTERS) return `must not be longer than ${MOST_CHARACTERS} characters`;
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name)) return 'must not contain control characters';
  return undefined;
}

/** Returns the address in its stored form; undefined if it is invalid. */
export function loginOf(text: string): string | undefined {
  const login = text.trim().toLowerCase();
  return login.length <= MOST_CHARACTERS && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.?[^\s@\p{Cc}]*$/u.test(login)
    ? login
    : undefined;
}
