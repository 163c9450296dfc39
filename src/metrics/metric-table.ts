/** The one table of metrics. docs/metrics.md is generated from it; a series that is not in it does not compile. */

export type Metric = {
  /** A summary has only quantiles, which are read at each scrape like a gauge. */
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  /** A sentence: the meaning of the metric. */
  readonly help: string;
  /** The labels that distinguish series. Never text from a caller, and no user, account or host. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly bounds?: readonly number[];
  /** Whether the value comes from the database and is the same on all instances: use `max`, not `sum`. */
  readonly isShared?: true;
};

/** The bounds in seconds for responses, writes, garbage collections, background work and long waits. */
const OF_ANSWERS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const OF_WRITES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;
const OF_COLLECTIONS = [0.001, 0.01, 0.1, 1, 2, 5] as const;
const OF_WORK = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;
const OF_WAITS = [1, 5, 15, 60, 300, 900, 1_800, 3_600, 14_400, 43_200, 86_400, 259_200] as const;

export const METRICS = {
  kalends_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Requests by method, route (its pattern; empty if none matched) and status, and the time until their response was ready.',
    labels: ['method', 'route', 'status'],
    bounds: OF_ANSWERS,
  },
  kalends_ready: {
    type: 'gauge',
    help: '1 if the database accepts writes and is migrated, otherwise 0.',
    labels: [],
  },
  kalends_clock_skew_seconds: {
    type: 'gauge',
    help: 'Seconds by which the clock of PostgreSQL is ahead of the clock of this instance, negative if behind; 0 on SQLite.',
    labels: [],
  },
  kalends_instances: {
    type: 'gauge',
    help: 'Instances that reported within the last two minutes, by role.',
    labels: ['role'],
    isShared: true,
  },
  kalends_token_requests_total: {
    type: 'counter',
    help: 'Responses of /token by grant type and outcome: ok, replayed (a rotated refresh token within its replay window), or the error code.',
    labels: ['grant_type', 'outcome'],
  },
  kalends_codes_replayed_total: {
    type: 'counter',
    help: 'Opaque authorization codes whose second redemption ended their grant.',
    labels: [],
  },
  kalends_dashboard_sign_ins_total: {
    type: 'counter',
    help: 'Attempts to sign in to the dashboard or to confirm a session by way (password, passkey, single_sign_on, link) and outcome: ok, refused, too_many (a limit was reached), or error (an internal error).',
    labels: ['way', 'outcome'],
  },
  kalends_syncs_total: {
    type: 'counter',
    help: 'Finished syncs by provider, kind (sync-account: the list of calendars; sync-calendar: one calendar) and outcome: done, paused, lost, or the kind of failure.',
    labels: ['provider', 'kind', 'outcome'],
  },
  kalends_sync_duration_seconds: {
    type: 'histogram',
    help: 'Duration of syncs, by provider.',
    labels: ['provider'],
    bounds: OF_WORK,
  },
  kalends_sync_age_seconds: {
    type: 'histogram',
    help: 'Age of the mirror’s data when it was synced again, by provider.',
    labels: ['provider'],
    bounds: OF_WAITS,
  },
  kalends_provider_request_duration_seconds: {
    type: 'histogram',
    help: 'Requests to providers by provider and outcome, and the time until the response.',
    labels: ['provider', 'outcome'],
    bounds: OF_ANSWERS,
  },
  kalends_provider_calls_per_account: {
    type: 'summary',
    help: 'Requests for one account today (UTC), by provider and quantile over the accounts with requests. This instance only; a random sample if there are many accounts.',
    labels: ['provider', 'day', 'quantile'],
  },
  kalends_provider_budget_left_ratio: {
    type: 'gauge',
    help: 'The remaining fraction of the request budget at a provider, from 0 to 1. The lowest value among the provider apps.',
    labels: ['provider'],
    isShared: true,
  },
  kalends_jobs_waiting: {
    type: 'gauge',
    help: 'Jobs that wait for their time or for a worker, by kind; at most 10,000.',
    labels: ['kind'],
    isShared: true,
  },
  kalends_jobs_running: {
    type: 'gauge',
    help: 'Jobs that run on any instance, by kind; at most 10,000.',
    labels: ['kind'],
    isShared: true,
  },
  kalends_jobs_late: {
    type: 'gauge',
    help: 'Jobs that have been due for at least a minute, by kind; at most 10,000.',
    labels: ['kind'],
    isShared: true,
  },
  kalends_jobs_late_seconds: {
    type: 'gauge',
    help: 'Wait of the job that has been due longest, by kind; 0 below one minute.',
    labels: ['kind'],
    isShared: true,
  },
  kalends_job_duration_seconds: {
    type: 'histogram',
    help: 'Jobs that this instance ran, by kind and outcome (done, or the reason for a retry), and their duration.',
    labels: ['kind', 'outcome'],
    bounds: OF_WORK,
  },
  kalends_job_take_seconds: {
    type: 'histogram',
    help: 'Calls by which this instance claimed due jobs, and their duration.',
    labels: [],
    bounds: OF_WRITES,
  },
  kalends_alerts_open: {
    type: 'gauge',
    help: 'Open alerts by kind, at most 200. A database that cannot be used is not among them.',
    labels: ['kind'],
    isShared: true,
  },
  kalends_alert_notices_total: {
    type: 'counter',
    help: 'Messages about alerts by channel (mail, webhook) and outcome: sent, failed (a retry follows), or given_up (after 24 hours).',
    labels: ['channel', 'outcome'],
  },
  kalends_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts of deliveries by outcome: delivered, failed (a retry follows), or dead (no retry).',
    labels: ['outcome'],
  },
  kalends_webhook_delivery_attempts: {
    type: 'histogram',
    help: 'Attempts of a delivery until it was delivered or dead, by outcome.',
    labels: ['outcome'],
    bounds: [1, 2, 3, 5, 8, 12, 20],
  },
  kalends_webhook_delivery_delay_seconds: {
    type: 'histogram',
    help: 'Time from the creation of a delivery until it was delivered.',
    labels: [],
    bounds: OF_WAITS,
  },
  kalends_webhook_streams_waiting: {
    type: 'gauge',
    help: 'Streams with pending deliveries, including those of paused endpoints; at most 10,000.',
    labels: [],
    isShared: true,
  },
  kalends_webhook_late_seconds: {
    type: 'gauge',
    help: 'Wait of the stream that has been due longest, without endpoints that are paused or wait for a retry.',
    labels: [],
    isShared: true,
  },
  kalends_database_write_duration_seconds: {
    type: 'histogram',
    help: 'Time from the call of a write until its commit was on disk.',
    labels: [],
    bounds: OF_WRITES,
  },
  kalends_database_refusals_total: {
    type: 'counter',
    help: 'Requests that failed because of the database: it could not be reached (away), accepted no writes (read_only) or its disk was full (full).',
    labels: ['reason'],
  },
  kalends_database_commits_waiting: {
    type: 'gauge',
    help: 'Commits that PostgreSQL did not confirm within 5 seconds and that still wait, mostly for a synchronous standby.',
    labels: [],
  },
  kalends_database_bytes: { type: 'gauge', help: 'Size of the database.', labels: [], isShared: true },
  kalends_backup_age_seconds: {
    type: 'gauge',
    help: 'Time since the last backup began, or since the database was created if there is none; only if backups are scheduled (SQLite).',
    labels: [],
    isShared: true,
  },
  kalends_backup_interval_seconds: {
    type: 'gauge',
    help: 'Time between scheduled backups (KALENDS_BACKUP_EVERY); only if they are scheduled (SQLite).',
    labels: [],
    isShared: true,
  },
  kalends_trace_spans_total: {
    type: 'counter',
    help: 'Spans of traces by outcome: sent to the collector, or dropped.',
    labels: ['outcome'],
  },
  kalends_work_threads: {
    type: 'gauge',
    help: 'Threads that parse responses of calendar servers (sync) or expand reads (read); they end when idle.',
    labels: ['pool'],
  },
  kalends_work_waiting: { type: 'gauge', help: 'Tasks that wait for a thread, by pool.', labels: ['pool'] },
  kalends_work_wait_seconds: {
    type: 'histogram',
    help: 'Time that tasks waited for a thread, including those that gave up, by pool.',
    labels: ['pool'],
    bounds: OF_WORK,
  },
  kalends_slots: {
    type: 'gauge',
    help: 'Slots that applications share, by work: held slots, and requests that wait for one (waiting).',
    labels: ['work', 'state'],
  },
  kalends_slots_refused_total: {
    type: 'counter',
    help: 'Requests that got no slot because too many waited or they waited too long, by work.',
    labels: ['work'],
  },
  kalends_slot_wait_seconds: {
    type: 'histogram',
    help: 'Time that requests waited for their slot, by work.',
    labels: ['work'],
    bounds: OF_WORK,
  },
  kalends_work_pool_replacements_total: {
    type: 'counter',
    help: 'Threads that were replaced because they sent nothing for a minute, by pool.',
    labels: ['pool'],
  },
  kalends_event_loop_delay_seconds: {
    type: 'summary',
    help: 'Delay of the event loop since the last scrape, by quantile.',
    labels: ['quantile'],
  },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'Processor time of this process, including its threads.',
    labels: [],
  },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of this process.', labels: [] },
  process_open_fds: {
    type: 'gauge',
    help: 'Open file descriptors of this process; Linux only.',
    labels: [],
  },
  kalends_build_info: {
    type: 'gauge',
    help: '1, with the version of Kalends and of Node.js that this instance runs.',
    labels: ['version', 'node'],
  },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Used bytes of the JavaScript heap.', labels: [] },
  nodejs_gc_duration_seconds: {
    type: 'histogram',
    help: 'Duration of garbage collections by kind: major, minor, incremental or weakcb.',
    labels: ['kind'],
    bounds: OF_COLLECTIONS,
  },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'Start time of this process, in seconds since 1970.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;
type NamesOf<T extends Metric['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];
export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge' | 'summary'>;
export type HistogramName = NamesOf<'histogram'>;

/** The value of each label of the metric. */
export type LabelsOf<N extends MetricName> = Readonly<Record<(typeof METRICS)[N]['labels'][number], string>>;
