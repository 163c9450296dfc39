import { hash } from 'node:crypto';

/** Returns the stable and unique channel id of a calendar for which the application chose none. */
export const defaultChannelId = (calendarKey: string): string =>
  `ch_${hash('sha256', `channel ${calendarKey}`, 'hex').slice(0, 32)}`;

/** Returns whether the id has the form of a default one, of any calendar. */
export const isDefaultChannelId = (channelId: string): boolean => /^ch_[0-9a-f]{32}$/.test(channelId);
