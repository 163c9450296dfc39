/** Log events of the program: its requests, jobs, deliveries, settings and database. */
import type { LogEvent } from './log-event.ts';

const DATABASE =
  'Check that the database is reachable, accepts writes and has disk space; `kalends doctor` helps';
const REPORT = 'Report it with `err`';

export const PROGRAM_EVENTS = {
  access: {
    level: 'info',
    when: 'a request was answered, if `KALENDS_ACCESS_LOG=on`; without `application` if none was authenticated, without `route` if none matched',
    fields: ['method', 'route', 'status', 'ms', 'application', 'address', 'requestId'],
  },
  request_answered: {
    level: 'debug',
    when: 'a request was answered, if there are no `access` lines',
    fields: ['method', 'route', 'status', 'ms', 'requestId'],
  },
  request_failed: {
    level: 'error',
    when: 'a request failed with an internal error and got 500',
    act: REPORT,
    fields: ['requestId', 'route', 'err'],
  },
  database_away: {
    level: 'error',
    when: 'requests failed because the database cannot be used; at most one line a minute, which describes the last of `count` requests',
    act: DATABASE,
    fields: ['requestId', 'route', 'reason', 'count'],
  },
  migrations_awaited: {
    level: 'info',
    when: 'the start waits because the database lacks migrations and `KALENDS_MIGRATIONS=wait`; at most one line a minute',
    act: 'Run `kalends migrate`',
    fields: ['pending'],
  },
  connections_refused: {
    level: 'warn',
    when: 'connections were refused; at most one line a minute, `refused` is their number',
    act: 'Limit the connections from one address at the proxy, or raise KALENDS_LIMIT_CONNECTIONS',
    fields: ['refused', 'status'],
  },
  error_page_plain: {
    level: 'error',
    when: 'the branding of error pages could not be read, and they were shown without it; at most one line a minute',
    act: DATABASE,
    fields: ['requestId', 'err', 'count'],
  },
  request_log_failed: {
    level: 'error',
    when: 'the request log could not be written; at most one line a minute',
    act: DATABASE,
    fields: ['err'],
  },
  request_log_incomplete: {
    level: 'warn',
    when: 'requests were left out of the request log: `beyondLimit` by its limits, `dropped` because too many waited',
    act: 'If `dropped` is not 0, check the database',
    fields: ['dropped', 'beyondLimit'],
  },
  metrics_failed: {
    level: 'error',
    when: 'metrics could not be read at their own port, and the scrape got 500',
    act: DATABASE,
    fields: ['err'],
  },
  activity_not_counted: {
    level: 'error',
    when: 'activity could not be counted; Kalends tries again',
    act: DATABASE,
    fields: ['err'],
  },
  slots_exhausted: {
    level: 'warn',
    when: 'an application asked for a slot while it held its share of them, or while all were held; at most once a minute for each application',
    act: 'If it repeats, find out why, such as slow receivers or calendar servers, and contact the application’s owner',
    fields: ['work', 'clientId', 'held', 'waiting'],
  },
  work_pool_replaced: {
    level: 'error',
    when: 'threads of a work pool that sent nothing for a minute were replaced; their tasks failed, and waiting tasks continue',
    act: 'Report it with the lines before it. If it repeats, check memory and processors of the machine',
    fields: ['pool', 'running', 'waiting'],
  },
  work_thread_failed: {
    level: 'error',
    when: 'a work thread ended before it was ready; none is started for ten seconds. Until one starts, large calendars are not synced or expanded',
    act: 'Check memory and process limits. If `err` names a file of the program, install the program again',
    fields: ['err'],
  },
  alerts_failed: {
    level: 'error',
    when: 'alerts could not be evaluated or sent; this is tried again within 15 seconds',
    act: DATABASE,
    fields: ['err'],
  },
  alert_delayed: {
    level: 'warn',
    when: 'alerts could not be sent; this is tried again for 24 hours',
    act: 'Check the mail server or the receiver of alerts, with `kalends alert test`',
    fields: ['channel', 'reason'],
  },
  alert_not_sent: {
    level: 'error',
    when: '`count` alerts could not be sent for 24 hours and were given up, or one about the database could not be sent',
    act: 'Check the mail server or the receiver of alerts, with `kalends alert test`',
    fields: ['channel', 'count'],
  },
  link_not_mailed: {
    level: 'warn',
    when: 'an invitation or a reset link could not be mailed; the owner got the link instead',
    act: 'Check KALENDS_SMTP_URL and the mail server',
    fields: ['reason'],
  },
  job_fault: {
    level: 'error',
    when: 'a job failed with an internal error; it is tried again',
    act: REPORT,
    fields: ['kind', 'key', 'err'],
  },
  job_late: {
    level: 'warn',
    when: 'a job did not finish in time; its slot was freed and it is tried again',
    act: 'If frequent: a calendar server is slow, or the instance is overloaded',
    fields: ['kind', 'key'],
  },
  job_set_aside: {
    level: 'error',
    when: 'a job did not finish in three attempts and is now tried once a day',
    act: 'Check the memory and time limits of the process; then report it with `kind` and `key`',
    fields: ['kind', 'key'],
  },
  jobs_unreachable: {
    level: 'error',
    when: 'the worker could not read its jobs; it tries again within seconds',
    act: DATABASE,
    fields: ['err'],
  },
  deliveries_unreachable: {
    level: 'error',
    when: 'deliveries or resends that are due could not be read; this is tried again within seconds',
    act: DATABASE,
    fields: ['err'],
  },
  delivery_fault: {
    level: 'error',
    when: 'a delivery failed with an internal error; it is tried again',
    act: REPORT,
    fields: ['streamId', 'err'],
  },
  housekeeping_done: {
    level: 'debug',
    when: 'expired rows were deleted; `deleted` has their number by kind',
    fields: ['deleted'],
  },
  signing_keys_not_loaded: {
    level: 'error',
    when: 'the signing keys could not be reloaded; the keys loaded last stay in use',
    act: DATABASE,
    fields: ['err'],
  },
  webhook_keys_not_loaded: {
    level: 'error',
    when: 'the webhook keys could not be reloaded; the keys loaded last stay in use',
    act: DATABASE,
    fields: ['err'],
  },
  master_keys_changed: {
    level: 'info',
    when: 'the instance loaded a change of the master key',
    fields: [],
  },
  master_key_missing: {
    level: 'error',
    when: 'the master key of the database was changed, and the instance lacks one that it needs; `reason` says which',
    act: 'Follow `reason`, and restart the instance',
    fields: ['reason'],
  },
  master_keys_not_read: {
    level: 'error',
    when: 'the master keys of the database could not be read; Kalends tries again within seconds',
    act: DATABASE,
    fields: ['err'],
  },
  backup_made: {
    level: 'info',
    when: 'the scheduled backup was created; then backups beyond the number to keep were deleted',
    fields: ['file'],
  },
  backup_failed: {
    level: 'error',
    when: 'the scheduled backup was not created; no backup was deleted, and Kalends tries again after ten minutes',
    act: 'Follow `reason`: free space on the disk, or give the folder to the program’s user',
    fields: ['reason'],
  },
  backup_not_noted: {
    level: 'error',
    when: 'the result of the scheduled backup could not be stored',
    act: DATABASE,
    fields: ['err'],
  },
  instance_not_noted: {
    level: 'error',
    when: 'the start, the stop or the addresses of this instance could not be recorded',
    act: DATABASE,
    fields: ['err'],
  },
  spans_dropped: {
    level: 'warn',
    when: 'spans of traces were dropped, because the collector refused them or too many waited; at most one line a minute',
    act: 'Check the collector and KALENDS_OTLP_ENDPOINT',
    fields: ['dropped', 'reason'],
  },
  commit_waits: {
    level: 'warn',
    when: 'PostgreSQL did not confirm commits within 5 seconds, so the writes failed with 503; they may still take effect; at most one line a minute',
    act: 'Check that a synchronous standby runs and is connected, and that the disk of PostgreSQL is not overloaded',
    fields: ['count'],
  },
  attempts_not_shared: {
    level: 'error',
    when: 'attempts, such as wrong passwords, could not be counted in the database, so this instance counted them alone; at most one line a minute',
    act: DATABASE,
    fields: ['err', 'count'],
  },
  tracing_not_started: {
    level: 'warn',
    when: 'at the start: a variable of OpenTelemetry has a value that cannot be used, so no traces are sent; `reason` names the variable',
    act: 'Correct or remove the variable, or set KALENDS_OTLP_ENDPOINT',
    fields: ['reason'],
  },
  setting_unknown: {
    level: 'warn',
    when: 'at the start: the environment has an unknown `KALENDS_…` name; `nearest` is the setting with the most similar name',
    act: 'Correct or remove the name',
    fields: ['name', 'nearest'],
  },
  url_not_https: {
    level: 'warn',
    when: 'at the start: KALENDS_URL is not https, so tokens and passwords cross the network unencrypted',
    act: 'Put a proxy with TLS in front',
    fields: ['url'],
  },
  clock_skew: {
    level: 'warn',
    when: 'at the start: the clock of this machine differs from that of PostgreSQL by 5 seconds or more; the instance uses the time of PostgreSQL',
    act: 'Keep the clocks of both machines set with NTP',
    fields: ['seconds'],
  },
  data_folder_exposed: {
    level: 'warn',
    when: 'at the start: other users of this machine can read the data folder',
    act: 'Run chmod o-rwx on `paths`',
    fields: ['paths'],
  },
  uncaught_exception: {
    level: 'error',
    when: 'an error was not caught; the program exited with 1',
    act: `${REPORT}, and let the supervisor start the program again`,
    fields: ['err', 'origin'],
  },
  stopping: {
    level: 'info',
    when: 'the program was asked to stop; it finishes running work first',
    fields: ['signal'],
  },
} as const satisfies Readonly<Record<string, LogEvent>>;
