/** Receives changes. */
import { webhookFetchHandler } from '@kalends/client';

import { calendars } from '../../lib/calendars';
import { storage } from '../../lib/storage';

/** The fields of a delivery that this application shows. */
type Told = { readonly userId: string; readonly events?: readonly { changeType: string; title: string }[] };

/** Receives a delivery: verifies it first, and stores each one once. */
export const POST = webhookFetchHandler({
  verify: (delivery) => calendars().webhook(delivery),
  receive({ id, payload }) {
    // The delivery is verified, so it has the shape that docs/webhooks.md describes.
    const { userId, events = [] } = payload as Told;
    const told = events.map(({ changeType, title }) => `${changeType}: ${title}`).join(', ');
    storage().addChange(id, userId, told || 'A calendar was read for the first time');
  },
});
