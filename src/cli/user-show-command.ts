/** `kalends user show`: one user, with what happened to each account and what mends it. */
import type { Account } from '../calendars/account-store.ts';
import type { HealthEvent } from '../calendars/health-history.ts';
import type { ShownUser } from '../dashboard/pages/shown-user.ts';
import { readUser } from '../dashboard/users.ts';
import { instantText } from '../lib/rendered-json.ts';
import { turnOf } from '../user-data/whose-turn.ts';
import { CLIENT_ID } from './client-commands.ts';
import type { Command } from './command.ts';
import { mendingOf } from './shown-trouble.ts';
import { tabulate } from './table.ts';
import { findUser, USER_ID, usersDeps } from './user-argument.ts';
import { userDocument } from './user-list-command.ts';

/** So many events of an account are shown to people; documents have all. */
const NEWEST_EVENTS = 5;

export const userShow: Command = {
  name: 'user show',
  summary: 'Show one user, the linked accounts and what happened to them',
  positionals: [CLIENT_ID, USER_ID],
  options: [],
  notes: [
    'Of each account the newest events are shown, and with --json all that are kept: 100 at most, for 90 days.',
  ],
  run: ({ positionals }, context) =>
    context.withStorage(async (storage) => {
      const { clientId, userId } = await findUser(storage, positionals);
      const shown = await readUser('command line', { clientId, userId }, usersDeps(storage, context));
      const document = {
        ...userDocument(shown.user),
        accounts: shown.accounts.map((account) => accountDocument(account, shown)),
        grants: shown.grants.map(({ scope, createdAt, refreshedAt }) => ({
          scope,
          created_at: instantText(createdAt),
          last_used_at: instantText(refreshedAt),
        })),
      };
      return { json: document, text: tabulate(rowsOf(shown)) };
    }),
};

function rowsOf(shown: ShownUser): string[][] {
  const { user, accounts, grants } = shown;
  return [
    ['client_id', user.clientId],
    ['user_id', user.userId],
    ['created', instantText(user.createdAt)],
    ['last seen', instantText(user.lastSeenAt)],
    ['living grants', String(user.grants)],
    ...grants.map(({ scope, createdAt, refreshedAt }) => [
      'grant',
      `${scope}, since ${instantText(createdAt)}, last used ${instantText(refreshedAt)}`,
    ]),
    ...accounts.flatMap((account) => accountRows(account, shown)),
  ];
}

function accountRows(account: Account, { ownApps, history, updates }: ShownUser): string[][] {
  const { accountKey, provider, display, health } = account;
  const hasOwnApp = ownApps.has(provider);
  const { syncedAt, updates: by } = updates.get(accountKey) ?? {};
  const synced = syncedAt === undefined ? 'not yet' : instantText(syncedAt);
  const { reason, message } = health;
  const trouble =
    reason === undefined
      ? []
      : [
          ...(message === undefined ? [] : [['  what happened', message]]),
          ['  whose turn', turnOf(reason, hasOwnApp)],
          ['  what mends it', mendingOf(reason)],
        ];
  return [
    ['account', `${provider}: ${display} (${health.state}${reason ? `, ${reason}` : ''})`],
    ['  key', accountKey],
    ['  synced', `${synced}, by ${by === 'push' ? 'push' : 'polling'}`],
    ...trouble,
    ...(history.get(accountKey) ?? [])
      .slice(0, NEWEST_EVENTS)
      .map(({ happened, reason: why, at }) => [
        '  history',
        `${instantText(at)} ${happened}${why ? `, ${why}` : ''}`,
      ]),
  ];
}

function accountDocument(account: Account, { ownApps, history, updates }: ShownUser) {
  const { provider, accountKey, accountId, display, health, linkedAt } = account;
  const hasOwnApp = ownApps.has(provider);
  const { syncedAt, updates: by } = updates.get(accountKey) ?? {};
  const { reason } = health;
  return {
    provider,
    key: accountKey,
    id: accountId,
    display,
    state: health.state,
    reason: reason ?? null,
    message: health.message ?? null,
    since: instantText(health.since),
    turn: reason === undefined ? null : turnOf(reason, hasOwnApp),
    mends: reason === undefined ? null : mendingOf(reason),
    linked_at: instantText(linkedAt),
    synced_at: syncedAt === undefined ? null : instantText(syncedAt),
    updates: by ?? 'polling',
    history: (history.get(accountKey) ?? []).map((event) => eventDocument(event, hasOwnApp)),
  };
}

const eventDocument = ({ happened, reason, message, at }: HealthEvent, hasOwnApp: boolean) => ({
  at: instantText(at),
  happened,
  reason: reason ?? null,
  message: message ?? null,
  turn: reason === undefined ? null : turnOf(reason, hasOwnApp),
});
