/**
 * Looks up host names in slots that applications and their users share. A lookup holds a thread of the process until
 * the resolver gives up, even if its request has ended, and a hostile name server never responds. The system's resolver
 * stays in use because it knows the hosts file and the search domains.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { lookup as systemLookup } from 'node:dns/promises';
import type { SlotPlace } from '../fair-slots/slot-counts.ts';
import { type QueueLimits, SlotQueue } from '../fair-slots/slot-queue.ts';
import { EgressError } from './egress-error.ts';

export type HostAddress = { readonly address: string; readonly family: number };

/** Returns all addresses of a host name. */
export type HostLookup = (host: string) => Promise<readonly HostAddress[]>;

/** main.ts asks for 16 threads. Lookups use half of them at most, and one is left for the database and mail. */
const LOOKUP_LIMITS: QueueLimits = { slots: 7, share: 1 / 2, ofOwner: 2, waitMs: 10_000 };

/** The application and user of the current request. A connection is opened in the call that sends a request. */
export const requester = new AsyncLocalStorage<SlotPlace>();

/** Returns the lookup with slots of its own. A lookup that gets none in time fails with EgressError `timeout`. */
export function sharedLookup(lookup: HostLookup): HostLookup {
  const slots = new SlotQueue('lookup', LOOKUP_LIMITS);
  return async (host) => {
    const { clientId = '', owner = '' } = requester.getStore() ?? {};
    const leave = await slots.enter({ clientId, owner, host: '' });
    if (leave === undefined) throw new EgressError('timeout', `${host} was not looked up in time`);
    try {
      return await lookup(host);
    } finally {
      leave();
    }
  };
}

/** The lookup of the process, which has one pool of threads. */
export const lookupAll = sharedLookup((host) => systemLookup(host, { all: true }));
