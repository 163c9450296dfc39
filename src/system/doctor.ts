/** Checks everything that an operator can configure wrong, for `kalends doctor` and the dashboard. */
import { APP_KINDS, APP_NAMES } from '../access/provider-apps.ts';
import type { Config } from '../config/config.ts';
import { LATE, within } from '../lib/within.ts';
import { isSecureOrigin } from '../oauth/profile.ts';
import { receiverUrls } from '../watches/receiver-url.ts';
import { type Check, checkClock, checkDatabase, checkKeys, checkServer } from './doctor-checks.ts';
import {
  checkAddresses,
  checkEgress,
  checkFiles,
  checkNames,
  checkProxy,
  checkUrl,
} from './doctor-config-checks.ts';
import { checkCertificates, checkDisk, FAIL_MS, WARN_MS } from './doctor-host-checks.ts';
import { checkProvider, checkTenants } from './doctor-provider-checks.ts';
import type { StorageReport, WatchedCalendars } from './storage-report.ts';

const DAY_MS = 24 * 3_600_000;
/** The maximum time without a backup, if there is no schedule. */
const BACKUP_PATIENCE_MS = 7 * DAY_MS;
const HOW = 'set KALENDS_BACKUP_EVERY, or run "kalends backup FILE" with a timer';

/** Checks the backups, except on PostgreSQL, whose own tools create backups that Kalends does not know. */
export function checkBackups(report: StorageReport, { backups: { everyMs } }: Config, now: number): Check[] {
  const name = 'backups';
  if (report.state !== 'reachable' || report.engine !== 'sqlite') return [];
  const { lastBackup, begunAt = now } = report;
  const last =
    lastBackup === undefined ? 'There is no backup yet' : `The last backup is from ${iso(lastBackup)}`;
  const most = everyMs === undefined ? BACKUP_PATIENCE_MS : 2 * everyMs;
  if (now - (lastBackup ?? begunAt) < most) {
    const next = everyMs === undefined ? '' : `; a backup is created every ${everyMs / 3_600_000} h`;
    return [{ name, status: 'ok', message: `${last}${next}.` }];
  }
  const what =
    everyMs === undefined
      ? HOW
      : `a backup is due every ${everyMs / 3_600_000} h while "kalends serve" runs: search its log for backup_failed`;
  return [{ name, status: 'warn', message: `${last}: ${what}.` }];
}

const iso = (at: number): string => new Date(at).toISOString();

const STATES: Readonly<Record<string, string>> = {
  live: 'with push notifications',
  made: 'polled, because no push notification has arrived yet: the provider must reach the address',
  unsupported: 'polled, because the provider cannot send push notifications for them',
  failed: 'polled, because the provider refuses push notifications',
  ended: 'polled, because their watches were not renewed',
};

/** Checks push notifications. Without them changes arrive later, which is not worth a warning. */
export function checkPushes(report: StorageReport, config: Config): Check {
  const name = 'pushes';
  const urlOf = receiverUrls(config);
  const [url] = APP_KINDS.flatMap((kind) => urlOf(kind) ?? []);
  if (url === undefined) {
    const message =
      'KALENDS_URL is not https, so Google and Microsoft cannot send push notifications: their calendars are polled every 5 minutes if an application waits for them.';
    return { name, status: 'ok', message };
  }
  const watched = report.state === 'reachable' ? report.watched : [];
  if (watched.length === 0) {
    const message = `Google and Microsoft will send push notifications to ${url.replace(/[^/]+$/, '…')}; no application waits for their calendars yet.`;
    return { name, status: 'ok', message };
  }
  const isPoor = watched.some(({ state }) => state !== 'live' && state !== 'unsupported');
  return {
    name,
    status: isPoor ? 'warn' : 'ok',
    message: `Calendars: ${watched.map(renderLine).join('; ')}.`,
  };
}

const renderLine = ({ provider, state, reason, count }: WatchedCalendars): string =>
  `${count} of ${APP_NAMES[provider]} ${STATES[state] ?? state}${reason === null ? '' : ` (${reason})`}`;

export type DoctorDeps = {
  /** Reads the database without creating or migrating it. */
  inspectStorage(config: Config): Promise<StorageReport>;
  now(): number;
};

/** The time limit of each check of the database, a provider and the server. */
const PATIENCE_MS = 10_000;
const SLOW = `It did not respond within ${PATIENCE_MS / 1_000} s`;

