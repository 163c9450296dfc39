/** A member of the dashboard with their role. Instants are epoch milliseconds. */
import type { PersonIdentity } from './identity.ts';

/**
 * An `owner` may do everything. A `developer` works on assigned applications and sees only their users. A `viewer`
 * reads all applications, without bodies and with masked user names.
 */
export type Role = 'owner' | 'developer' | 'viewer';

export const ROLES: readonly Role[] = ['owner', 'developer', 'viewer'];

export type Person = {
  readonly personId: string;
  readonly name: string;
  /** The e-mail address for sign-in, in lower case. */
  readonly login: string;
  readonly role: Role;
  /** The assigned applications. Only used for developers. */
  readonly clientIds: readonly string[];
  readonly hasPassword: boolean;
  readonly createdAt: number;
  /** The last activity. Undefined if there was none. */
  readonly seenAt: number | undefined;
  /** When a mailed link confirmed the address. Undefined if none did. */
  readonly addressConfirmedAt?: number | undefined;
  /** Whether alerts are mailed to a developer with a confirmed address. */
  readonly getsAlertMails?: boolean;
  /** The identity at the issuer, if the member uses single sign-on. */
  readonly identity?: PersonIdentity | undefined;
};

/** The author of an action: the command line, a member in the dashboard, or a key of the administration API. */
export type Actor = 'command line' | Pick<Person, 'role' | 'clientIds'>;

const MOST_CHARACTERS = 200;

/** Returns the problem of a member's name, as the end of a sentence; undefined if it is valid. */
export function personNameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'must not be empty';
  if (name.length > MOST_CHARACTERS) return `must not be longer than ${MOST_CHARACTERS} characters`;
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name)) return 'must not contain control characters';
  return undefined;
}

/** Returns the address in its stored form; undefined if it is invalid. */
export function parseLogin(text: string): string | undefined {
  const login = text.trim().toLowerCase();
  return login.length <= MOST_CHARACTERS && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.?[^\s@\p{Cc}]*$/u.test(login)
    ? login
    : undefined;
}
