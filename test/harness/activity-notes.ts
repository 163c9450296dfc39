import type { Activity, ActivityNotes } from '../../src/activity/activity.ts';

/** Notes of what happened, in their order, as `client activity`. */
export function collectedActivity(): ActivityNotes & { readonly noted: readonly `${string} ${Activity}`[] } {
  const noted: `${string} ${Activity}`[] = [];
  return { noted, add: (clientId, activity) => void noted.push(`${clientId} ${activity}`) };
}
