/** Limits the requests for watches per minute: a provider counts all requests of its app, and others need theirs. */
import type { ProviderKind } from '../calendars/provider-facts.ts';

/** Returns whether another watch may be requested from this provider now. If so, it is counted. */
export type WatchCap = (provider: ProviderKind) => boolean;

const MINUTE_MS = 60_000;
/** In each process. Google's calendar API accepts 10,000 requests of a project in a minute, of all kinds. */
const MOST_A_MINUTE = 600;

/** Returns the limit for one process. `now` is in epoch milliseconds. */
export function watchCap(now: () => number, most = MOST_A_MINUTE): WatchCap {
  const countByProvider = new Map<ProviderKind, { readonly minute: number; readonly count: number }>();
  return (provider) => {
    const minute = Math.floor(now() / MINUTE_MS);
    const current = countByProvider.get(provider);
    const count = current?.minute === minute ? current.count : 0;
    if (count >= most) return false;
    countByProvider.set(provider, { minute, count: count + 1 });
    return true;
  };
}
