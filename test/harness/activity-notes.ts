import type { Activity, ActivityNotes } from '../../src/activity/activity.ts';

/** Notes of what happened, in their order, as `client activity`, and the attempts of each endpoint. */
export function collectedActivity(): ActivityNotes & {
  readonly noted: readonly `${string} ${Activity}`[];
  readonly attempted: readonly string[];
} {
  const noted: `${string} ${Activity}`[] = [];
  const attempted: string[] = [];
  return {
    noted,
    attempted,
    add: (clientId, activity) => void noted.push(`${clientId} ${activity}`),
    addAttempt({ clientId, endpointId }, isFailure) {
      noted.push(`${clientId} ${isFailure ? 'failed' : 'delivered'}`);
      attempted.push(`${endpointId} ${isFailure ? 'failed' : 'delivered'}`);
    },
  };
}
