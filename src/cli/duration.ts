/** The form of a duration, for the help. */
export const DURATION_FORM = 'such as 90s, 30m, 24h or 7d';

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration to milliseconds: 0, or a number followed by s, m, h or d. `undefined` if it is invalid. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const milliseconds = UNITS[unit];
  return number === undefined || milliseconds === undefined ? undefined : Number(number) * milliseconds;
}
