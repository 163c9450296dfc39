/** A public address that no test connects to. */
import type { LookupFunction } from 'node:net';

import { buildConnector } from 'undici';

/** Public by its number. No connection to it is attempted. */
export const NOWHERE = '2d00::1';

/** Connects as undici does, but refuses NOWHERE as the kernel does without a route there. */
export const connecting: typeof buildConnector = (options) => {
  // pinnedAgent connects over TCP and gives a lookup of its own.
  const { lookup, timeout } = options as { lookup: LookupFunction; timeout: number };
  return buildConnector({
    timeout,
    lookup: (host, how, callback) =>
      lookup(host, how, (failure, found, family) => {
        const noRoute = Object.assign(new Error('The test has no route there'), { code: 'ENETUNREACH' });
        const isNowhere = failure === null && JSON.stringify(found).includes(NOWHERE);
        callback(isNowhere ? noRoute : failure, found, family);
      }),
  });
};
