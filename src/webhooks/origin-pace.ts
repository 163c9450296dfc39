/** How many turns of an application may be under way for one origin: more while its receivers there respond quickly. */
import type { Egress } from '../lib/egress/egress.ts';
import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';

/** Requests of an application to one origin at a time, whatever its pace. */
export const OF_APPLICATION_AT_ORIGIN = 16;
const QUICK_MS = 250;
/** How many origins are remembered as quick, over all applications. */
const MOST_QUICK = 1_000;

/**
 * Returns an egress that measures, and the limit of turns that follows from the last response of each origin. `now` returns
 * milliseconds.
 */
export function originPace(egress: Egress, now = () => performance.now()) {
  const quick = new Set<string>();
  const keyOf = (clientId: string, origin: string) => `${clientId} ${origin}`;
  return {
    /** A turn works in the database before and after its request, so more turns keep the same number of requests going. */
    most: ({ clientId, host }: SlotPlace): number =>
      quick.has(keyOf(clientId, host)) ? Number.POSITIVE_INFINITY : OF_APPLICATION_AT_ORIGIN,
    egress: {
      ...egress,
      async request(request) {
        const key = keyOf(request.clientId ?? '', URL.parse(String(request.url))?.origin ?? '');
        const from = now();
        try {
          return await egress.request(request);
        } finally {
          quick.delete(key);
          if (now() - from < QUICK_MS) quick.add(key);
          const [oldest = ''] = quick;
          if (quick.size > MOST_QUICK) quick.delete(oldest);
        }
      },
    } satisfies Egress,
  };
}
