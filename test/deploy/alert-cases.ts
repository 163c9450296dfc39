/**
 * For each alert what Prometheus scraped when it has to fire, and the most alike of what is no reason to. The second case
 * of an alert has a comma and its reason behind the name.
 */

/** Series by name and labels, in promtool's notation: `0+6x40` grows by 6 in each of 40 steps. */
type Scraped = Readonly<Record<string, string>>;

export type AlertCase = {
  /** When it is looked at. */
  readonly at: string;
  readonly fires: Scraped;
  /** The labels that the alert then has, but for its severity. */
  readonly labels: Readonly<Record<string, string>>;
  readonly isQuiet: Scraped;
  /** How far the steps are apart; a minute by default. */
  readonly every?: string;
};

const REQUESTS = 'kalends_http_request_duration_seconds';
const PROVIDERS = 'kalends_provider_request_duration_seconds_count';
const WRITES = 'kalends_database_write_duration_seconds_bucket';
const AGES = 'kalends_sync_age_seconds_bucket';
const google = { provider: 'google' };

export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  KalendsNotReady: {
    ...{ at: '2m', labels: { instance: 'a' } },
    fires: { 'kalends_ready{instance="a"}': '0x5' },
    isQuiet: { 'kalends_ready{instance="a"}': '1x5' },
  },
  KalendsDown: {
    ...{ at: '6m', labels: {} },
    fires: {},
    isQuiet: { 'kalends_ready{instance="a"}': '0x10' },
  },
  KalendsInstanceDown: {
    ...{ at: '2m', labels: { job: 'kalends', instance: 'a' } },
    fires: { 'up{job="kalends",instance="a"}': '0x5', 'up{job="kalends",instance="b"}': '1x5' },
    isQuiet: { 'up{job="kalends",instance="a"}': '1 0 1 0 1', 'up{job="node",instance="b"}': '0x5' },
  },
  KalendsFewerInstances: {
    ...{ at: '75m', labels: { role: 'all' } },
    fires: {
      'kalends_instances{role="all",instance="a"}': '2x60 1x30',
      'kalends_instances{role="all",instance="b"}': '2x60 stale',
    },
    // A third instance ran for five minutes during an upgrade, and one scrape was lost.
    isQuiet: {
      'kalends_instances{role="all",instance="a"}': '2x10 3x5 2x80',
      'kalends_instances{role="all",instance="b"}': '2x72 stale',
    },
  },
  KalendsErrors: {
    ...{ at: '12m', labels: {} },
    fires: {
      [`${REQUESTS}_count{route="/token",status="503"}`]: '0+2x20',
      [`${REQUESTS}_count{route="/events",status="200"}`]: '0+100x20',
    },
    isQuiet: {
      [`${REQUESTS}_count{route="/token",status="503"}`]: '0+2x20',
      [`${REQUESTS}_count{route="/events",status="200"}`]: '0+300x20',
    },
  },
  KalendsSlow: {
    ...{ at: '17m', labels: {} },
    fires: {
      [`${REQUESTS}_bucket{route="/token",le="1"}`]: '0+97x20',
      [`${REQUESTS}_bucket{route="/token",le="2.5"}`]: '0+100x20',
      [`${REQUESTS}_bucket{route="/token",le="+Inf"}`]: '0+100x20',
    },
    isQuiet: {
      [`${REQUESTS}_bucket{route="/events",le="1"}`]: '0+97x20',
      [`${REQUESTS}_bucket{route="/events",le="2.5"}`]: '0+100x20',
      [`${REQUESTS}_bucket{route="/events",le="+Inf"}`]: '0+100x20',
    },
  },
  KalendsTokensRefused: {
    ...{ at: '18m', labels: {} },
    fires: {
      'kalends_token_requests_total{outcome="ok"}': '0+60x20',
      'kalends_token_requests_total{outcome="invalid_grant"}': '0+120x20',
    },
    isQuiet: {
      'kalends_token_requests_total{outcome="invalid_grant"}': '0+3x20',
      'kalends_token_requests_total{outcome="replayed"}': '0+120x20',
    },
  },
  KalendsSyncsFail: {
    ...{ at: '18m', labels: google },
    fires: {
      'kalends_syncs_total{provider="google",outcome="unavailable"}': '0+60x20',
      'kalends_syncs_total{provider="google",outcome="done"}': '0+30x20',
    },
    isQuiet: {
      'kalends_syncs_total{provider="google",outcome="paused"}': '0+60x20',
      'kalends_syncs_total{provider="google",outcome="done"}': '0+30x20',
    },
  },
  'KalendsSyncOld, at a provider that sends push notifications': {
    ...{ at: '8h', every: '10m', labels: google },
    fires: {
      [`${AGES}{provider="google",le="86400"}`]: '0+88x60',
      [`${AGES}{provider="google",le="259200"}`]: '0+100x60',
      [`${AGES}{provider="google",le="+Inf"}`]: '0+100x60',
    },
    // One in ten is exactly 4 hours old.
    isQuiet: {
      [`${AGES}{provider="caldav",le="3600"}`]: '0+10x60',
      [`${AGES}{provider="caldav",le="14400"}`]: '0+90x60',
      [`${AGES}{provider="caldav",le="+Inf"}`]: '0+100x60',
    },
  },
  KalendsSyncOld: {
    ...{ at: '8h', every: '10m', labels: { provider: 'caldav' } },
    fires: {
      [`${AGES}{provider="caldav",le="14400"}`]: '0+88x60',
      [`${AGES}{provider="caldav",le="43200"}`]: '0+100x60',
      [`${AGES}{provider="caldav",le="+Inf"}`]: '0+100x60',
    },
    // As old, but of a provider that sends push notifications.
    isQuiet: {
      [`${AGES}{provider="google",le="14400"}`]: '0+50x60',
      [`${AGES}{provider="google",le="86400"}`]: '0+92x60',
      [`${AGES}{provider="google",le="259200"}`]: '0+100x60',
      [`${AGES}{provider="google",le="+Inf"}`]: '0+100x60',
    },
  },
  KalendsProviderAway: {
    ...{ at: '17m', labels: google },
    fires: {
      [`${PROVIDERS}{provider="google",outcome="timeout"}`]: '0+3x20',
      [`${PROVIDERS}{provider="google",outcome="ok"}`]: '0+9x20',
    },
    isQuiet: {
      [`${PROVIDERS}{provider="caldav",outcome="timeout"}`]: '0+3x20',
      [`${PROVIDERS}{provider="caldav",outcome="ok"}`]: '0+9x20',
    },
  },
  KalendsBudgetUsedUp: {
    ...{ at: '17m', labels: google },
    fires: { 'kalends_provider_budget_left_ratio{provider="google"}': '0.05x20' },
    isQuiet: { 'kalends_provider_budget_left_ratio{provider="google"}': '0.2x20' },
  },
  KalendsManyCalls: {
    ...{ at: '2m', labels: google },
    fires: {
      'kalends_provider_calls_per_account{provider="google",day="today",quantile="0.9"}': '5001x5',
    },
    isQuiet: {
      'kalends_provider_calls_per_account{provider="google",day="today",quantile="1"}': '9999x5',
    },
  },
  KalendsJobsLate: {
    ...{ at: '6m', labels: {} },
    fires: { 'kalends_jobs_late_seconds{kind="sync-account"}': '301x20' },
    isQuiet: { 'kalends_jobs_late_seconds{kind="sync-account"}': '300x20' },
  },
  KalendsDeliveriesLate: {
    ...{ at: '6m', labels: {} },
    fires: { kalends_webhook_late_seconds: '301x20' },
    isQuiet: { kalends_webhook_late_seconds: '300x20' },
  },
  KalendsDeliveriesDead: {
    ...{ at: '15m', labels: {} },
    fires: { 'kalends_webhook_attempts_total{outcome="dead"}': '0+1x15' },
    isQuiet: { 'kalends_webhook_attempts_total{outcome="failed"}': '0+1x15' },
  },
  KalendsWritesSlow: {
    ...{ at: '17m', labels: {} },
    fires: {
      [`${WRITES}{le="0.5"}`]: '0+97x20',
      [`${WRITES}{le="1"}`]: '0+100x20',
      [`${WRITES}{le="+Inf"}`]: '0+100x20',
    },
    isQuiet: {
      [`${WRITES}{le="0.5"}`]: '0+100x20',
      [`${WRITES}{le="1"}`]: '0+100x20',
      [`${WRITES}{le="+Inf"}`]: '0+100x20',
    },
  },
  KalendsDatabaseGrows: {
    ...{ at: '9h', labels: { instance: 'a' }, every: '1h' },
    fires: { 'kalends_database_bytes{instance="a"}': '2000000000+10000000x9' },
    isQuiet: { 'kalends_database_bytes{instance="a"}': '2000000000+1000000x9' },
  },
  KalendsBackupOld: {
    ...{ at: '20m', labels: { instance: 'a' } },
    fires: {
      'kalends_backup_age_seconds{instance="a"}': '43201+60x30',
      'kalends_backup_interval_seconds{instance="a"}': '21600x30',
    },
    // Old after a standstill, until the start has made the next one; and one that is due.
    isQuiet: {
      'kalends_backup_age_seconds{instance="a"}': '90000+60x10 0+60x20',
      'kalends_backup_interval_seconds{instance="a"}': '21600x30',
      'kalends_backup_age_seconds{instance="b"}': '21601+60x30',
      'kalends_backup_interval_seconds{instance="b"}': '21600x30',
    },
  },
  KalendsEventLoopHeldUp: {
    ...{ at: '12m', labels: { instance: 'a', quantile: '0.99' } },
    fires: { 'kalends_event_loop_delay_seconds{instance="a",quantile="0.99"}': '0.6x20' },
    isQuiet: { 'kalends_event_loop_delay_seconds{instance="a",quantile="1"}': '0.6x20' },
  },
  KalendsClockSkew: {
    ...{ at: '7m', labels: { instance: 'a' } },
    fires: {
      'kalends_clock_skew_seconds{instance="a"}': '-5.1x10',
      'kalends_clock_skew_seconds{instance="b"}': '0.2x10',
    },
    // The clock was set within five minutes.
    isQuiet: {
      'kalends_clock_skew_seconds{instance="a"}': '-5x10',
      'kalends_clock_skew_seconds{instance="b"}': '9x4 0x5',
    },
  },
  'KalendsWorkPoolReplaced, not for the first time': {
    ...{ at: '75m', labels: { pool: 'read' } },
    fires: { 'kalends_work_pool_replacements_total{pool="read"}': '1x65 2x10' },
    isQuiet: { 'kalends_work_pool_replacements_total{pool="read"}': '1 2x75' },
  },
  KalendsWorkPoolReplaced: {
    ...{ at: '75m', labels: { pool: 'sync' } },
    // The series does not exist before the first replacement.
    fires: { 'kalends_work_pool_replacements_total{pool="sync"}': '_x65 1x10' },
    isQuiet: { 'kalends_work_pool_replacements_total{pool="sync"}': '_x5 3x70' },
  },
  KalendsDatabaseRefuses: {
    ...{ at: '10m', labels: { reason: 'read_only' } },
    fires: {
      'kalends_database_refusals_total{reason="read_only"}': '1+1x20',
      'kalends_database_refusals_total{reason="full"}': '4x20',
    },
    // The database was away for a moment.
    isQuiet: { 'kalends_database_refusals_total{reason="away"}': '0x4 7x13' },
  },
  KalendsRestarts: {
    ...{ at: '5m', labels: { job: 'kalends' } },
    fires: { 'process_start_time_seconds{job="kalends"}': '1 2 3 4 5 5' },
    isQuiet: { 'process_start_time_seconds{job="node"}': '1 2 3 4 5 5' },
  },
};
