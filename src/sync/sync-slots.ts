/** The slots of this process's syncs, for jobs and reads: no user waits for another user's slow server. */
import type { SlotListener } from '../lib/fair-slots/slot-listener.ts';
import { type QueueLimits, SlotQueue } from '../lib/fair-slots/slot-queue.ts';

/** The maximum wait of a sync for its turn. */
export const TURN_WAIT_MS = 5 * 60_000;

const LIMITS: QueueLimits = {
  ofHost: 64,
  share: 1 / 2,
  ofOwner: 6,
  ofOwnerAtHost: 4,
  waiting: 500,
  waitMs: TURN_WAIT_MS,
};

export const syncSlots = (listener?: SlotListener): SlotQueue => new SlotQueue('sync', LIMITS, listener);
