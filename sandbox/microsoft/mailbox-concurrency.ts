/**
 * A mailbox serves four requests of an app at once and refuses the fifth (MailboxConcurrency). Requests in progress are
 * counted where faults are taken, because a fault's latency makes requests overlap.
 */
import type { FaultEffect, Faults } from '../core/faults.ts';
import type { Operation } from '../core/sandbox-server.ts';
import { isMailboxOperation } from './graph.ts';

/** The maximum of concurrent requests. No source confirms the number. */
const MOST_AT_ONCE = 4;

export type MailboxConcurrency = {
  /** The faults, with a 429 for every request over the maximum. */
  readonly faults: Faults;
  /** Returns the operation, which frees its slot when it is complete. */
  counted(operation: Operation): Operation;
};

export function mailboxConcurrency(faults: Faults): MailboxConcurrency {
  const inFlight = new Map<string, number>();
  const add = (user: string, by: number) => inFlight.set(user, (inFlight.get(user) ?? 0) + by);
  return {
    faults: {
      ...faults,
      take(request) {
        const effects = faults.take(request);
        const { operation, user } = request;
        // With these faults, the request never runs and holds no slot.
        const cut = effects.some(({ kind }) => kind === 'reset' || kind === 'status');
        if (user === undefined || cut || !isMailboxOperation(operation)) return effects;
        if ((inFlight.get(user) ?? 0) >= MOST_AT_ONCE) return [...effects, THROTTLED];
        add(user, 1);
        return effects;
      },
    },
    counted(operation) {
      const { user, name } = operation;
      if (user === undefined || !isMailboxOperation(name)) return operation;
      const run: Operation['run'] = async (effects) => {
        try {
          return await operation.run(effects);
        } finally {
          add(user, -1);
        }
      };
      return { ...operation, run };
    },
  };
}

/** The error of Graph, which always says one second, whatever the load. */
const THROTTLED: FaultEffect = { kind: 'status', status: 429, reason: 'ApplicationThrottled', retryAfter: 1 };
