/**
 * The time between the word to stop and the closing of the sockets. Requests are answered as ever, while GET /ready sends
 * load balancers elsewhere and each answer asks its client for another connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export type Drain = {
  readonly isBegun: () => boolean;
  /** Resolves when the sockets may be closed. */
  begin(seconds: number): Promise<void>;
};

export function openDrain(): Drain {
  let isBegun = false;
  return {
    isBegun: () => isBegun,
    async begin(seconds) {
      isBegun = true;
      await sleep(seconds * 1000);
    },
  };
}
