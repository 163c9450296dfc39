/** The operations on the deployment: its state, settings, checks and backups. */
import { APP_KINDS } from '../../access/provider-apps.ts';
import { SETTINGS } from '../../branding/settings-error.ts';
import { oneOf, refuseMistakes, required, text } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import type { Backup } from '../../system/backups.ts';
import type { KeptCheck } from '../../system/doctor-checks.ts';
import { GONE_AFTER_MS } from '../../system/instances.ts';
import { type ProviderSetup, SETUP_STEPS } from '../../system/provider-setup.ts';
import { toTime } from '../documents/field.ts';
import { makeBackup, runChecks } from '../system.ts';
import { ADMINISTRATION } from './administration-error.ts';
import { type AdministrationDeps, operation, PAGE, toPage } from './operation.ts';

const GROUP = 'System';
/** A job that is due is claimed within seconds while a slot is free. */
const LATE_MS = 60_000;

const checkDocument = ({ since, ...check }: KeptCheck) => ({ ...check, since: toTime(since) });
const backupDocument = ({ at, isScheduled, name, bytes }: Backup) => ({
  ...{ name, bytes, created_at: toTime(at), scheduled: isScheduled },
});

export const showSystem = operation({
  ...{ id: 'showSystem', method: 'get', path: '/system', group: GROUP },
  summary: 'Show the version, the instances, the waiting jobs and the size of the database',
  permission: 'system.read',
  ...{ pathFields: {}, fields: {}, command: undefined },
  result: ['version', 'node', 'engine', 'database_bytes', 'last_backup_at', 'instances', 'jobs'],
  async run(_, { system, program, now }) {
    const at = now();
    const [instances, jobs, databaseBytes, backups] = await Promise.all([
      system.listInstances(at - GONE_AFTER_MS),
      system.countJobs(at, at - LATE_MS),
      system.databaseBytes(),
      system.lastBackups(),
    ]);
    return { program, instances, jobs, databaseBytes, backups };
  },
  toDocument: ({ program: { version, node, engine }, databaseBytes, backups, ...lists }) => ({
    ...{ version, node, engine, database_bytes: databaseBytes, last_backup_at: toTime(backups.made?.at) },
    instances: lists.instances.map(({ instanceId, host, version, role, startedAt, seenAt }) => ({
      ...{ instance_id: instanceId, host, version, role },
      ...{ started_at: toTime(startedAt), seen_at: toTime(seenAt) },
    })),
    jobs: lists.jobs.map(({ oldest, ...counts }) => ({ ...counts, oldest_due_at: toTime(oldest) })),
  }),
});

export const listSettings = operation({
  ...{ id: 'listSettings', method: 'get', path: '/settings', group: GROUP },
  summary: 'List the settings of the instance that responds',
  description: 'A secret that is set has no `value`.',
  permission: 'system.read',
  ...{ pathFields: {}, fields: PAGE, command: undefined, result: ['settings', 'next'] },
  run: async (page, { program: { settings } }) => toPage(settings, ({ name }) => name, page),
  toDocument: ({ subjects, next }) => ({
    settings: subjects.map(({ name, value = null, from }) => ({ name, value, secret: value === null, from })),
    next,
  }),
});

const isOk = (checks: readonly KeptCheck[]): boolean => checks.every(({ status }) => status !== 'fail');

export const runChecksOperation = operation({
  ...{ id: 'runChecks', method: 'post', path: '/checks', group: GROUP },
  ...{ summary: 'Run the checks of `doctor` on the server', permission: 'system.change' },
  pathFields: {},
  fields: { name: text({ max: 100, doc: 'The name of one check; all by default.', example: 'database' }) },
  ...{ command: 'doctor', result: ['ok', 'checks', 'addresses_to_register'] },
  async run({ name }, deps) {
    return { checks: await runChecks(deps.actor, name, deps), addresses: deps.program.providerAddresses };
  },
  toDocument: ({ checks, addresses }) => ({
    ok: isOk(checks),
    checks: checks.map(checkDocument),
    addresses_to_register: addresses,
  }),
});

