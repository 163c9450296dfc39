/** Whose turn it is to mend an account. */
import { actorOf, type HealthReason } from '../calendars/health-reason.ts';

/** `provider`: the problem passes. `administrator`: that of the user's organisation. */
export const TURNS = ['user', 'operator', 'administrator', 'provider', 'application'] as const;
export type Turn = (typeof TURNS)[number];

/** What is wrong with the app that the account was connected with. */
const OF_APP: ReadonlySet<HealthReason> = new Set<HealthReason>([
  'app_credentials_refused',
  'app_secret_expired',
  'google_testing_expired',
  'provider_not_set_up',
]);

/** `hasOwnApp`: the application has an app of its own at that provider, which its developers look after. */
export function turnOf(reason: HealthReason, hasOwnApp = false): Turn {
  if (hasOwnApp && OF_APP.has(reason)) return 'application';
  const actor = actorOf(reason);
  return actor === 'nobody' ? 'provider' : actor;
}
