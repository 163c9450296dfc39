/** Limits an application's concurrent deliveries to an origin; more are allowed while receivers respond quickly. */
import type { Egress } from '../lib/egress/egress.ts';
import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';

/** An application's concurrent requests to one origin, at any pace. */
export const OF_APPLICATION_AT_ORIGIN = 16;
const QUICK_MS = 250;
/** The maximum of origins remembered as quick, over all applications. */
const MOST_QUICK = 1_000;

/** Returns an egress that measures responses, and the limit from each origin's last one. `now` is in milliseconds. */
export function originPace(egress: Egress, now = () => performance.now()) {
  const quick = new Set<string>();
  const toOriginKey = (clientId: string, origin: string) => `${clientId} ${origin}`;
  return {
    /** A delivery also uses the database before and after its request, so more of them keep the requests going. */
    most: ({ clientId, host }: SlotPlace): number =>
      quick.has(toOriginKey(clientId, host)) ? Number.POSITIVE_INFINITY : OF_APPLICATION_AT_ORIGIN,
    egress: {
      ...egress,
      async request(request) {
        const key = toOriginKey(request.clientId ?? '', URL.parse(String(request.url))?.origin ?? '');
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
