import { hash } from 'node:crypto';

/** The channel of a calendar for which the application chose none: the same each time, and nobody else's. */
export const defaultChannelId = (calendarKey: string): string =>
  `ch_${hash('sha256', `channel ${calendarKey}`, 'hex').slice(0, 32)}`;
