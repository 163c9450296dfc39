/** Decides who has to fix an account. */
import { actorOf, HEALTH_REASONS, type HealthReason } from '../calendars/health-reason.ts';

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

/** A reason, with `hasOwnApp` only where the application has its own provider app, or only where it has none. */
export type ReasonFilter = { readonly reason: HealthReason; readonly hasOwnApp?: boolean };

/** Returns the reasons for which `turn` must act. */
export function listReasons(turn: Turn): ReasonFilter[] {
  const reasons = Object.keys(HEALTH_REASONS) as HealthReason[]; // Its keys are the literal ones.
  return reasons.flatMap((reason) => {
    const [first, second] = [false, true].filter((hasOwnApp) => findResponsible(reason, hasOwnApp) === turn);
    if (first === undefined) return [];
    return [second === undefined ? { reason, hasOwnApp: first } : { reason }];
  });
}
