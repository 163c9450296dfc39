/** Receives changes. */
import { webhookFetchHandler } from '@kalends/client';

import { calendars } from '../../lib/calendars';
import { storage } from '../../lib/storage';

/** Receives a delivery: verifies it first, and stores each one once. */
export const POST = webhookFetchHandler({
  verify: (delivery) => calendars().webhook(delivery),
  receive({ id, payload }) {
    // Calendars and connections are other topics.
    if (payload.eventType !== undefined) return;
    const { userId, events } = payload;
    const told = events.map(({ changeType, title }) => `${changeType}: ${title}`).join(', ');
    storage().addChange(id, userId, told || 'A calendar was read for the first time');
  },
});
