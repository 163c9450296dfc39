/** Counts the daily requests of (a sample of) accounts in memory, for quantiles instead of a series for each. */
import { hash } from 'node:crypto';
import { gauge } from './counter.ts';
import type { MetricFamily } from './metrics-text.ts';

const DAY_MS = 24 * 3_600_000;
const MOST_ACCOUNTS = 10_000;
const QUANTILES = [0.5, 0.9, 0.99, 1];

type Calls = Map<string, { readonly provider: string; count: number }>;

export type DailyCalls = { add(provider: string, accountKey: string): void; family(): MetricFamily };

export function dailyCalls(now: () => number, most = MOST_ACCOUNTS): DailyCalls {
  let day = countDays(now());
  let today: Calls = new Map();
  let yesterday: Calls = new Map();
  /** Counts one of this many accounts. */
  let oneIn = 1;
  const turn = (): void => {
    const current = countDays(now());
    if (current === day) return;
    yesterday = current === day + 1 ? today : new Map();
    today = new Map();
    day = current;
    oneIn = 1;
  };
  const makeRoom = (): void => {
    oneIn *= 2;
    for (const accountKey of today.keys()) if (!isCounted(accountKey, oneIn)) today.delete(accountKey);
  };
  return {
    add(provider, accountKey) {
      turn();
      const calls = today.get(accountKey);
      if (calls !== undefined) calls.count += 1;
      else if (isCounted(accountKey, oneIn)) {
        if (today.size >= most) makeRoom();
        if (isCounted(accountKey, oneIn)) today.set(accountKey, { provider, count: 1 });
      }
    },
    family() {
      turn();
      return gauge('kalends_provider_calls_per_account', [
        ...toQuantileSamples(today, 'today'),
        ...toQuantileSamples(yesterday, 'yesterday'),
      ]);
    },
  };
}

const countDays = (instant: number): number => Math.floor(instant / DAY_MS);

/** `oneIn` is a power of two, so an account counted for a larger `oneIn` is also counted for every smaller one. */
const isCounted = (accountKey: string, oneIn: number): boolean =>
  oneIn === 1 || hash('sha1', accountKey, 'buffer').readUInt32LE() % oneIn === 0;

function toQuantileSamples(calls: Calls, day: string) {
  const byProvider = Map.groupBy(calls.values(), ({ provider }) => provider);
  return [...byProvider].flatMap(([provider, accounts]) => {
    const counts = accounts.map(({ count }) => count).sort((a, b) => a - b);
    return QUANTILES.map((quantile) => ({
      labels: { provider, day, quantile: String(quantile) },
      value: counts[Math.max(0, Math.ceil(counts.length * quantile) - 1)] ?? 0,
    }));
  });
}
