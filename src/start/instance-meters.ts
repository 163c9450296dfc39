/** The counters of an instance, kept in memory while metrics are on, and the listeners that feed them. */
import type { ProviderKind } from '../calendars/provider-facts.ts';
import { requestMetrics } from '../http/request-metrics.ts';
import type { JobKind } from '../jobs/job-store.ts';
import type { JobHandlers } from '../jobs/worker.ts';
import type { DatabaseProblem } from '../lib/database-away-error.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { counter } from '../metrics/counter.ts';
import { dailyCalls } from '../metrics/daily-calls.ts';
import { histogram } from '../metrics/histogram.ts';
import { meteredEgress } from '../metrics/metered-egress.ts';
import type { MetricFamily } from '../metrics/metrics-text.ts';
import { processMetrics } from '../metrics/process-metrics.ts';
import type { EndedSync } from '../sync/run-sync.ts';
import type { EndedAttempt } from '../webhooks/deliver-stream.ts';
import { slotMeters } from './instance-slots.ts';

export type InstanceMeters = ReturnType<typeof instanceMeters>;

export function instanceMeters(now: () => number) {
  const requests = requestMetrics();
  const tokens = counter('kalends_token_requests_total');
  const replays = counter('kalends_codes_replayed_total');
  // An alert can only see a series grow from 0 if it existed before.
  replays.add({}, 0);
  const writes = histogram('kalends_database_write_duration_seconds');
  const jobs = histogram('kalends_job_duration_seconds');
  const takes = histogram('kalends_job_take_seconds');
  const spans = counter('kalends_trace_spans_total');
  const databaseRefusals = counter('kalends_database_refusals_total');
  const signIns = counter('kalends_dashboard_sign_ins_total');
  const notices = counter('kalends_alert_notices_total');
  const syncs = syncMeters(now);
  const providers = providerMeters(now);
  const deliveries = deliveryMeters();
  const workWaits = histogram('kalends_work_wait_seconds');
  const replacements = counter('kalends_work_pool_replacements_total');
  for (const pool of ['sync', 'read']) replacements.add({ pool }, 0);
  const slots = slotMeters();
  const ofProcess = processMetrics();
  return {
    listeners: {
      requestMetrics: requests,
      tokenAnswered: (grantType: string, outcome: string) => tokens.add({ grant_type: grantType, outcome }),
      codeReplayed: () => replays.add({}),
      databaseRefused: (reason: DatabaseProblem) => databaseRefusals.add({ reason }),
      signInEnded: (way: string, outcome: string) => signIns.add({ way, outcome }),
      syncEnded: syncs.ended,
      attemptEnded: deliveries.ended,
      workWaited: (pool: string, seconds: number) => workWaits.observe({ pool }, seconds),
      workReplaced: (pool: string) => replacements.add({ pool }),
    },
    slots,
    noticesEnded: (channel: string, outcome: string) => notices.add({ channel, outcome }),
    wrote: writes.of({}),
    jobsTaken: takes.of({}),
    spansEnded: (outcome: 'sent' | 'dropped', count: number) => spans.add({ outcome }, count),
    egressTo: providers.egressTo,
    timedJobs: (handlers: JobHandlers): JobHandlers => timed(handlers, jobs.observe),
    families: async (): Promise<MetricFamily[]> => [
      ...[
        requests,
        tokens,
        replays,
        writes,
        jobs,
        takes,
        spans,
        databaseRefusals,
        signIns,
        notices,
        workWaits,
        replacements,
      ].map((one) => one.family()),
      ...syncs.families(),
      ...providers.families(),
      ...deliveries.families(),
      ...slots.families(),
      ...(await ofProcess()),
    ],
  };
}

function syncMeters(now: () => number) {
  const outcomes = counter('kalends_syncs_total');
  const durations = histogram('kalends_sync_duration_seconds');
  const ages = histogram('kalends_sync_age_seconds');
  return {
    ended({ provider, kind, outcome, startedAt, syncedAt }: EndedSync): void {
      outcomes.add({ provider, kind, outcome });
      durations.observe({ provider }, (now() - startedAt) / 1000);
      if (outcome === 'done' && syncedAt !== undefined)
        ages.observe({ provider }, (startedAt - syncedAt) / 1000);
    },
    families: () => [outcomes, durations, ages].map((one) => one.family()),
  };
}

function providerMeters(now: () => number) {
  const requests = histogram('kalends_provider_request_duration_seconds');
  const calls = dailyCalls(now);
  return {
    egressTo: (provider: ProviderKind, egress: Egress): Egress =>
      meteredEgress(egress, ({ outcome, seconds, account }) => {
        requests.observe({ provider, outcome }, seconds);
        if (account !== undefined) calls.add(provider, account);
      }),
    families: () => [requests.family(), calls.family()],
  };
}

function deliveryMeters() {
  const attempts = counter('kalends_webhook_attempts_total');
  const counts = histogram('kalends_webhook_delivery_attempts');
  const delays = histogram('kalends_webhook_delivery_delay_seconds');
  return {
    ended({ outcome, attempt, delayMs }: EndedAttempt): void {
      attempts.add({ outcome });
      if (outcome !== 'failed') counts.observe({ outcome }, attempt);
      if (outcome === 'delivered') delays.observe({}, delayMs / 1000);
    },
    families: () => [attempts, counts, delays].map((one) => one.family()),
  };
}

type Observe = (labels: { readonly kind: string; readonly outcome: string }, seconds: number) => void;

function timed(handlers: JobHandlers, observe: Observe): JobHandlers {
  const timedOne = (kind: JobKind): JobHandlers[JobKind] => {
    const handler = handlers[kind];
    return async (key, signal) => {
      const begun = performance.now();
      const record = (outcome: string) => observe({ kind, outcome }, (performance.now() - begun) / 1000);
      try {
        const failure = await handler(key, signal);
        record(failure?.kind ?? 'done');
        return failure;
      } catch (reason) {
        record('fault');
        throw reason;
      }
    };
  };
  return {
    'sync-account': timedOne('sync-account'),
    'sync-calendar': timedOne('sync-calendar'),
    'finish-splits': timedOne('finish-splits'),
    'end-access': timedOne('end-access'),
    housekeeping: timedOne('housekeeping'),
  };
}
