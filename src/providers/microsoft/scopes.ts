/** The Microsoft permissions for each scope. */
import type { Scope } from '../../oauth/scope.ts';

/** The smallest sufficient permissions. User.Read is not needed: the ID token identifies the user. */
const REQUESTED: Readonly<Record<Scope, string>> = {
  'free-busy': 'Calendars.ReadBasic',
  read: 'Calendars.Read',
  'read-write': 'Calendars.ReadWrite',
};

/** `offline_access` grants a refresh token. */
const IDENTITY = ['openid', 'profile', 'email', 'offline_access'];

/** The permissions from the largest to the smallest; each includes those after it. */
const PERMISSIONS: readonly (readonly string[])[] = [
  ['calendars.readwrite', 'calendars.readwrite.shared'],
  ['calendars.read', 'calendars.read.shared'],
  ['calendars.readbasic'],
];
const ENOUGH: Readonly<Record<Scope, number>> = { 'read-write': 1, read: 2, 'free-busy': 3 };

/**
 * Returns the `scope` of the authorization request. `sharedToo` adds calendars that others share with the user. There
 * is no such permission for `free-busy` or personal accounts, so `covers` does not need it.
 */
export const requestedScope =
  (sharedToo: boolean) =>
  (scope: Scope): string => {
    const permission = REQUESTED[scope];
    const shared = sharedToo && scope !== 'free-busy' ? [`${permission}.Shared`] : [];
    return [...IDENTITY, permission, ...shared].join(' ');
  };

/** Returns whether the granted permissions cover the scope. */
export function covers(grantedScopes: readonly string[], scope: Scope): boolean {
  const enough = PERMISSIONS.slice(0, ENOUGH[scope]).flat();
  return grantedScopes.map(toBareName).some((name) => enough.includes(name));
}

/** Returns the name without an address such as `https://graph.microsoft.com/`. */
const toBareName = (scope: string): string => scope.slice(scope.lastIndexOf('/') + 1).toLowerCase();
