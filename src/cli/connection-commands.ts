/** `kalends connection list`: unhealthy accounts by reason. */
import { listConnections, readConnections } from '../administration/connections.ts';
import { toDocument, toTable } from '../administration/documents/field.ts';
import { fixText, UNHEALTHY_ACCOUNT } from '../administration/documents/user.ts';
import { type ListedAccount, MOST_COUNTED, type ReasonGroup } from '../administration/user-details.ts';
import { HEALTH_REASONS, type HealthReason } from '../calendars/health-reason.ts';
import type { UnhealthyPosition } from '../user-data/accounts-by-health.ts';
import { type Command, type Result, type Storage, usageError } from './command.ts';
import { tabulate } from './help.ts';
import { hasMembers, limitIn, nextLine, oneOf, PAGE_OPTIONS, positionIn, toNext } from './option-values.ts';

const REASONS = Object.keys(HEALTH_REASONS) as HealthReason[]; // The object is a constant without further keys.
const OF_EACH = 5;

const list: Command = {
  name: 'connection list',
  summary: 'List accounts with problems, who must act and how to fix them',
  options: [
    {
      name: 'reason',
      value: 'REASON',
      doc: `All accounts with this reason, page by page. Without it, the newest ${OF_EACH} of each reason. docs/account-health.md lists the reasons.`,
    },
    ...PAGE_OPTIONS,
  ],
  async run({ options }, { withStorage }) {
    const reason = oneOf(options.reason, REASONS, `--reason must be one of ${REASONS.join(', ')}.`);
    if (reason === undefined && ('after' in options || 'limit' in options))
      throw usageError('--limit and --after need --reason.');
    const page = { after: positionIn(options, isAilingPlace), limit: limitIn(options) };
    return withStorage((storage) =>
      reason === undefined ? allReasons(storage) : oneReason({ reason, ...page }, storage),
    );
  },
};

export const connectionCommands: readonly Command[] = [list];

const isAilingPlace = (value: unknown): value is UnhealthyPosition =>
  hasMembers(value, { since: 'number', accountKey: 'string' });

async function allReasons(storage: Storage): Promise<Result> {
  const groups = await readConnections('command line', { limit: OF_EACH }, storage);
  return {
    json: { reasons: groups.map(toGroup) },
    text: groups.length === 0 ? 'No problems.' : groups.map(groupText).join('\n\n'),
  };
}

type ReasonPage = Parameters<typeof listConnections>[1] & { readonly reason: HealthReason };

async function oneReason(page: ReasonPage, storage: Storage): Promise<Result> {
  const { reason } = page;
  const { accounts, ...rest } = await listConnections('command line', page, storage);
  const next = toNext(rest.next);
  const none = 'No account has this problem.';
  return {
    json: { reason, mends: fixText(reason), accounts: accounts.map(toAccount), next },
    text: accounts.length === 0 ? none : `${renderTable(accounts)}${nextLine(next)}`,
  };
}

const countText = (count: number): string =>
  count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(count);

const groupText = ({ reason, count, accounts }: ReasonGroup): string =>
  `${reason}: ${countText(count)}\n${fixText(reason)}\n${renderTable(accounts)}`;

const renderTable = (accounts: readonly ListedAccount[]): string =>
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
