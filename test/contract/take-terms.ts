/** Terms on which a test takes streams and resends: 64 slots for anyone, unless it changes them. */
import { randomUUID } from 'node:crypto';

import { WorkSlots } from '../../src/lib/fair-slots/work-slots.ts';
import { OPEN_AFTER } from '../../src/webhooks/retry-schedule.ts';
import type { TakeTerms } from '../../src/webhooks/stream-store.ts';

export const takeTerms = (now: number, change: Partial<TakeTerms> = {}): TakeTerms => ({
  holder: randomUUID(),
  now,
  leaseUntil: now + 32_000,
  slots: new WorkSlots('test', { slots: 64 }),
  ofEndpoint: 8,
  openAfter: OPEN_AFTER,
  ...change,
});
