/**
 * The period between the stop signal and the closing of the sockets. Requests are served as before, while GET /ready
 * makes load balancers switch and each response asks its client to open another connection.
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
