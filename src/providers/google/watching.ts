/** Google's push notifications: a channel for each calendar, and one for the list. They cannot be renewed. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { CalendarWatching, MadeWatch, WatchHook } from '../../calendars/calendar-watching.ts';
import { text } from '../json-value.ts';
import type { ApiRead, GoogleApi } from './api.ts';
import { unreadable } from './api-refusal.ts';

/** Google's most. */
const SECONDS = 7 * 86_400;

export function googleWatching(api: GoogleApi): CalendarWatching {
  const ask = async (request: ApiRead, { watchId, token, url }: WatchHook): Promise<MadeWatch> => {
    const body = { id: watchId, type: 'web_hook', address: url, token, params: { ttl: String(SECONDS) } };
    const channel = await api.write<calendar_v3.Schema$Channel>({ ...request, method: 'POST', body });
    const remoteId = text(channel?.resourceId);
    const expiresAt = Number(text(channel?.expiration));
    if (remoteId === undefined || !Number.isSafeInteger(expiresAt)) throw unreadable();
    return { remoteId, expiresAt };
  };

  return {
    // It takes any address and says nothing when nobody answers there.
    provesReach: false,

    watch(href, hook) {
      const path = `/calendars/${encodeURIComponent(href)}/events/watch`;
      return ask({ operation: 'events.watch', path }, hook);
    },

    watchList: (hook) => ask({ operation: 'calendarList.watch', path: '/users/me/calendarList/watch' }, hook),

    async stop({ watchId, remoteId }) {
      const request = { operation: 'channels.stop', path: '/channels/stop', method: 'POST' } as const;
      await api.write({ ...request, body: { id: watchId, resourceId: remoteId } });
    },
  };
}
