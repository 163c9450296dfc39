/** The growth of the database: its size at the end of each day, stored for a month. */
import type { SystemStore } from './system-store.ts';

export const DAY_MS = 24 * 3_600_000;
export const DAYS_KEPT = 30;

/** Returns the first instant of a day in UTC. */
export const startOfDay = (at: number): number => at - (at % DAY_MS);

/** Stores today's size. */
export async function keepSizeOfDay(system: Pick<SystemStore, 'keepSize'>, now: number): Promise<void> {
  const today = startOfDay(now);
  await system.keepSize(today, today - (DAYS_KEPT - 1) * DAY_MS);
}
