/** The slots of syncs in this process, for jobs and for reads: no user's reads wait for another user's slow servers. */
import type { SlotListener } from '../lib/fair-slots/slot-listener.ts';
import { type QueueLimits, SlotQueue } from '../lib/fair-slots/slot-queue.ts';

/** For how many milliseconds a sync waits for its turn. */
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