/** Returns the document of `kalends setup`. */
export const setupDocument = ({ kind, redirectUri, scopes, settings, notice, check }: ProviderSetup) => ({
  ...{ provider: kind, console: SETUP_STEPS[kind].console, redirect_uri: redirectUri, scopes, settings },
  notice: notice ?? null,
  check: check ? { status: check.status, message: check.message } : null,
});

export const checkProviderOperation = operation({
  ...{ id: 'checkProvider', method: 'post', path: '/providers/{provider}/check', group: GROUP },
  summary: 'Show how to register an app at a provider, and check it',
  description:
    "Checks the deployment's app, or the one in the body. `check` is null without an app. Changes nothing.",
  permission: 'system.change',
  errors: [SETTINGS.invalid_client_metadata],
  pathFields: {
    provider: required(oneOf(APP_KINDS, { doc: 'The provider of the app.', example: 'google' })),
  },
  fields: {
    app_client_id: text({ max: 300, doc: 'The id of the app to check; by default the configured one.' }),
    client_secret: text({ max: 5_000, doc: 'The secret of the app in `app_client_id`.' }),
  },
  command: 'setup',
  result: ['provider', 'console', 'redirect_uri', 'scopes', 'settings', 'notice', 'check'],
  run({ provider, app_client_id: clientId, client_secret: clientSecret }, { program }) {
    const isWhole = clientId !== undefined && clientSecret !== undefined;
    if (!isWhole && (clientId ?? clientSecret) !== undefined)
      refuseMistakes([{ field: 'client_secret', problem: 'and app_client_id must be sent together' }]);
    return program.setup(provider, isWhole ? { clientId, clientSecret } : undefined);
  },
  toDocument: setupDocument,
});

/** Returns the backups of the server. Throws ApiError if its database has none. */
function backupsOf({ program: { backups } }: AdministrationDeps) {
  if (backups === undefined) throw new ApiError(ADMINISTRATION.backups_elsewhere);
  return backups;
}

export const listBackups = operation({
  ...{ id: 'listBackups', method: 'get', path: '/backups', group: GROUP },
  ...{ summary: 'List the backups in the folder of the server', permission: 'system.read' },
  errors: [ADMINISTRATION.backups_elsewhere],
  ...{ pathFields: {}, fields: PAGE, command: undefined, result: ['folder', 'backups', 'next'] },
  async run(page, deps) {
    const { folder, list } = backupsOf(deps);
    return { folder, ...toPage(await list(), ({ name }) => name, page) };
  },
  toDocument: ({ folder, subjects, next }) => ({
    ...{ folder, backups: subjects.map(backupDocument), next },
  }),
});

export const createBackup = operation({
  ...{ id: 'createBackup', method: 'post', path: '/backups', group: GROUP, status: 201 },
  summary: 'Copy the SQLite database into the folder of backups on the server',
  permission: 'system.change',
  errors: [ADMINISTRATION.backups_elsewhere, ADMINISTRATION.backup_refused],
  ...{ pathFields: {}, fields: {}, command: 'backup', result: ['name', 'bytes', 'created_at', 'scheduled'] },
  async run(_, deps) {
    backupsOf(deps);
    const backup = await makeBackup(deps.actor, deps);
    if (typeof backup === 'string') throw new ApiError(ADMINISTRATION.backup_refused, REFUSED[backup]);
    return backup;
  },
  toDocument: backupDocument,
});

const REFUSED = {
  full: 'The folder has the maximum number of backups: move or delete old ones',
  no_room: 'The disk has too little space: a backup needs twice the size of the database',
};

export const SYSTEM_OPERATIONS = [
  ...[showSystem, listSettings, runChecksOperation, checkProviderOperation, listBackups, createBackup],
];
