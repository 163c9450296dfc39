import { hash } from 'node:crypto';

/** The channel of a calendar for which the application chose none: the same each time, and nobody else's. */
export const defaultChannelId = (calendarKey: string): string =>
  `ch_${hash('sha256', `channel ${calendarKey}`, 'hex').slice(0, 32)}`;

/** Whether the id has the form of those, of whatever calendar. */
export const isDefaultChannelId = (channelId: string): boolean => /^ch_[0-9a-f]{32}$/.test(channelId);
