/** Limits the forms whose login is being checked: each holds a connection as long as the user's server takes. */
import { type Caller, toNetworks } from '../../http/address-key.ts';
import type { SlotListener } from '../../lib/fair-slots/slot-listener.ts';
import { SlotQueue } from '../../lib/fair-slots/slot-queue.ts';

const FORM_SECONDS = 60;
const OF_ADDRESS = 10;
const OF_SITE = 40;

export type FormSlots = {
  /** Limits all requests for one form together. */
  readonly seconds: number;
  /** Returns the function to free the slot, or `undefined` if there is none: no form waits. */
  enter(caller: Caller): Promise<(() => void) | undefined>;
};

/** Returns the slots; `connections` is the maximum that the process accepts. */
export function formSlots(connections: number, listener?: SlotListener): FormSlots {
  const slots = Math.max(1, Math.floor(connections / 8));
  const limits = { slots, share: 1 / 2, ofHost: OF_SITE, ofOwner: OF_ADDRESS, waiting: 0 };
  const queue = new SlotQueue('password_form', limits, listener);
  return {
    seconds: FORM_SECONDS,
    enter({ clientId, address }) {
      const [, site, host] = toNetworks(address);
      return queue.enter({ clientId, owner: host, host: site });
    },
  };
}
