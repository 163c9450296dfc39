/** Log events of the program: its requests, jobs, deliveries, settings and database. */
import type { LogEvent } from './log-event.ts';

const DATABASE = 'Look at the database';
const REPORT = 'Report it with `err`';

export const PROGRAM_EVENTS = {
  access: {
    level: 'info',
    when: 'a request was answered, with `KALENDS_ACCESS_LOG=on`; `application` is missing where none was proved, `route` where there is none',
    fields: ['method', 'route', 'status', 'ms', 'application', 'address', 'requestId'],
  },
  request_answered: {
    level: 'debug',
    when: 'a request was answered, where there are no `access` lines',
    fields: ['method', 'route', 'status', 'ms', 'requestId'],
  },
  request_failed: {
    level: 'error',
    when: 'a request met a fault of our own and was answered with 500',
    act: REPORT,
    fields: ['requestId', 'route', 'err'],
  },
  database_away: {
    level: 'error',
    when: 'requests failed because the database cannot be used; one line a minute at most, which describes the last of `count` requests',
    act: DATABASE,
    fields: ['requestId', 'route', 'reason', 'count'],
  },
  connections_refused: {
    level: 'warn',
    when: 'connections were refused; one line a minute at most, `refused` is how many there were',
    act: 'Limit the connections of one address at the proxy, or raise KALENDS_LIMIT_CONNECTIONS',
    fields: ['refused', 'status'],
  },
  error_page_plain: {
    level: 'error',
    when: 'the branding of error pages could not be read, and they were shown without; one line a minute at most',
    act: DATABASE,
    fields: ['requestId', 'err', 'count'],
  },
  request_log_failed: {
    level: 'error',
    when: 'the request log could not be written; one line a minute at most',
    act: DATABASE,
    fields: ['err'],
  },
  request_log_incomplete: {
    level: 'warn',
    when: 'requests were left out of the request log: `beyondLimit` by its limits, `dropped` because too many waited',
    act: 'Where `dropped` is not 0: look at the database',
    fields: ['dropped', 'beyondLimit'],
  },
  metrics_failed: {
    level: 'error',
    when: 'metrics could not be read at their own port, and the scrape was answered with 500',
    act: DATABASE,
    fields: ['err'],
  },
  activity_not_counted: {
    level: 'error',
    when: 'what happened could not be counted; it is tried again',
    act: DATABASE,
    fields: ['err'],
  },
  slots_exhausted: {
    level: 'warn',
    when: 'an application asked for a slot while it held its share of them, or while all were held; at most once a minute for each application',
    act: 'If it repeats: look at what the application does, such as slow receivers or calendar servers, and speak to its owner',
    fields: ['work', 'clientId', 'held', 'waiting'],
  },
  work_pool_replaced: {
    level: 'error',
    when: 'threads of a work pool had sent nothing for a minute and were replaced; their tasks failed, and those that waited were served',
    act: 'Report it with the lines before it. Repeated: look at memory and processors of the machine',
    fields: ['pool', 'running', 'waiting'],
  },
  work_thread_failed: {
    level: 'error',
    when: 'a work thread ended before it was ready; none is started for ten seconds. Large calendars are neither synced nor expanded until one starts',
    act: 'Look at memory and limits of processes. If `err` names a file of the program, install it again',
    fields: ['err'],
  },
  job_fault: {
    level: 'error',
    when: 'a job met a fault of our own; it is tried again',
    act: REPORT,
    fields: ['kind', 'key', 'err'],
  },
  job_late: {
    level: 'warn',
    when: 'a job did not end in time; it gives its slot free and is tried again',
    act: 'In numbers: a calendar server is slow, or the instance has more to do than it can',
    fields: ['kind', 'key'],
  },
  job_set_aside: {
    level: 'error',
    when: 'a job did not come to its end three times in a row, and is tried once a day',
    act: 'Look at memory and time limits of the process; then report it with `kind` and `key`',
    fields: ['kind', 'key'],
  },
  jobs_unreachable: {
    level: 'error',
    when: 'the worker could not reach its jobs; it looks again within seconds',
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
    when: 'a delivery met a fault of our own; it is tried again',
    act: REPORT,
    fields: ['streamId', 'err'],
  },
  housekeeping_done: {
    level: 'debug',
    when: 'what outlived its use was deleted; `deleted` has how much of each',
    fields: ['deleted'],
  },
  signing_keys_not_loaded: {
    level: 'error',
    when: 'the signing keys could not be loaded again; those that were loaded last go on',
    act: DATABASE,
    fields: ['err'],
  },
  webhook_keys_not_loaded: {
    level: 'error',
    when: 'the keys of webhooks could not be loaded again; those that were loaded last go on',
    act: DATABASE,
    fields: ['err'],
  },
  master_keys_changed: {
    level: 'info',
    when: 'the instance took up a change of the master key',
    fields: [],
  },
  master_key_missing: {
    level: 'error',
    when: 'the master key of the database was changed, and the instance lacks one that it needs; `reason` says which',
    act: 'Do what `reason` says, and restart the instance',
    fields: ['reason'],
  },
  master_keys_not_read: {
    level: 'error',
    when: 'it could not be read which master keys the database has; it is read again within seconds',
    act: DATABASE,
    fields: ['err'],
  },
  backup_made: {
    level: 'info',
    when: 'the scheduled backup was made; older ones than are kept were deleted then',
    fields: ['file'],
  },
  backup_failed: {
    level: 'error',
    when: 'the scheduled backup was not made; none was deleted, and it is tried again after ten minutes',
    act: 'Do what `reason` asks for: make room on the disk, or give the folder to the program’s user',
    fields: ['reason'],
  },
  backup_not_noted: {
    level: 'error',
    when: 'how the scheduled backup ended could not be written down',
    act: DATABASE,
    fields: ['err'],
  },
  instance_not_noted: {
    level: 'error',
    when: 'it could not be noted that this instance runs, or that it stopped',
    act: DATABASE,
    fields: ['err'],
  },
  spans_dropped: {
    level: 'warn',
    when: 'spans of traces were dropped, because the collector did not take them or too many waited; one line a minute at most',
    act: 'Look at the collector, and at KALENDS_OTLP_ENDPOINT',
    fields: ['dropped', 'reason'],
  },
  setting_unknown: {
    level: 'warn',
    when: 'at the start: a `KALENDS_…` name is set that is no setting; `nearest` is the one that was perhaps meant',
    act: 'Mend the name, or take it away',
    fields: ['name', 'nearest'],
  },
  url_not_https: {
    level: 'warn',
    when: 'at the start: KALENDS_URL is not https, so that tokens and passwords cross the network in plain',
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
    when: 'at the start: others on this machine can read the data folder',
    act: 'Run chmod o-rwx on `paths`',
    fields: ['paths'],
  },
  uncaught_exception: {
    level: 'error',
    when: 'an error was caught nowhere; the program exited with 1',
    act: `${REPORT}, and let the supervisor start the program again`,
    fields: ['err', 'origin'],
  },
  stopping: {
    level: 'info',
    when: 'the program was told to stop; what is under way is finished first',
    fields: ['signal'],
  },
} as const satisfies Readonly<Record<string, LogEvent>>;
