/** Hears of changes. */
import { webhookFetchHandler } from '@kalends/client';

import { calendars } from '../../lib/calendars';
import { storage } from '../../lib/storage';

/** As far as this application shows it. */
type Told = { readonly userId: string; readonly events?: readonly { changeType: string; title: string }[] };

/** Takes a delivery: verified first, and each once. */
export const POST = webhookFetchHandler({
  verify: (delivery) => calendars().webhook(delivery),
  receive({ id, payload }) {
    // Verified, so it has the shape that docs/webhooks.md tells.
    const { userId, events = [] } = payload as Told;
    const told = events.map(({ changeType, title }) => `${changeType}: ${title}`).join(', ');
    storage().addChange(id, userId, told || 'A calendar was read for the first time');
  },
});
