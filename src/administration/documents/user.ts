/** A user of an application, and the accounts of one, as operators see them. */

import type { Account } from '../../calendars/account-store.ts';
import { isCalendarLink } from '../../calendars/account-store.ts';
import type { HealthEvent } from '../../calendars/health-history.ts';
import type { HealthReason } from '../../calendars/health-reason.ts';
import { dashboardMessages as messages } from '../../dashboard/messages/messages.ts';
import type { LivingGrant, UserSummary } from '../../oauth/user-store.ts';
import type { AccountWithHealth } from '../../user-data/accounts-by-health.ts';
import { findResponsible } from '../../user-data/responsible-party.ts';
import type { FoundUser } from '../../user-data/user-directory.ts';
import type { AccountUpdates, FirstSync } from '../../watches/watch-store.ts';
import { type DocumentField, toDocument, toTime, within } from './field.ts';

type Dates = Pick<UserSummary, 'createdAt' | 'lastSeenAt'>;

const DATES: readonly DocumentField<Dates>[] = [
  { name: 'created_at', label: 'created', value: ({ createdAt }) => toTime(createdAt) },
  { name: 'last_seen_at', label: 'last seen', value: ({ lastSeenAt }) => toTime(lastSeenAt) },
];

export const USER: readonly DocumentField<UserSummary>[] = [
  { name: 'client_id', label: 'client_id', value: ({ clientId }) => clientId },
  { name: 'user_id', label: 'user_id', value: ({ userId }) => userId },
  { name: 'account_count', value: ({ accounts }) => accounts },
  { name: 'grant_count', label: 'active grants', value: ({ grants }) => grants },
  ...DATES,
];

export const FOUND_USER: readonly DocumentField<FoundUser>[] = [
  { name: 'client_id', value: ({ clientId }) => clientId },
  { name: 'user_id', value: ({ userId }) => userId },
  { name: 'account', value: ({ address }) => address ?? null, text: ({ address = '' }) => address },
  { name: 'account_count', value: ({ accounts }) => accounts },
  { name: 'ailing_count', head: 'NEED ATTENTION', value: ({ ailing }) => ailing },
  { name: 'grant_count', value: ({ grants }) => grants },
  ...DATES,
];

export const GRANT: readonly DocumentField<LivingGrant>[] = [
  { name: 'scope', value: ({ scope }) => scope },
  { name: 'created_at', value: ({ createdAt }) => toTime(createdAt) },
  { name: 'last_used_at', value: ({ refreshedAt }) => toTime(refreshedAt) },
];

/** An account, or an event in its history. `hasOwnApp`: the application has its own app at the provider. */
type Reasoned<T> = T & { readonly hasOwnApp: boolean };

const turn = (reason: HealthReason | undefined, hasOwnApp: boolean) =>
  reason === undefined ? null : findResponsible(reason, hasOwnApp);

/** Returns how to fix an account with this problem, as the dashboard says it. */
export const fixText = (reason: HealthReason): string => messages.text(`reason.${reason}.mends`);

const HEALTH: readonly DocumentField<Reasoned<Pick<Account, 'health'>>>[] = [
  { name: 'state', value: ({ health }) => health.state },
  { name: 'reason', value: ({ health }) => health.reason ?? null },
  {
    name: 'message',
    label: '  message',
    value: ({ health }) => health.message ?? null,
    text: ({ health }) => health.message,
  },
  { name: 'since', value: ({ health }) => toTime(health.since) },
  {
    name: 'turn',
    head: 'ACTION BY',
    label: '  action by',
    value: ({ health, hasOwnApp }) => turn(health.reason, hasOwnApp),
    text: ({ health: { reason }, hasOwnApp }) =>
      reason && messages.text(`turn.${findResponsible(reason, hasOwnApp)}`),
  },
];

