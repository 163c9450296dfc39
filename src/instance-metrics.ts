/** What GET /metrics shows of an instance, beside its requests. */
import type { MetricsRouteDeps } from './http/metrics.route.ts';
import type { MetricFamily } from './http/metrics-text.ts';
import { processMetrics } from './http/process-metrics.ts';
import type { RequestMetrics } from './http/request-metrics.ts';
import type { Stores } from './open-storage.ts';

type MetricStores = Pick<Stores, 'readiness' | 'jobs' | 'databaseSize' | 'now'>;

/** The database is asked by the indexes of its tables only, so that a scrape costs the same with a million users. */
export function instanceMetrics(
  token: string,
  requests: RequestMetrics,
  stores: MetricStores,
): MetricsRouteDeps {
  const ofProcess = processMetrics();
  const families = async () => {
    const isReady = (await stores.readiness()) === 'ready';
    const stored = isReady ? await storedFamilies(stores) : [];
    return [requests.family(), ...ofProcess(), readyFamily(isReady), ...stored];
  };
  return { token, families };
}

const readyFamily = (isReady: boolean): MetricFamily => ({
  name: 'kalends_ready',
  type: 'gauge',
  help: '1 while the database answers and is migrated, else 0.',
  samples: [{ value: isReady ? 1 : 0 }],
});

async function storedFamilies({ jobs, databaseSize, now }: MetricStores): Promise<MetricFamily[]> {
  const next = await jobs.nextRunAt();
  return [
    {
      name: 'kalends_jobs_late_seconds',
      type: 'gauge',
      help: 'How long the job that is due the longest has waited for a worker.',
      samples: [{ value: next === undefined ? 0 : Math.max(0, now() - next) / 1000 }],
    },
    {
      name: 'kalends_database_bytes',
      type: 'gauge',
      help: 'Size of the database.',
      samples: [{ value: await databaseSize() }],
    },
  ];
}
