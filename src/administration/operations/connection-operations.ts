/** The operation on connected accounts by health. Names of users are masked for keys that may not read them. */
import { HEALTH_REASONS, type HealthReason } from '../../calendars/health-reason.ts';
import { PROVIDER_KINDS } from '../../calendars/provider-facts.ts';
import { maskedName } from '../../connect/accounts/account-views.ts';
import { oneOf, refuseMistakes, text } from '../../http/fields.ts';
import { may } from '../../people/permission.ts';
import type { ConnectedPosition, UnhealthyPosition } from '../../user-data/accounts-by-health.ts';
import { TURNS } from '../../user-data/responsible-party.ts';
import { readApplication } from '../applications.ts';
import { CONNECTION_STATES, hasOnlyProblems, listConnections, readConnections } from '../connections.ts';
import { toDocument } from '../documents/field.ts';
import { fixText, UNHEALTHY_ACCOUNT } from '../documents/user.ts';
import { type ListedAccount, MOST_COUNTED, type ReasonGroup } from '../user-details.ts';
import {
  type AdministrationDeps,
  openPosition,
  operation,
  PAGE,
  pageSize,
  sealPosition,
} from './operation.ts';

const REASONS = Object.keys(HEALTH_REASONS) as HealthReason[]; // The object is a constant without further keys.
/** The number of accounts of each reason without a page. */
export const OF_EACH = 5;

const STATE_PROBLEM = 'must be degraded or reauth_required, or absent, with reason, provider or turn';

type AccountList = {
  readonly reason: HealthReason | undefined;
  readonly accounts: readonly ListedAccount[];
  readonly next: string | null;
};

/** Returns the account as the actor may read it. The message of a provider can contain names. */
function toVisible(account: ListedAccount, { actor }: Pick<AdministrationDeps, 'actor'>): ListedAccount {
  if (may(actor, 'user.name', account.clientId)) return account;
  const names = { userId: maskedName(account.userId), display: maskedName(account.display) };
  return { ...account, ...names, health: { ...account.health, message: undefined } };
}

const toAccount = (account: ListedAccount) => toDocument(UNHEALTHY_ACCOUNT, account);

const toGroup = ({ reason, count, accounts }: ReasonGroup) => ({
  reason,
  count: Math.min(count, MOST_COUNTED),
  has_more: count > MOST_COUNTED,
  mends: fixText(reason),
  accounts: accounts.map(toAccount),
});

export const listConnectionsOperation = operation({
  ...{ id: 'listConnections', method: 'get', path: '/connections', group: 'Users' },
  summary: 'List accounts with problems by reason, or the accounts with a reason or state page by page',
  description: `Without \`reason\` and \`state\`, \`reasons\` has the newest ${OF_EACH} accounts of each reason, and \`limit\` and \`after\` have no effect.`,
  permission: 'user.list',
  pathFields: {},
  fields: {
    reason: oneOf(REASONS, { doc: 'Accounts with this reason.' }),
    state: oneOf(CONNECTION_STATES, {
      doc: 'Accounts in this state; `connected` means all. It and `active` exclude `reason`, `provider` and `turn`.',
    }),
    provider: oneOf(PROVIDER_KINDS, { doc: 'Accounts with a problem at this provider.' }),
    turn: oneOf(TURNS, { doc: 'Accounts with a problem that this party has to fix.' }),
    client_id: text({ max: 512, doc: 'The application; by default, all that the key may read.' }),
    ...PAGE,
  },
  ...{ command: 'connection list', result: ['reasons', 'reason', 'mends', 'accounts', 'next'] },
  async run(
    { client_id: clientId, limit, after, reason, state, ...others },
    deps,
  ): Promise<AccountList | readonly ReasonGroup[]> {
    if (!hasOnlyProblems(state) && [reason, ...Object.values(others)].some((value) => value !== undefined))
      refuseMistakes([{ field: 'state', problem: STATE_PROBLEM }]);
    if (clientId !== undefined) await readApplication(deps.actor, clientId, deps);
    const visible = (accounts: readonly ListedAccount[]) =>
      accounts.map((account) => toVisible(account, deps));
    if ((reason ?? state) === undefined) {
      const filter = { ...others, clientId, limit: OF_EACH };
      const groups = await readConnections(deps.actor, filter, deps);
      return groups.map((group) => ({ ...group, accounts: visible(group.accounts) }));
    }
    // Positions differ between states.
    const list = `connections ${reason ?? state}`;
    const page = {
      after: openPosition<UnhealthyPosition & ConnectedPosition>(list, after, deps),
      limit: pageSize(limit),
    };
    const filter = { ...others, clientId, reason, state, ...page };
    const { accounts, next } = await listConnections(deps.actor, filter, deps);
    return { reason, accounts: visible(accounts), next: next ? sealPosition(list, next, deps) : null };
  },
  toDocument: (result) =>
    'accounts' in result
      ? {
          ...(result.reason !== undefined && { reason: result.reason, mends: fixText(result.reason) }),
          ...{ accounts: result.accounts.map(toAccount), next: result.next },
        }
      : { reasons: result.map(toGroup) },
});
