/** Watches calendars with Graph's change notifications. Graph cannot watch the list of calendars. */
import type { Subscription } from '@microsoft/microsoft-graph-types';

import type { CalendarWatching, CreatedWatch } from '../../calendars/calendar-watching.ts';
import { readMember, text } from '../json-value.ts';
import { unreadableAnswer } from '../meaning.ts';
import type { Graph } from './api.ts';
import { findGraphStatus } from './api-refusal.ts';

const MINUTE_MS = 60_000;
/** Some documents give 10,080 minutes as the maximum for events, older ones 4,230. */
const LONG_MS = 10_000 * MINUTE_MS;
const SHORT_MS = 4_200 * MINUTE_MS;

/** `now` returns epoch milliseconds. */
export function microsoftWatching(graph: Graph, now: () => number): CalendarWatching {
  const url = `${graph.apiUrl}/subscriptions`;
  const until = (length: number) => ({ expirationDateTime: new Date(now() + length).toISOString() });
  /** Requests a long lifetime, and a short one if that is refused. */
  const ask = async (send: (length: number) => Promise<object | undefined>): Promise<CreatedWatch> => {
    try {
      return toCreatedWatch(await send(LONG_MS));
    } catch (reason) {
      if (findGraphStatus(reason) !== 400) throw reason;
      return toCreatedWatch(await send(SHORT_MS));
    }
  };

  return {
    // Graph requires us to echo a text before it responds.
    provesReach: true,

    watch(href, { watchId, token, url: ours }) {
      const body: Subscription = {
        changeType: 'created,updated,deleted',
        resource: `/me/calendars/${href}/events`,
        notificationUrl: ours,
        // It cannot be added later.
        lifecycleNotificationUrl: ours,
        clientState: `${watchId}.${token}`,
      };
      const request = { operation: 'subscriptions.create', url, method: 'POST' } as const;
      return ask((length) => graph.write({ ...request, body: { ...body, ...until(length) } }));
    },

    renew(remoteId) {
      const request = { operation: 'subscriptions.update', method: 'PATCH' } as const;
      const place = `${url}/${encodeURIComponent(remoteId)}`;
      return ask((length) => graph.write({ ...request, url: place, body: until(length) }));
    },

    async stop({ remoteId }) {
      const request = { operation: 'subscriptions.delete', method: 'DELETE' } as const;
      await graph.write({ ...request, url: `${url}/${encodeURIComponent(remoteId)}` });
    },
  };
}

function toCreatedWatch(answer: object | undefined): CreatedWatch {
  const remoteId = text(readMember(answer, 'id'));
  const expiresAt = Date.parse(text(readMember(answer, 'expirationDateTime')) ?? '');
  if (remoteId === undefined || Number.isNaN(expiresAt))
    throw unreadableAnswer('A response from Microsoft names no subscription');
  return { remoteId, expiresAt };
}
