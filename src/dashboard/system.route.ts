/** The system page for owners: checks, instances, jobs, backups and keys. */
import type { FastifyReply } from 'fastify';
import { APP_KINDS, type AppKind } from '../access/provider-apps.ts';
import { shareLeft } from '../access/request-budget.ts';
import { type ActivityStore, LOAD_ORDERS } from '../activity/activity-store.ts';
import { LOAD_PERIODS, readLoad } from '../administration/load.ts';
import { makeBackup, runChecks } from '../administration/system.ts';
import type { By } from '../audit/audit-entry.ts';
import { PROVIDER_FACTS, type ProviderLimits } from '../calendars/provider-facts.ts';
import { notice } from '../design/parts.page.ts';
import { type Html, html } from '../http/html.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { SigningKeyStore } from '../oauth/signing-key-store.ts';
import { rotateSigningKeys } from '../oauth/signing-keys.ts';
import type { AdminKeyStore } from '../people/admin-key-store.ts';
import { listAdminKeys } from '../people/admin-keys.ts';
import { type AlertChannel, testChannels } from '../system/alert-channels.ts';
import type { AlertStore } from '../system/alert-store.ts';
import { GONE_AFTER_MS } from '../system/instances.ts';
import type { MasterKeyStore } from '../system/master-key-store.ts';
import type { RunningProgram } from '../system/running-program.ts';
import type { SystemStore } from '../system/system-store.ts';
import type { WebhookKeyStore } from '../webhooks/webhook-key-store.ts';
import { rotateWebhookKeys } from '../webhooks/webhook-signer.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import {
  configurationSection,
  loadSection,
  SYSTEM,
  SYSTEM_PAGES,
  type SystemPage,
  statusSections,
  systemContent,
  systemPath,
} from './pages/system.page.ts';
import { adminKeysSection } from './pages/system-admin-keys.page.ts';
import { databaseSection } from './pages/system-database.page.ts';
import type { AppBudget } from './pages/system-figures.ts';
import { keysSection } from './pages/system-keys.page.ts';
import { freshGet, freshPost, get, post } from './routes.ts';

export const systemRoutes = (): DashboardRoute[] => [
  ...SYSTEM_PAGES.map((page) =>
    page === 'admin-keys'
      ? freshGet(systemPath(page), 'people.manage', (visit) => showSystem(visit, page))
      : get(systemPath(page), 'system.read', (visit) => showSystem(visit, page)),
  ),
  post(`${SYSTEM}/check`, 'system.change', async ({ person, reply, field, deps }) => {
    await runChecks(person, field('check') || undefined, deps);
    const back = field('back') === OVERVIEW ? OVERVIEW : SYSTEM;
    return goTo(reply, `${back}?done=checked`);
  }),
  post(`${SYSTEM}/alerts/test`, 'system.change', async (visit) => {
    const failed = (await testChannels(visit.deps.alertChannels)).find(
      ({ problem }) => problem !== undefined,
    );
    return failed === undefined
      ? goTo(visit.reply, `${SYSTEM}?done=alert_test`)
      : showSystem(visit, 'status', messages.text('system.alerts.failed', { problem: failed.problem ?? '' }));
  }),
  post(`${SYSTEM}/backup`, 'system.change', async (visit) => {
    const backup = await makeBackup(visit.person, visit.deps);
    return typeof backup === 'string'
      ? showSystem(visit, 'database', messages.text(`system.backup.${backup}`))
      : goTo(visit.reply, `${systemPath('database')}?done=backup`);
  }),
  freshPost(`${SYSTEM}/signing-keys/rotate`, 'system.change', async ({ reply, field, deps }) => {
    await rotateTokenKeys(field('active'), deps);
    return goTo(reply, `${systemPath('keys')}?done=signing_keys`);
  }),
  freshPost(`${SYSTEM}/webhook-keys/rotate`, 'system.change', async ({ reply, field, deps }) => {
    await rotateDeliveryKeys(field('active'), deps);
    return goTo(reply, `${systemPath('keys')}?done=webhook_keys`);
  }),
];

const OVERVIEW = '/dashboard';
const DONE = ['checked', 'alert_test', 'backup', 'signing_keys', 'webhook_keys', 'key_revoked'] as const;

async function showSystem(visit: DashboardVisit, page: SystemPage, problem?: string): Promise<FastifyReply> {
  const { query, show, deps } = visit;
  const done = DONE.find((one) => one === query('done'));
  const resultNotice =
    problem !== undefined
      ? notice('trouble', html`${problem}`, true)
      : done !== undefined && notice('done', html`${messages.text(`system.done.${done}`)}`, true);
  const content = await CONTENTS[page](deps, visit);
  const whole = systemContent(deps.program, { page, said: resultNotice, content });
  return show({ title: messages.text('system.title'), content: whole }, problem === undefined ? 200 : 409);
}

