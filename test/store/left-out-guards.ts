/** Guards of the health of an account that lacks events. */
import type { Guard } from './known-guards.ts';

export const LEFT_OUT_GUARDS: readonly Guard[] = [
  {
    store: 'mirror-limits',
    without: ' OR too_complex IS NOT NULL=>',
    fails: 'an account is not well while any of its calendars has something left out',
  },
  {
    store: 'unreadable-events',
    without: ' OR unreadable IS NOT NULL)=>)',
    fails: 'an account is not well while an event of its calendars cannot be read',
  },
];
