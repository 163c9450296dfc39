/**
 * An application's own users: what is known of one, and forgetting it. So no application is stuck with a user whose
 * tokens it has lost.
 */
import type { Account, AccountStore } from '../../calendars/account-store.ts';
import { syncStateOf } from '../../calendars/health.ts';
import { ApiError } from '../../http/refusal.ts';
import type { Log } from '../../lib/log.ts';
import { instantText } from '../../lib/rendered-json.ts';
import type { UserStore } from '../../oauth/user-store.ts';

export type UsersDeps = {
  readonly users: Pick<UserStore, 'findUser' | 'livingGrantsOf' | 'deleteUser'>;
  readonly accounts: Pick<AccountStore, 'listAccounts'>;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Whose user it is. */
export type UserOfClient = { readonly clientId: string; readonly userId: string };

/** Accounts and living grants without secrets and without keys of ours. Throws 404 for an unknown user. */
export async function showUser({ clientId, userId }: UserOfClient, { users, accounts }: UsersDeps) {
  const user = await users.findUser(clientId, userId);
  if (user === undefined) {
    throw new ApiError(
      404,
      'user_not_found',
      'There is no such user: the first call of /authorize makes one',
    );
  }
  const [linked, grants] = await Promise.all([
    accounts.listAccounts(clientId, userId),
    users.livingGrantsOf(clientId, userId),
  ]);
  return {
    user_id: user.userId,
    createdAt: instantText(user.createdAt),
    lastSeenAt: instantText(user.lastSeenAt),
    accounts: linked.map(shownAccount),
    grants: grants.map(({ scope, createdAt, refreshedAt }) => ({
      scope,
      createdAt: instantText(createdAt),
      refreshedAt: instantText(refreshedAt),
    })),
  };
}

/**
 * Forgets the user with its accounts, mirror and requests, ends its grants and withdraws its code. A user that is not
 * there is no error: the call may be repeated.
 */
export async function forgetUser(
  { clientId, userId }: UserOfClient,
  { users, log, now }: UsersDeps,
): Promise<{ success: true }> {
  // Looked up first: an id that no database keeps names nobody.
  const user = await users.findUser(clientId, userId);
  if (user !== undefined && (await users.deleteUser(clientId, userId, now()))) {
    log.info({ event: 'users_forgotten', clientId, userId }, 'An application had a user forgotten');
  }
  return { success: true };
}

function shownAccount({ provider, accountId, display, linkedAt, health }: Account) {
  const { state, reason } = health;
  return {
    provider,
    id: accountId,
    display,
    linkedAt: instantText(linkedAt),
    syncState: syncStateOf(health),
    health: { state, ...(reason === undefined ? {} : { reason }) },
  };
}
