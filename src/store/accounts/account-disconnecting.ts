/** Taking accounts from their user because somebody asked for it. */
import type { Caller } from '../../audit/audit-entry.ts';
import { auditFor, subjectOfUser } from '../audit/append-audit.ts';
import type { Database, Values } from '../drivers/database.ts';
import { deleteAccounts } from './account-deletion.ts';
import { deletePutAside } from './account-removal.ts';

export type RemovalOptions = {
  /** Called when a job was committed, so that this process' worker looks at once. */
  readonly jobScheduled?: (() => void) | undefined;
  /** Who asks for it, where that is an operator: the log has it then. */
  readonly caller?: Caller | undefined;
};

type AccountsToRemove = Values & {
  readonly clientId: string;
  readonly userId: string;
  readonly provider: string;
  readonly now: number;
};

/** Removes the accounts of one user that a statement selects with the values; answers how many. */
export function accountRemover(db: Database, { jobScheduled = () => {}, caller }: RemovalOptions) {
  return async (accounts: string, values: AccountsToRemove): Promise<number> => {
    const { clientId, provider, now } = values;
    const deleted = await db.transaction(async (tx) => {
      const count = await deleteAccounts(tx, accounts, values);
      if (count === 0 || caller === undefined) return count;
      const subject = await subjectOfUser(tx, values);
      const before = { provider, accounts: count };
      await auditFor(tx, caller, { action: 'account.disconnected', clientId, subject, before });
      return count;
    });
    if (deleted > 0) jobScheduled();
    await deletePutAside(db, now, values);
    return deleted;
  };
}
