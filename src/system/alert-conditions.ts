/** Finds the problems that alerts are about. */
import { actorOf, HEALTH_REASONS, type HealthReason } from '../calendars/health-reason.ts';
import { oneLine } from '../lib/one-line.ts';
import type { ClientStore } from '../oauth/client-store.ts';
import {
  UNHEALTHY_ON_A_PAGE,
  type UnhealthyEndpoint,
  type UnhealthyEndpoints,
} from '../webhooks/unhealthy-endpoints.ts';
import type { AlertCondition, AlertKind, AlertStore, UnhealthyCount } from './alert-store.ts';
import type { Check } from './doctor-checks.ts';

export type ConditionDeps = {
  readonly alerts: Pick<AlertStore, 'countUnhealthy' | 'countAccounts'>;
  readonly clients: Pick<ClientStore, 'listClients'>;
  readonly unhealthyEndpoints: UnhealthyEndpoints;
  /** Undefined if the dashboard is off. */
  readonly dashboardUrl: string | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const UNHEALTHY_MS = 15 * 60_000;
const LEAST_ACCOUNTS = 10;
const LEAST_SHARE = 0.05;
const MOST_ENDPOINT_PAGES = 20;
const MOST_CHARACTERS = 300;

/** The reasons for which a provider refuses the app, and how to fix them. */
const OF_APP: Readonly<Partial<Record<HealthReason, string>>> = {
  app_credentials_refused: 'Check the client ID and secret of the provider app.',
  app_secret_expired: 'Create a new secret at the provider and save it.',
  google_testing_expired: 'Publish the Google app. Users then reconnect their accounts.',
  provider_not_set_up: 'Set the provider app again, or disconnect these accounts.',
};
/** Warnings of these checks open an alert too. */
const WARNED = new Set(['backups', 'clock', 'disk', 'certificate', 'admin_keys']);

type Names = ReadonlyMap<string, string>;

/** `partial`: the kinds with more problems than were read. */
export type Found = { readonly conditions: AlertCondition[]; readonly partial: readonly AlertKind[] };

/** Finds problems of endpoints, provider apps and accounts, in all applications. */
export async function findApplicationConditions(deps: ConditionDeps): Promise<Found> {
  const [clients, counts, { endpoints, isCut }] = await Promise.all([
    deps.clients.listClients(),
    deps.alerts.countUnhealthy(),
    listEndpoints(deps),
  ]);
  const names = new Map(clients.map(({ clientId, name }) => [clientId, oneLine(name, 80)]));
  const conditions = [
    ...endpoints.map((endpoint) => endpointCondition(endpoint, names, deps)),
    ...counts.flatMap((count) => appCondition(count, names, deps)),
    ...(await accountConditions(counts, names, deps)),
  ];
  return { conditions, partial: isCut ? ['endpoint_unhealthy'] : [] };
}

async function listEndpoints({ unhealthyEndpoints, now }: ConditionDeps) {
  const unhealthy: UnhealthyEndpoint[] = [];
  let isCut = true;
  for (let page = 0; page < MOST_ENDPOINT_PAGES && isCut; page++) {
    const rows = await unhealthyEndpoints.listUnhealthy({ now: now() }, unhealthy.at(-1));
    unhealthy.push(...rows);
    isCut = rows.length === UNHEALTHY_ON_A_PAGE;
  }
  const isLong = ({ since }: UnhealthyEndpoint) => since <= now() - UNHEALTHY_MS;
  const endpoints = unhealthy.filter((one) =>
    one.state === 'paused' ? one.pausedReason !== 'operator' && one.pausedReason !== undefined : isLong(one),
  );
  return { endpoints, isCut };
}

function endpointCondition(
  { endpointId, clientId, url, state }: UnhealthyEndpoint,
  names: Names,
  { dashboardUrl }: ConditionDeps,
): AlertCondition {
  // The path of a webhook URL can be a secret of its receiver.
  const what = `The endpoint at ${URL.parse(url)?.host ?? 'an unreadable URL'} of "${names.get(clientId) ?? clientId}"`;
  return {
    ...{ kind: 'endpoint_unhealthy', subject: endpointId, clientId, severity: 'warning' },
    summary: summarize(
      `${what} ${state === 'paused' ? 'was paused by Kalends' : 'has failed for 15 minutes'}`,
    ),
    action:
      state === 'paused' ? 'Fix the receiver, then resume the endpoint.' : 'Fix the receiver of deliveries.',
    url: dashboardUrl && `${dashboardUrl}/dashboard/endpoints`,
  };
}

function appCondition(
  { clientId, reason, count }: UnhealthyCount,
  names: Names,
  { dashboardUrl }: ConditionDeps,
): AlertCondition[] {
  const action = OF_APP[reason as HealthReason]; // Any other text has no entry.
  if (action === undefined) return [];
  const summary = summarize(`${count} account(s) of "${names.get(clientId) ?? clientId}" fail: ${reason}`);
  const url = dashboardUrl && `${dashboardUrl}/dashboard/connections`;
  const subject = `${clientId} ${reason}`;
  return [{ kind: 'provider_app_refused', subject, clientId, severity: 'critical', summary, action, url }];
}

async function accountConditions(
  counts: readonly UnhealthyCount[],
  names: Names,
  { alerts, dashboardUrl }: ConditionDeps,
): Promise<AlertCondition[]> {
  const needAction = counts.filter(
    // Unknown reasons come from a newer version.
    ({ reason }) => reason in HEALTH_REASONS && actorOf(reason as HealthReason) !== 'nobody',
  );
  const conditions: AlertCondition[] = [];
  for (const [clientId, group] of Map.groupBy(needAction, ({ clientId }) => clientId)) {
    const count = group.reduce((sum, one) => sum + one.count, 0);
    if (count < LEAST_ACCOUNTS || count < LEAST_SHARE * (await alerts.countAccounts(clientId))) continue;
    conditions.push({
      ...{ kind: 'accounts_need_action', subject: clientId, clientId, severity: 'warning' },
      summary: summarize(`${count} accounts of "${names.get(clientId) ?? clientId}" need action`),
      action: 'Connections lists them with who must act and how to fix them.',
      url: dashboardUrl && `${dashboardUrl}/dashboard/connections`,
    });
  }
  return conditions;
}

/** Returns the problems among the results of checks. */
export const findCheckConditions = (
  checks: readonly Check[],
  { dashboardUrl }: Pick<ConditionDeps, 'dashboardUrl'>,
): AlertCondition[] =>
  checks
    .filter(({ name, status }) => status === 'fail' || (status === 'warn' && WARNED.has(name)))
    .map(({ name, status, message }) => ({
      ...{ kind: 'check_failed', subject: name },
      severity: status === 'fail' ? 'critical' : 'warning',
      summary: summarize(`The check "${name}" ${status === 'fail' ? 'failed' : 'has a warning'}`),
      action: summarize(message),
      url: dashboardUrl && `${dashboardUrl}/dashboard/system`,
    }));

const summarize = (text: string): string => oneLine(text, MOST_CHARACTERS);