export type SystemDeps = By & {
  readonly activity: Pick<ActivityStore, 'mostActive'>;
  readonly system: SystemStore;
  readonly alerts: Pick<AlertStore, 'listAlerts'>;
  readonly alertChannels: readonly AlertChannel[];
  readonly program: RunningProgram;
  readonly adminKeys: AdminKeyStore;
  readonly signingKeyStore: SigningKeyStore;
  readonly webhookKeys: WebhookKeyStore;
  readonly masterKey: Pick<MasterKeyStore, 'masterKeyState'>;
  readonly sealer: Sealer;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** A job that is due is claimed within seconds while a slot is free. */
const LATE_MS = 60_000;
const MOST_ALERTS = 20;
/** The default overlap of `kalends webhook rotate-keys`. */
const OVERLAP_MS = 7 * 24 * 3_600_000;

/** The contents of each page, which reads only what it shows. */
const CONTENTS: Readonly<Record<SystemPage, (deps: SystemDeps, visit: DashboardVisit) => Promise<Html>>> = {
  async load(deps, { query }) {
    const period = LOAD_PERIODS.find((one) => one === query('period')) ?? '24h';
    const by = LOAD_ORDERS.find((one) => one === query('by')) ?? 'requests';
    return loadSection({ period, by, ...(await readLoad({ period, by }, deps)) });
  },
  async status({ system, alerts, alertChannels: channels, program, now }, { viewer }) {
    const at = now();
    const [instances, jobs, budgets, checks, listed] = await Promise.all([
      system.listInstances(at - GONE_AFTER_MS),
      system.countJobs(at, at - LATE_MS),
      system.listAppBudgets(),
      system.lastChecks(),
      alerts.listAlerts(MOST_ALERTS),
    ]);
    const used = budgets.flatMap(({ app, fullAt }) => appBudget(app, fullAt, at) ?? []);
    return statusSections(
      { program, instances, jobs, budgets: used, checks, alerts: listed, channels },
      viewer,
    );
  },
  async database({ system, program }, { viewer }) {
    const [bytes, sizes, backups, last] = await Promise.all([
      system.databaseBytes(),
      system.listSizes(),
      program.backups?.list(),
      system.lastBackups(),
    ]);
    const figures = { program, bytes, sizes, backups, backupFailure: last.failure };
    return databaseSection(figures, viewer, SYSTEM);
  },
  async keys({ signingKeyStore, webhookKeys, masterKey, program, now }, { viewer }) {
    const [signing, webhook, master] = await Promise.all([
      signingKeyStore.listSigningKeys(),
      webhookKeys.listWebhookKeys(now()),
      masterKey.masterKeyState(),
    ]);
    return keysSection({ program, signing: signing.toReversed(), webhook, master }, viewer, SYSTEM);
  },
  'admin-keys': async (deps, { person }) => adminKeysSection(await listAdminKeys(person, deps)),
  configuration: async ({ program }) => configurationSection(program),
};

function appBudget(app: string, fullAt: number, now: number): AppBudget | undefined {
  const kind = APP_KINDS.find((one) => app.startsWith(`${one} `));
  const rate = kind && limitsOf(kind).app;
  if (kind === undefined || rate === undefined || fullAt <= now) return undefined;
  return { kind, appId: app.slice(kind.length + 1), share: shareLeft(rate, fullAt, now), fullAt };
}

const limitsOf = (kind: AppKind): ProviderLimits => PROVIDER_FACTS[kind].requestLimits;

/** Signs tokens with the next key, unless `active` no longer signs: a form that is sent twice rotates once. */
export async function rotateTokenKeys(active: string, deps: SystemDeps): Promise<void> {
  const { signingKeyStore: keys, program, sealer, now, by } = deps;
  const signingKeys = await keys.listSigningKeys();
  if (!signingKeys.some(({ kid, status }) => kid === active && status === 'active')) return;
  await rotateSigningKeys(program.tokenAlgorithm, { keys, sealer, now, by });
}

/** Does the same for webhooks. The previous key also signs for a week. */
export async function rotateDeliveryKeys(active: string, deps: SystemDeps): Promise<void> {
  const webhookKeys = await deps.webhookKeys.listWebhookKeys(deps.now());
  if (!webhookKeys.some(({ keyId, status }) => keyId === active && status === 'active')) return;
  await rotateWebhookKeys(OVERLAP_MS, deps);
}
