/** Everything an operator can get wrong, looked at: for `kalends doctor` and for the dashboard. */
import { APP_KINDS } from '../access/provider-apps.ts';
import type { Config } from '../config/config.ts';
import { LATE, within } from '../lib/within.ts';
import { checkBackups } from './doctor-backup-check.ts';
import { type Check, checkClock, checkDatabase, checkKeys, checkServer } from './doctor-checks.ts';
import {
  checkAddresses,
  checkEgress,
  checkFiles,
  checkNames,
  checkProxy,
  checkUrl,
} from './doctor-config-checks.ts';
import { checkProvider, checkTenants } from './doctor-provider-checks.ts';
import { checkPushes } from './doctor-push-check.ts';
import type { StorageReport } from './storage-report.ts';

export type DoctorDeps = {
  /** Looks at the database without making or migrating it. */
  inspectStorage(config: Config): Promise<StorageReport>;
  /** Epoch milliseconds. */
  now(): number;
};

/** For each of what is asked: database, providers and the server itself. */
const PATIENCE_MS = 10_000;
const SLOW = `It did not answer within ${PATIENCE_MS / 1_000} s`;

/** All checks, in the order in which they are read. Changes nothing, and takes ten seconds at most. */
export async function checkAll(config: Config, { inspectStorage, now }: DoctorDeps): Promise<Check[]> {
  const [found, providers, server, files] = await Promise.all([
    within(PATIENCE_MS, inspectStorage(config)),
    Promise.all(APP_KINDS.map((kind) => inTime(kind, checkProvider(kind, config)))),
    inTime('server', checkServer(config)),
    checkFiles(config),
  ]);
  const report: StorageReport = found === LATE ? { state: 'unreachable', reason: SLOW } : found;
  return [
    checkNames(config),
    ...files,
    checkDatabase(report),
    checkKeys(report, config),
    ...checkWebhookKeys(report),
    ...checkBackups(report, config, now()),
    checkClock(report, now()),
    checkEgress(config),
    checkUrl(
      config,
      config.settings.some(({ name, from }) => name === 'KALENDS_URL' && from !== 'default'),
    ),
    checkProxy(config),
    checkAddresses(config),
    ...providers,
    ...checkTenants(report, config),
    checkPushes(report, config),
    server,
  ];
}

async function inTime(name: string, check: Promise<Check>): Promise<Check> {
  const found = await within(PATIENCE_MS, check);
  return found === LATE ? { name, status: 'warn', message: `${SLOW}: try it again.` } : found;
}

/** Returns a warning if applications with developers use the instance's webhook keys. */
function checkWebhookKeys(report: StorageReport): Check[] {
  const shared = report.state === 'reachable' ? report.sharedKeys : [];
  const message = `${shared.slice(0, 10).join(', ')}${shared.length > 10 ? ', …' : ''}: developers work on these applications, which use the webhook keys of the instance. Another application can have deliveries signed with them and forward those to their receivers. Run "kalends webhook own-keys CLIENT_ID on".`;
  return shared.length === 0 ? [] : [{ name: 'webhook keys', status: 'warn', message }];
}
