/** Durations as people write them: `90s`, `30m`, `24h`, `7d`. */

export const DURATION_FORM = 'such as 90s, 30m, 24h or 7d';

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Subtracted from the current time, it is still a valid time. */
const MOST_MS = 999_999 * 86_400_000;

/** Parses a duration to milliseconds: 0, or a number followed by s, m, h or d. `undefined` if it is invalid. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(number) * (UNITS[unit] ?? Number.NaN);
  return milliseconds <= MOST_MS ? milliseconds : undefined;
}

/** Returns whole seconds in the largest unit that divides them, such as `30d`. */
export function renderDuration(seconds: number): string {
  const [unit, milliseconds] = Object.entries(UNITS).findLast(
    ([, unit]) => (seconds * 1000) % unit === 0,
  ) ?? ['s', 1000];
  return `${(seconds * 1000) / milliseconds}${unit}`;
}
