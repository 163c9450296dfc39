/** What is wrong with a linked account from its user's point of view, and whether signing in again solves it. */

import type { Scope } from '../oauth/scope.ts';
import type { Account } from './account-store.ts';
import type { CalendarProvider } from './calendar-provider.ts';
import { actorOf } from './health-reason.ts';

export type ProblemForUser =
  /** Its user has to sign in again. */
  | 'reconnect'
  /** Its user signed in, but did not allow access to the calendars. */
  | 'calendars_not_allowed'
  /** This request asks for more than its user has allowed. */
  | 'more_needed'
  /** An administrator of the user's organisation has to allow it. */
  | 'administrator'
  /** Who runs Kalends has to act. */
  | 'operator'
  /** It passes. */
  | 'passing';

/** `undefined` for an account that serves `scope` as it is. */
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

/** Whether signing in again can solve it. */
export const canBeSolvedBySigningIn = (problem: ProblemForUser | undefined): boolean =>
  problem !== undefined && problem !== 'operator' && problem !== 'passing';
