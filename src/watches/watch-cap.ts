/** How many watches a minute are asked for: a provider counts all calls of its app, and others need theirs. */
import type { ProviderKind } from '../calendars/provider-facts.ts';

/** Answers whether one more may be asked for of this provider now; the call counts where it may. */
export type WatchCap = (provider: ProviderKind) => boolean;

const MINUTE_MS = 60_000;
/** In each process. Google's calendar API takes 10,000 calls of a project in a minute, of all kinds. */
const MOST_A_MINUTE = 600;

/** For one process. `now` is epoch milliseconds. */
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
