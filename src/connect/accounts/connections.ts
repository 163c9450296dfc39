/** Lists the accounts that a user has connected, and disconnects them (docs/wire.md 1.4, 1.5, 2.2, 2.3). */

import type { Account, AccountHealth, AccountLimits, AccountStore } from '../../calendars/account-store.ts';
import { actorOf } from '../../calendars/health-reason.ts';
import { PROVIDER_KINDS, type ProviderKind } from '../../calendars/provider-facts.ts';
import { type Input, oneOf, parsedText, required } from '../../http/fields.ts';
import type { Log } from '../../lib/log.ts';
import { instantText } from '../../lib/rendered-json.ts';
import type { Grant } from '../../oauth/grant.ts';
import type { AccountUpdates, WatchStore } from '../../watches/watch-store.ts';

export type ConnectionDeps = {
  readonly accounts: Pick<AccountStore, 'accountsOf' | 'listAccounts' | 'disconnect'>;
  readonly watches: Pick<WatchStore, 'listUpdates'>;
  readonly accountLimits: AccountLimits;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export async function connectionStatus(
  grant: Grant,
  { accounts, accountLimits, watches, now }: ConnectionDeps,
) {
  const [linked, all, updates] = await Promise.all([
    accounts.accountsOf(grant),
    accounts.listAccounts(grant.clientId, grant.userId),
    watches.listUpdates(grant.clientId, grant.userId, now()),
  ]);
  const findUpdates = (account: Account) =>
    updates.find(({ accountKey }) => accountKey === account.accountKey);
  const toConnections = (kind: ProviderKind) =>
    linked
      .filter(({ provider }) => provider === kind)
      .map((account) => toConnection(account, findUpdates(account)));
  // Exactly the four providers: a fifth key breaks a published client.
  const connections = {
    google: toConnections('google'),
    microsoft: toConnections('microsoft'),
    apple: toConnections('apple'),
    caldav: toConnections('caldav'),
  };
  const { ofPerson, ofUser } = accountLimits;
  return { connections, limitReached: linked.length >= ofPerson || all.length >= ofUser };
}

function toConnection(account: Account, updates: AccountUpdates | undefined) {
  const { accountId, display, grantedScopes, calendarPermission, health, syncStateAt } = account;
  const firstSync = updates?.firstSync;
  return {
    id: accountId,
    display,
    grantedScopes,
    calendarPermissionGranted: calendarPermission ?? null,
    // Users can do nothing about an unavailable provider. `syncState` is only what they must do.
    syncState: syncStateOf(health),
    // Null until it first changes.
    syncStateUpdatedAt: syncStateAt === undefined ? null : instantText(syncStateAt),
    // Not in docs/wire.md 2.2.
    health: toConnectionHealth(health),
    updates: updates?.updates ?? 'polling',
    // When the calendar with the oldest sync last equaled the provider's. Null before that.
    lastSyncedAt: updates?.syncedAt === undefined ? null : instantText(updates.syncedAt),
    // Absent once all calendars were read.
    ...(firstSync && { firstSync: { ...firstSync, eventsExpected: firstSync.eventsExpected ?? null } }),
  };
}

/** Reason, actor and message are absent while the account is active. */
const toConnectionHealth = ({ state, reason, message, since }: AccountHealth) => ({
  state,
  ...(reason === undefined ? {} : { reason, actor: actorOf(reason) }),
  ...(message === undefined ? {} : { message }),
  since: instantText(since),
});

export const DISCONNECTION = {
  provider: required(oneOf(PROVIDER_KINDS, { doc: 'The provider of the account.', example: 'google' })),
  // Any other value, also an empty text of the body, would disconnect every account if it were read as absent.
  account: parsedText((accountId) => accountId || undefined, {
    absent: 'never',
    problem: 'must be a text that is not empty; omit it to disconnect all accounts of the provider',
    doc: 'The account’s id. Default: all accounts of the provider.',
    example: 'ada@example.com',
  }),
};

/** Disconnects accounts. An account that does not exist is no error. */
export async function disconnect(
  { provider, account: accountId, address }: Input<typeof DISCONNECTION> & { readonly address: string },
  grant: Grant,
  { accounts, log, now }: ConnectionDeps,
): Promise<{ success: true; message: string }> {
  const { clientId, userId, coverageId } = grant;
  const matches = (await accounts.accountsOf(grant)).filter(
    (account) => account.provider === provider && (accountId ?? account.accountId) === account.accountId,
  );
  const count = await accounts.disconnect({ clientId, userId, coverageId, provider, accountId }, now());
  for (const { accountKey } of count === 0 ? [] : matches) {
    const fields = { clientId, userId, accountKey, provider, address };
    log.info({ event: 'account_disconnected', ...fields }, 'An account was disconnected by its application');
  }
  const message = count === 0 ? 'The account did not exist' : `Disconnected accounts: ${count}`;
  return { success: true, message };
}

/** Returns whether the user has to reconnect (docs/wire.md 2.2). A missing calendar permission has its own field. */
export const syncStateOf = ({ state, reason }: AccountHealth): 'active' | 'reauth_required' =>
  state === 'reauth_required' && reason !== 'calendar_permission_missing' ? 'reauth_required' : 'active';
