/** What a read could not bring up to date, as its answer tells it (beside wire 2.4 and 2.5). */

import { healthAfter } from '../calendars/health.ts';
import { type Actor, actorOf, type HealthReason } from '../calendars/health-reason.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import { type CalendarChoice, chosenOf } from './calendar-choice.ts';
import type { MirroredAccount } from './event-reader.ts';

export type ReadProblem = {
  readonly provider: ProviderKind;
  /** The account's id on the wire. */
  readonly account: string;
  /** `reauth_required`, `sync_in_progress`, or what the provider failed with, such as `unavailable`. */
  readonly code: string;
  readonly message: string;
  /** The exact cause and who must act, where something failed. */
  readonly reason?: HealthReason;
  readonly actor?: Actor;
};

type Read = {
  readonly eventAge: number | undefined;
  readonly choice: CalendarChoice;
};

/** One for each account that is not served as it should be: the worst that can be said of it. */
export function problemsOf(accounts: readonly MirroredAccount[], read: Read): ReadProblem[] {
  return accounts.flatMap((account) => {
    const problem = problemOf(account, read);
    return problem === undefined
      ? []
      : [{ provider: account.provider, account: account.accountId, ...problem }];
  });
}

function problemOf(account: MirroredAccount, { eventAge, choice }: Read) {
  if (account.calendarPermission === false) {
    return {
      code: 'calendar_permission_required',
      message: 'This account was connected without access to its calendars',
      ...causeOf('calendar_permission_missing'),
    };
  }
  if (account.health.state === 'reauth_required') {
    const { message, reason } = account.health;
    return {
      code: 'reauth_required',
      message: message ?? 'The provider refused the account; the user must connect it again',
      ...causeOf(reason),
    };
  }
  const read = eventAge === undefined ? [] : chosenOf(account, choice);
  const things = [account, ...read];
  const failed = things.find(({ failure }) => failure !== undefined)?.failure;
  if (failed !== undefined) {
    const reason = healthAfter(failed, account.provider)?.reason;
    return { code: codeOf(failed), message: failed.message, ...causeOf(reason) };
  }
  if (things.every(({ syncedAt }) => syncedAt !== undefined)) return undefined;
  return {
    code: 'sync_in_progress',
    message: 'The calendars of this account are being read for the first time',
  };
}

const causeOf = (reason: HealthReason | undefined) =>
  reason === undefined ? {} : { reason, actor: actorOf(reason) };

const codeOf = ({ kind }: SyncFailure): string => (kind === 'unauthorized' ? 'reauth_required' : kind);