/** Runs all checks, or those called `only`, in the order of the output, without any change, in at most ten seconds. */
export async function checkAll(
  config: Config,
  { inspectStorage, now }: DoctorDeps,
  only?: string,
): Promise<Check[]> {
  const isRequested = (name: string) => only === undefined || name === only;
  const [found, providers, server, files, certificates] = await Promise.all([
    within(PATIENCE_MS, inspectStorage(config)),
    Promise.all(APP_KINDS.filter(isRequested).map((kind) => inTime(kind, checkProvider(kind, config)))),
    Promise.all(['server'].filter(isRequested).map((name) => inTime(name, checkServer(config)))),
    checkFiles(config),
    isRequested('certificate') ? checkCertificates(config, now()) : [],
  ]);
  const report: StorageReport = found === LATE ? { state: 'unreachable', reason: SLOW } : found;
  return [
    checkNames(config),
    ...files,
    checkDatabase(report),
    checkKeys(report, config),
    ...checkWebhookKeys(report),
    ...checkAdminKeys(report, now()),
    ...checkFapi2(report, config),
    ...(await checkDisk(config, report.state === 'reachable' ? report.fileBytes : undefined)),
    ...checkBackups(report, config, now()),
    checkClock(report, now()),
    checkEgress(config),
    checkUrl(
      config,
      config.settings.some(({ name, from }) => name === 'KALENDS_URL' && from !== 'default'),
    ),
    checkProxy(config),
    checkAddresses(config),
    ...certificates,
    ...providers,
    ...checkTenants(report, config),
    checkPushes(report, config),
    ...server,
  ].filter(({ name }) => isRequested(name));
}

async function inTime(name: string, check: Promise<Check>): Promise<Check> {
  const result = await within(PATIENCE_MS, check);
  return result === LATE ? { name, status: 'warn', message: `${SLOW}: try again.` } : result;
}

/** Checks when admin keys expire. An expired key fails until it is revoked. */
export function checkAdminKeys(report: StorageReport, now: number): Check[] {
  const keys = report.state === 'reachable' ? (report.adminKeys ?? []) : [];
  const due = keys.filter(({ expiresAt }) => expiresAt < now + WARN_MS);
  const [first] = due;
  if (first === undefined) return [];
  const list = due.map(({ name, expiresAt }) => `"${name}" at ${iso(expiresAt)}`).join(', ');
  const message = `Admin keys expire or expired: ${list}. Create a new key with "kalends admin key create", use it, and revoke the old one.`;
  return [{ name: 'admin_keys', status: first.expiresAt < now + FAIL_MS ? 'fail' : 'warn', message }];
}

/** Checks that applications with the profile `fapi2` have keys, and that the server is reached over https. */
export function checkFapi2(report: StorageReport, { url }: Pick<Config, 'url'>): Check[] {
  const name = 'fapi2';
  const applications = report.state === 'reachable' ? (report.fapi2 ?? []) : [];
  if (applications.length === 0) return [];
  const keyless = applications.filter(({ hasKeys }) => !hasKeys).map(({ clientId }) => clientId);
  const problems = [
    ...(keyless.length === 0
      ? []
      : [
          `${keyless.slice(0, 10).join(', ')}${keyless.length > 10 ? ', …' : ''}: these applications have the profile fapi2 and no public key. Run "kalends client update CLIENT_ID --jwks FILE".`,
        ]),
    ...(isSecureOrigin(url)
      ? []
      : [`KALENDS_URL is ${url}, and the profile fapi2 requires https: put a proxy with TLS in front.`]),
  ];
  if (problems.length > 0) return [{ name, status: 'fail', message: problems.join(' ') }];
  const message = `Applications with the profile fapi2: ${applications.length}, all with keys.`;
  return [{ name, status: 'ok', message }];
}

/** Returns a warning if applications with developers use the instance's webhook keys. */
function checkWebhookKeys(report: StorageReport): Check[] {
  const shared = report.state === 'reachable' ? report.sharedKeys : [];
  const message = `${shared.slice(0, 10).join(', ')}${shared.length > 10 ? ', …' : ''}: these applications have developers and use the webhook keys of the deployment. Another application can get deliveries signed with these keys and forward them to the receivers of these applications. Run "kalends webhook own-keys CLIENT_ID on".`;
  return shared.length === 0 ? [] : [{ name: 'webhook keys', status: 'warn', message }];
}
