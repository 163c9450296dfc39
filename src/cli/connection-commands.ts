/** `kalends connection list`: the accounts that do not work, by reason. */

import { listConnections, readConnections } from '../administration/connections.ts';
import { toDocument, toTable } from '../administration/documents/field.ts';
import { fixText, UNHEALTHY_ACCOUNT } from '../administration/documents/user.ts';
import { type ListedAccount, MOST_COUNTED, type ReasonGroup } from '../administration/shown-user.ts';
import { HEALTH_REASONS, type HealthReason } from '../calendars/health-reason.ts';
import type { AilingPlace } from '../user-data/ailing-accounts.ts';
import { type Command, type Result, type Storage, usageError } from './command.ts';
import { text } from './option-values.ts';
import { hasMembers, limitIn, nextLine, nextOf, PAGE_OPTIONS, placeIn } from './page-options.ts';
import { tabulate } from './table.ts';

const REASONS = Object.keys(HEALTH_REASONS) as HealthReason[]; // Its keys are the literal ones.
const OF_EACH = 5;

const list: Command = {
  name: 'connection list',
  summary: 'List the accounts that have a problem, by reason, with who must act and how to fix them',
  positionals: [],
  options: [
    {
      name: 'reason',
      value: 'REASON',
      doc: `All of one reason, page by page; without it, the newest ${OF_EACH} of each. docs/account-health.md has the reasons.`,
    },
    ...PAGE_OPTIONS,
  ],
  async run({ options }, { withStorage }) {
    const reason = reasonNamed(text(options.reason));
    if (reason === undefined && ('after' in options || 'limit' in options))
      throw usageError('--limit and --after are for the accounts of one reason: give --reason.');
    const page = { after: placeIn(options, isAilingPlace), limit: limitIn(options) };
    return withStorage((storage) =>
      reason === undefined ? allReasons(storage) : oneReason({ reason, ...page }, storage),
    );
  },
};

export const connectionCommands: readonly Command[] = [list];

function reasonNamed(named: string | undefined): HealthReason | undefined {
  if (named === undefined) return undefined;
  const reason = REASONS.find((one) => one === named);
  if (reason === undefined) throw usageError(`--reason must be one of ${REASONS.join(', ')}.`);
  return reason;
}

const isAilingPlace = (value: unknown): value is AilingPlace =>
  hasMembers(value, { since: 'number', accountKey: 'string' });

async function allReasons(storage: Storage): Promise<Result> {
  const groups = await readConnections('command line', { limit: OF_EACH }, storage);
  return {
    json: { reasons: groups.map(toGroup) },
    text: groups.length === 0 ? 'No problems.' : groups.map(groupText).join('\n\n'),
  };
}

async function oneReason(
  page: { readonly reason: HealthReason; readonly after: AilingPlace | undefined; readonly limit: number },
  storage: Storage,
): Promise<Result> {
  const { reason } = page;
  const found = await listConnections('command line', page, storage);
  const next = nextOf(found.next);
  const none = 'No account has this problem.';
  return {
    json: { reason, mends: fixText(reason), accounts: found.accounts.map(toAccount), next },
    text: found.accounts.length === 0 ? none : `${tableOf(found.accounts)}${nextLine(next)}`,
  };
}

/** The count as far as it was counted. */
const countText = (count: number): string =>
  count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(count);

const groupText = ({ reason, count, accounts }: ReasonGroup): string =>
  `${reason}: ${countText(count)}\n${fixText(reason)}\n${tableOf(accounts)}`;

const tableOf = (accounts: readonly ListedAccount[]): string =>
  tabulate(toTable(UNHEALTHY_ACCOUNT, COLUMNS, accounts));

const COLUMNS = ['client_id', 'user_id', 'provider', 'display', 'since', 'turn', 'message'];

const toAccount = (account: ListedAccount) => toDocument(UNHEALTHY_ACCOUNT, account);

const toGroup = ({ reason, count, accounts }: ReasonGroup) => ({
  reason,
  count: Math.min(count, MOST_COUNTED),
  has_more: count > MOST_COUNTED,
  mends: fixText(reason),
  accounts: accounts.map(toAccount),
});
