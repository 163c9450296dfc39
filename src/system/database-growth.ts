/** How the database grows: its size at the end of each day is kept for a month. */
import type { SystemStore } from './system-store.ts';

export const DAY_MS = 24 * 3_600_000;
export const DAYS_KEPT = 30;

/** The first instant of a day in UTC. */
export const dayOf = (at: number): number => at - (at % DAY_MS);

/** Keeps how large the database is today. */
export async function keepSizeOfDay(system: Pick<SystemStore, 'keepSize'>, now: number): Promise<void> {
  const today = dayOf(now);
  await system.keepSize(today, today - (DAYS_KEPT - 1) * DAY_MS);
}
