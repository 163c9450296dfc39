/** Removes accounts on the pages: the user's own, and accounts linked in this transaction. */
import type { ConnectDeps } from '../flow/connect-deps.ts';
import type { PageVisit } from '../flow/connect-flow.ts';
import type { AccountView } from './account-views.ts';

type RemoveDeps = Pick<ConnectDeps, 'accounts' | 'requests' | 'log' | 'now'>;

/** Removes accounts, with the same ones signed in to again. The request records if one was the user's own. */
export async function removeAccounts(
  { visit, request }: PageVisit,
  accounts: readonly AccountView[],
  { accounts: store, requests, log, now }: RemoveDeps,
): Promise<void> {
  const { clientId, userId, transactionId } = request;
  for (const { accountKey, againKey, provider, isUnfinished } of accounts) {
    for (const key of [accountKey, ...(againKey === undefined ? [] : [againKey])]) {
      await store.removeAccount(key, now(), undefined);
    }
    const event = isUnfinished ? 'account_removed' : 'account_disconnected';
    const fields = { clientId, userId, accountKey, provider, address: visit.address, transactionId };
    log.info({ event, ...fields }, 'An account was taken away by its user');
  }
  if (accounts.some(({ isUnfinished }) => !isUnfinished)) {
    await requests.noteProgress(transactionId, { hasDisconnected: true });
  }
}
