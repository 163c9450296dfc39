/** `kalends connection list`: unhealthy accounts by reason. */
import { toTable } from '../administration/documents/field.ts';
import { fixText, UNHEALTHY_ACCOUNT } from '../administration/documents/user.ts';
import { listConnectionsOperation, OF_EACH } from '../administration/operations/connection-operations.ts';
import { MOST_COUNTED, type ReasonGroup } from '../administration/user-details.ts';
import { type Command, usageError } from './command.ts';
import { tabulate } from './help.ts';
import { listOutput, operationCommand, pageInput } from './operation-command.ts';
import { PAGE_OPTIONS } from './option-values.ts';

const COLUMNS = ['client_id', 'user_id', 'provider', 'display', 'since', 'turn', 'message'];

const list = operationCommand({
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
  operation: listConnectionsOperation,
  input(parsed) {
    const { reason, ...others } = parsed.options;
    if (reason !== undefined) return { reason, ...pageInput(parsed) };
    if ('after' in others || 'limit' in others) throw usageError('--limit and --after need --reason.');
    return {};
  },
  render: (result) =>
    'accounts' in result
      ? listOutput(
          UNHEALTHY_ACCOUNT,
          { columns: COLUMNS, none: 'No account has this problem.' },
          result.accounts,
        )
      : { text: result.length === 0 ? 'No problems.' : result.map(groupText).join('\n\n') },
});

export const connectionCommands: readonly Command[] = [list];

const countText = (count: number): string =>
  count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(count);

const groupText = ({ reason, count, accounts }: ReasonGroup): string =>
  `${reason}: ${countText(count)}\n${fixText(reason)}\n${tabulate(toTable(UNHEALTHY_ACCOUNT, COLUMNS, accounts))}`;
