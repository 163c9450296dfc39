/** Finds the problem of an account that its user should see, whether a sign-in fixes it, and calendar links. */

import type { Scope } from '../oauth/scope.ts';
import type { Account } from './account-store.ts';
import type { CalendarProvider } from './calendar-provider.ts';
import { actorOf } from './health-reason.ts';

export type ProblemForUser =
  /** The user has to sign in again. */
  | 'reconnect'
  /** The user signed in, but did not allow access to the calendars. */
  | 'calendars_not_allowed'
  /** The request needs more than the user has allowed. */
  | 'more_needed'
  /** An administrator of the user's organization has to allow it. */
  | 'administrator'
  | 'operator'
  | 'passing';

/** Returns `undefined` for an account that serves `scope` as it is. */
export function problemForUser(
  { health, calendarPermission, grantedScopes }: Account,
  scope: Scope,
  provider: CalendarProvider | undefined,
): ProblemForUser | undefined {
  if (calendarPermission === false) return 'calendars_not_allowed';
  if (health.state !== 'active') {
    const actor = health.reason && actorOf(health.reason);
    if (actor === 'administrator') return 'administrator';
    if (health.state === 'reauth_required') return 'reconnect';
    return actor === 'operator' ? 'operator' : 'passing';
  }
  if (provider?.signIn.method !== 'redirect') return undefined;
  return provider.signIn.covers(grantedScopes, scope) ? undefined : 'more_needed';
}

export const canBeSolvedBySigningIn = (problem: ProblemForUser | undefined): boolean =>
  problem !== undefined && problem !== 'operator' && problem !== 'passing';

/** Returns whether an account is a calendar that is published at an address. Its provider is `caldav`; it is read-only. */
export const isCalendarLink = ({ accountId }: Pick<Account, 'accountId'>): boolean =>
  accountId.startsWith('feed://');
