/** Who may come into the dashboard, and as what. Instants are epoch milliseconds. */
import type { PersonIdentity } from './identity.ts';

/**
 * An `owner` may do everything. A `developer` works on the applications given to them and sees no others' users. A `viewer`
 * reads all applications, without bodies, and with the names of users masked.
 */
export type Role = 'owner' | 'developer' | 'viewer';

export const ROLES: readonly Role[] = ['owner', 'developer', 'viewer'];

export type Person = {
  readonly personId: string;
  readonly name: string;
  /** The e-mail address they sign in with, in lower case. */
  readonly login: string;
  readonly role: Role;
  /** The applications given to them. It means something for a developer only. */
  readonly clientIds: readonly string[];
  readonly hasPassword: boolean;
  readonly createdAt: number;
  /** When they last did anything; undefined before that. */
  readonly seenAt: number | undefined;
  /** Who they are by single sign-on, where they use it. */
  readonly identity?: PersonIdentity | undefined;
};

/** Who does something: somebody at the command line of this machine, or a person in the dashboard. */
export type Actor = 'command line' | Person;

const MOST_CHARACTERS = 200;

/** What is wrong with a person's name, as the end of a sentence; undefined where nothing is. */
export function personNameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'must not be empty';
  if (name.length > MOST_CHARACTERS) return `must not be longer than ${MOST_CHARACTERS} characters`;
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name)) return 'must not contain control characters';
  return undefined;
}

/** The address as it is kept; undefined for what is none. */
export function loginOf(text: string): string | undefined {
  const login = text.trim().toLowerCase();
  return login.length <= MOST_CHARACTERS && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.?[^\s@\p{Cc}]*$/u.test(login)
    ? login
    : undefined;
}
