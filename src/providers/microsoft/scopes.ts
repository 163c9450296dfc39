/** The Microsoft permissions for each scope. */
import type { Scope } from '../../oauth/scope.ts';

/**
 * The smallest that serves. Nothing is asked for the account itself: who signed in is in the ID token, so that the
 * User.Read of most apps is not needed.
 */
const REQUESTED: Readonly<Record<Scope, string>> = {
  'free-busy': 'Calendars.ReadBasic',
  read: 'Calendars.Read',
  'read-write': 'Calendars.ReadWrite',
};

/** `offline_access` is what gives a refresh token. */
const IDENTITY = ['openid', 'profile', 'email', 'offline_access'];

/** The permissions from the largest to the smallest; each includes those after it. */
const PERMISSIONS: readonly (readonly string[])[] = [
  ['calendars.readwrite', 'calendars.readwrite.shared'],
  ['calendars.read', 'calendars.read.shared'],
  ['calendars.readbasic'],
];
const ENOUGH: Readonly<Record<Scope, number>> = { 'read-write': 1, read: 2, 'free-busy': 3 };

/**
 * Returns what the authorization request asks for. `sharedToo`: the calendars that others shared with the user as well.
 * There is no such permission for `free-busy`, and personal accounts are not granted any: `covers` does not need it.
 */
export const requestedScope =
  (sharedToo: boolean) =>
  (scope: Scope): string => {
    const permission = REQUESTED[scope];
    const shared = sharedToo && scope !== 'free-busy' ? [`${permission}.Shared`] : [];
    return [...IDENTITY, permission, ...shared].join(' ');
  };

/** Whether the permissions granted serve the scope. */
export function covers(grantedScopes: readonly string[], scope: Scope): boolean {
  const enough = PERMISSIONS.slice(0, ENOUGH[scope]).flat();
  return grantedScopes.map(bareName).some((name) => enough.includes(name));
}

/** Graph is named or left out: `https://graph.microsoft.com/Calendars.Read`, `Calendars.Read`. */
const bareName = (scope: string): string => scope.slice(scope.lastIndexOf('/') + 1).toLowerCase();
