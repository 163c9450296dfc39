/** The metrics of an instance: its counters, and figures from the database. */
import { APP_KINDS } from '../access/provider-apps.ts';
import { shareLeft } from '../access/request-budget.ts';
import { PROVIDER_FACTS, type ProviderLimits } from '../calendars/provider-facts.ts';
import { JOB_DEADLINES } from '../jobs/job-kinds.ts';
import { figure, gauge } from '../metrics/counter.ts';
import type { MetricFamily } from '../metrics/metrics-text.ts';
import { ALERT_KINDS } from '../system/alert-store.ts';
import { GONE_AFTER_MS } from '../system/instances.ts';
import type { InstanceMeters } from './instance-meters.ts';
import type { Stores } from './open-storage.ts';
import type { WorkPools } from './work-pools.ts';

type ScrapeDeps = Pick<
  Stores,
  'readiness' | 'system' | 'alerts' | 'streams' | 'now' | 'clockOffset' | 'commitsWaiting'
> &
  WorkPools & {
    /** Milliseconds between scheduled backups; undefined if none are scheduled. */
    readonly backupEveryMs: number | undefined;
  };

/** A job that is due is claimed within seconds while a slot is free. */
const LATE_MS = 60_000;
const MOST_ALERTS = 200;
const KINDS = Object.keys(JOB_DEADLINES);
const ROLES = ['all', 'web', 'worker'] as const;

/** Returns a function that reads all metrics; concurrent calls share one result. Its cost does not grow with the users. */
export function instanceMetrics(
  meters: InstanceMeters,
  deps: ScrapeDeps,
): () => Promise<readonly MetricFamily[]> {
  let current: Promise<readonly MetricFamily[]> | undefined;
  const read = async () => {
    const isReady = (await deps.readiness()) === 'ready';
    const stored = isReady ? [...(await storedFamilies(deps)), ...(await backupFamilies(deps))] : [];
    return [
      figure('kalends_ready', isReady ? 1 : 0),
      figure('kalends_clock_skew_seconds', deps.clockOffset() / 1000),
      figure('kalends_database_commits_waiting', deps.commitsWaiting()),
      ...(await meters.families()),
      ...workFamilies(deps),
      ...stored,
    ];
  };
  return () => {
    current ??= read().finally(() => {
      current = undefined;
    });
    return current;
  };
}

function workFamilies({ syncWork, readWork }: WorkPools): MetricFamily[] {
  const loads = [
    { labels: { pool: 'sync' }, ...syncWork.load() },
    { labels: { pool: 'read' }, ...readWork.load() },
  ];
  return [
    gauge(
      'kalends_work_threads',
      loads.map(({ labels, threads }) => ({ labels, value: threads })),
    ),
    gauge(
      'kalends_work_waiting',
      loads.map(({ labels, waiting }) => ({ labels, value: waiting })),
    ),
  ];
}

async function storedFamilies({ system, streams, alerts, now }: ScrapeDeps): Promise<MetricFamily[]> {
  const at = now();
  const [jobs, budgets, instances, bytes, waiting, due, listed] = await Promise.all([
    system.countJobs(at, at - LATE_MS),
    system.listAppBudgets(),
    system.listInstances(at - GONE_AFTER_MS),
    system.databaseBytes(),
    system.countStreams(),
    streams.nextDueAt(),
    alerts.listAlerts(MOST_ALERTS),
  ]);
  const ofKinds = (count: (job: (typeof jobs)[number]) => number) =>
    KINDS.map((kind) => {
      const job = jobs.find((one) => one.kind === kind);
      return { labels: { kind }, value: job === undefined ? 0 : count(job) };
    });
  const inRole = (role: string) => instances.filter((one) => one.role === role).length;
  return [
    gauge(
      'kalends_instances',
      ROLES.map((role) => ({ labels: { role }, value: inRole(role) })),
    ),
    gauge(
      'kalends_jobs_waiting',
      ofKinds((job) => job.waiting),
    ),
    gauge(
      'kalends_jobs_running',
      ofKinds((job) => job.running),
    ),
    gauge(
      'kalends_jobs_late',
      ofKinds((job) => job.late),
    ),
    gauge(
      'kalends_jobs_late_seconds',
      ofKinds(({ oldest = at }) => (at - oldest) / 1000),
    ),
    gauge('kalends_provider_budget_left_ratio', budgetsLeft(budgets, at)),
    figure('kalends_webhook_streams_waiting', waiting),
    figure('kalends_webhook_late_seconds', due === undefined ? 0 : Math.max(0, at - due) / 1000),
    figure('kalends_database_bytes', bytes),
    gauge(
      'kalends_alerts_open',
      ALERT_KINDS.filter((kind) => kind !== 'database_unavailable').map((kind) => ({
        labels: { kind },
        value: listed.filter((alert) => alert.kind === kind && alert.resolvedAt === undefined).length,
      })),
    ),
  ];
}

/** Without a backup, the age counts from the creation of the database, so that it grows across restarts. */
async function backupFamilies({ system, now, backupEveryMs }: ScrapeDeps): Promise<MetricFamily[]> {
  if (backupEveryMs === undefined) return [];
  const { made, begunAt } = await system.lastBackups();
  return [
    figure('kalends_backup_age_seconds', (now() - (made?.at ?? begunAt)) / 1000),
    figure('kalends_backup_interval_seconds', backupEveryMs / 1000),
  ];
}

/** Returns the smallest remaining budget of an app for each provider that limits apps. */
function budgetsLeft(budgets: readonly { readonly app: string; readonly fullAt: number }[], now: number) {
  return APP_KINDS.flatMap((provider) => {
    const { app: rate }: ProviderLimits = PROVIDER_FACTS[provider].requestLimits;
    if (rate === undefined) return [];
    const shares = budgets
      .filter(({ app }) => app.startsWith(`${provider} `))
      .map(({ fullAt }) => shareLeft(rate, fullAt, now));
    return [{ labels: { provider }, value: Math.min(1, ...shares) }];
  });
}
