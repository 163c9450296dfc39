/** Decides who has to fix an account. */
import { actorOf, type HealthReason } from '../calendars/health-reason.ts';

/** `provider`: the problem passes by itself. `administrator`: the one of the user's organization. */
export const TURNS = ['user', 'operator', 'administrator', 'provider', 'application'] as const;
export type Turn = (typeof TURNS)[number];

/** Problems of the provider app that connected the account. */
const OF_APP: ReadonlySet<HealthReason> = new Set<HealthReason>([
  'app_credentials_refused',
  'app_secret_expired',
  'google_testing_expired',
  'provider_not_set_up',
]);

/** Returns who must fix a problem. With `hasOwnApp`, the application's developers maintain its provider app. */
export function findResponsible(reason: HealthReason, hasOwnApp = false): Turn {
  if (hasOwnApp && OF_APP.has(reason)) return 'application';
  const actor = actorOf(reason);
  return actor === 'nobody' ? 'provider' : actor;
}
