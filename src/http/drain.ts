/** Draining, from the stop signal until the sockets close: requests are served, but /ready fails. */
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