/** Returns the provider of an account as text has it; a published calendar says that it is one. */
const accountKind = (account: Pick<Account, 'accountId' | 'provider'>): string =>
  isCalendarLink(account) ? messages.text('provider.calendar_link') : account.provider;

export const UNHEALTHY_ACCOUNT: readonly DocumentField<Reasoned<AccountWithHealth>>[] = [
  { name: 'client_id', value: ({ clientId }) => clientId },
  { name: 'user_id', value: ({ userId }) => userId },
  { name: 'key', value: ({ accountKey }) => accountKey },
  { name: 'provider', value: ({ provider }) => provider, text: accountKind },
  { name: 'display', value: ({ display }) => display },
  ...HEALTH,
];

export const HEALTH_EVENT: readonly DocumentField<Reasoned<HealthEvent>>[] = [
  { name: 'at', value: ({ at }) => toTime(at) },
  { name: 'happened', value: ({ happened }) => happened },
  { name: 'reason', value: ({ reason }) => reason ?? null },
  { name: 'message', value: ({ message }) => message ?? null },
  { name: 'turn', value: ({ reason, hasOwnApp }) => turn(reason, hasOwnApp) },
];

const FIRST_SYNC: readonly DocumentField<FirstSync>[] = [
  { name: 'calendars', value: ({ calendars }) => calendars },
  { name: 'calendars_read', value: ({ calendarsRead }) => calendarsRead },
  { name: 'events', value: ({ events }) => events },
  { name: 'events_expected', value: ({ eventsExpected }) => eventsExpected ?? null },
];

/** Returns the progress of a first sync, as the dashboard says it. */
export function firstSyncText({ eventsExpected: expected = 0, ...counts }: FirstSync): string {
  const calendars = messages.text('first_sync.calendars', counts);
  if (counts.calendars === 0) return calendars;
  return `${calendars}, ${messages.text('first_sync.events', { ...counts, expected })}`;
}

/** An account with what the page of its user shows of it. */
export type AccountSubject = Reasoned<{
  readonly account: Account;
  readonly updates: AccountUpdates | undefined;
  /** The newest first. */
  readonly history: readonly HealthEvent[];
}>;

export const ACCOUNT: readonly DocumentField<AccountSubject>[] = [
  {
    name: 'provider',
    label: 'account',
    value: ({ account }) => account.provider,
    text: ({ account }) => {
      const { display, health } = account;
      return `${accountKind(account)}: ${display} (${[health.state, health.reason ?? []].flat().join(', ')})`;
    },
  },
  { name: 'key', label: '  key', value: ({ account }) => account.accountKey },
  { name: 'id', value: ({ account }) => account.accountId },
  { name: 'display', value: ({ account }) => account.display },
  ...within(HEALTH, ({ account, hasOwnApp }: AccountSubject) => ({ ...account, hasOwnApp })),
  {
    name: 'mends',
    label: '  how to fix it',
    value: ({ account: { health } }) => (health.reason ? fixText(health.reason) : null),
    text: ({ account: { health } }) => health.reason && fixText(health.reason),
  },
  { name: 'linked_at', value: ({ account }) => toTime(account.linkedAt) },
  {
    name: 'synced_at',
    label: '  last sync',
    value: ({ updates }) => toTime(updates?.syncedAt),
    text: ({ updates }) => toTime(updates?.syncedAt) ?? 'not yet',
  },
  {
    name: 'first_sync',
    label: '  first sync',
    value: ({ updates }) => (updates?.firstSync ? toDocument(FIRST_SYNC, updates.firstSync) : null),
    text: ({ updates }) => updates?.firstSync && firstSyncText(updates.firstSync),
  },
  { name: 'updates', label: '  updates', value: ({ updates }) => updates?.updates ?? 'polling' },
  {
    name: 'history',
    value: ({ history, hasOwnApp }) =>
      history.map((event) => toDocument(HEALTH_EVENT, { ...event, hasOwnApp })),
  },
];
