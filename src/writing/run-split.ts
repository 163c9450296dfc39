/**
 * Implements `following`: creates a new series from one occurrence on, then ends the old one before it. Order and
 * journal prevent losses: nothing is removed before its replacement exists, every step can be repeated, and after a
 * crash the split is finished, or undone if the series changed (finish-open-splits.ts). The old series is read before
 * the new one is deleted, which may be the only later half. Attendees are invited last, when nothing can be undone.
 */
import { randomUUID } from 'node:crypto';

import type { EventResource } from '../calendars/event.ts';
import type { CopiedHalf, WriteResult } from '../calendars/event-writing.ts';
import { ProviderError, type ProviderErrorKind, UnsupportedByProvider } from '../calendars/provider-error.ts';
import { LEASE_MS } from '../sync/lease.ts';
import type { Turn } from './calendar-turn.ts';
import { planFollowing, readPlan, type SplitPlan, type SplitRequest } from './split-plan.ts';
import { findNewSeries, lookAtOld, makeNewSeries, type Split, trimSeries } from './split-steps.ts';
import type { WriteDeps } from './write-deps.ts';

export type SplitDeps = Pick<WriteDeps, 'splits' | 'now' | 'atStep' | 'log'>;

/** Returns the new series' id. Throws 400, and the provider's failure if nothing is unfinished. */
export async function splitSeries(request: SplitRequest, turn: Turn, deps: SplitDeps): Promise<string> {
  const { calendarKey, timeZone } = turn.calendar;
  const plan: JournalPlan = { ...planFollowing(request, timeZone), invitesLast: true };
  const split = { splitId: randomUUID(), plan, target: request.target };
  const open = { splitId: split.splitId, calendarKey, step: 'planned', plan: JSON.stringify(plan) } as const;
  await deps.splits.openSplit(open, deps.now(), deps.now() + LEASE_MS);
  await deps.atStep?.('planned');
  const [first] = await runSplit(split, turn, deps);
  if (first === undefined) throw new ProviderError('not_found', 'The new series was deleted in the meantime');
  return first.eventId;
}

/** Runs the remaining steps and returns the new series. It can be repeated at any point. */
export async function runSplit(split: Split, turn: Turn, deps: SplitDeps): Promise<readonly EventResource[]> {
  const { changed: copied, invitations } = await makeOrUndo(split, turn, deps);
  const newHref = split.plan.newHref ?? copied[0]?.href;
  if (newHref === undefined)
    throw new ProviderError('invalid_response', 'The provider returned no event for the new series');
  const created = { ...split, plan: { ...split.plan, newHref, invitations } };
  if (split.plan.newHref === undefined)
    await deps.splits.noteStep(split.splitId, 'created', JSON.stringify(created.plan));
  await deps.atStep?.('created');

  const trimming: JournalPlan = { ...created.plan, trimming: true };
  await deps.splits.noteStep(split.splitId, 'created', JSON.stringify(trimming));
  const old = await trimOrUndo(created, turn, deps);
  await deps.atStep?.('trimmed');
  // Both halves are complete. If the mirror has no space or time, the next sync brings them.
  const open = { splitId: split.splitId, plan: trimming };
  const series = invitations === undefined ? copied : ((await inviteOrWait(open, turn, deps)) ?? copied);
  if (invitations === undefined) await deps.splits.closeSplit(split.splitId);
  await turn.keep({ changed: [...old.changed, ...series], removed: old.removed });
  await deps.atStep?.('kept');
  return series;
}

/** Invites the attendees or leaves that to the job. Returns the new series, or undefined if it cannot be read. */
async function inviteOrWait(
  open: OpenPlan,
  turn: Turn,
  deps: SplitDeps,
): Promise<readonly EventResource[] | undefined> {
  const { splitId, plan } = open;
  await deps.splits.noteStep(splitId, 'inviting', JSON.stringify(plan));
  await deps.atStep?.('inviting');
  try {
    return (await invite(open, turn, deps)).changed;
  } catch (err) {
    if (!isProviderFailure(err)) throw err;
    deps.log.warn(
      { event: 'split_unfinished', splitId, step: 'inviting', err },
      'A split cannot be finished yet',
    );
  }
  return turn.writing.read(turn.calendar.href, plan.newHref ?? '').catch((err: unknown) => {
    if (!isProviderFailure(err)) throw err;
    return undefined;
  });
}

/** Returns whether the provider or its adapter failed, rather than this program or its database. */
const isProviderFailure = (reason: unknown): boolean =>
  reason instanceof ProviderError || reason instanceof UnsupportedByProvider;

/** After this many refusals by the provider, attendees are not invited. */
const MOST_REFUSALS = 10;

/** Invites the new series' attendees and closes the split. Throws the provider's refusal, except the tenth. */
export async function invite({ splitId, plan }: OpenPlan, turn: Turn, deps: SplitDeps): Promise<WriteResult> {
  const { newHref: href = '', invitations, refusals = 0 } = plan;
  let result: WriteResult = { changed: [], removed: [] };
  try {
    result = await turn.writing.inviteLater(turn.calendar.href, href, invitations);
    await deps.atStep?.('invited');
  } catch (err) {
    if (!isAnswered(err)) throw err;
    await deps.splits.noteStep(splitId, 'inviting', JSON.stringify({ ...plan, refusals: refusals + 1 }));
    if (refusals + 1 < MOST_REFUSALS) throw err;
    reportMissingAttendees({ splitId, plan, err }, turn, deps);
  }
  await deps.splits.closeSplit(splitId);
  return result;
}

export const reportMissingAttendees = (
  { splitId, plan: { newHref: href = '' }, err }: OpenPlan & { readonly err: unknown },
  { calendar }: Turn,
  { log }: SplitDeps,
): void =>
  log.error(
    { event: 'split_attendees_missing', splitId, calendar: calendar.href, href, err },
    'Attendees could not be invited to the later half of a split series',
  );

/** Returns whether the provider or its adapter refused the split, unlike a missing response or an account problem. */
export const isRefusal = (reason: unknown): boolean =>
  reason instanceof UnsupportedByProvider ||
  (reason instanceof ProviderError &&
    !isOfAccount(reason) &&
    reason.kind !== 'unavailable' &&
    reason.kind !== 'invalid_response');

/** Returns whether the provider answered, perhaps unreadably, so that the same request may fail forever. */
const isAnswered = (reason: unknown): boolean =>
  isRefusal(reason) ||
  (reason instanceof ProviderError && !isOfAccount(reason) && reason.kind === 'invalid_response');

/** Returns whether every request would fail for the same reason. */
export const isOfAccount = (reason: unknown): boolean =>
  reason instanceof ProviderError && (reason.notSent || OF_THE_ACCOUNT.has(reason.kind));

const OF_THE_ACCOUNT: ReadonlySet<ProviderErrorKind> = new Set([
  'unauthorized',
  'rate_limited',
  'misconfigured',
]);

async function makeOrUndo(
  split: Split,
  turn: Turn,
  deps: SplitDeps,
): Promise<Pick<CopiedHalf, 'changed' | 'invitations'>> {
  try {
    return await makeNewSeries(split, turn, deps.atStep);
  } catch (reason) {
    if (isRefusal(reason)) await undoUnlessTrimmed(split, turn, deps);
    else if (isOfAccount(reason) && isFirstRun(split.plan)) await closeUnlessBegun(split, turn, deps);
    throw reason;
  }
}

const isFirstRun = ({ runs }: JournalPlan): boolean => runs === undefined;

/** Closes the split if nothing was written, so that the caller may try again. Otherwise the job continues. */
async function closeUnlessBegun({ splitId, plan }: OpenPlan, turn: Turn, deps: SplitDeps): Promise<void> {
  try {
    const begun = await findNewSeries(plan, turn);
    if (begun === undefined) await deps.splits.closeSplit(splitId);
  } catch (err) {
    deps.log.warn({ event: 'split_unsure', splitId, err }, 'A split may have started and is finished later');
  }
}

/** Trims the old series. A refusal undoes the split, but is only logged if the old series has already ended. */
async function trimOrUndo(split: Split, turn: Turn, deps: SplitDeps): Promise<WriteResult> {
  try {
    return await trimSeries(split.plan, turn);
  } catch (reason) {
    // Without a response, the job that finishes the split must check whether it was trimmed.
    const ended = isRefusal(reason) ? await undoUnlessTrimmed(split, turn, deps) : undefined;
    if (ended === undefined || isConflict(reason)) throw reason;
    const { splitId, plan } = split;
    deps.log.warn(
      {
        event: 'split_cleanup_refused',
        splitId,
        calendar: turn.calendar.href,
        href: plan.seriesHref,
        err: reason,
      },
      'The provider refused to delete later exceptions of the earlier half of a split series',
    );
    const hrefs = new Set(ended.map(({ href }) => href));
    return { changed: ended, removed: plan.hrefs.filter((href) => !hrefs.has(href)) };
  }
}

/** Returns whether a repetition may succeed, because somebody changed the event at the same time. */
const isConflict = (reason: unknown): boolean =>
  reason instanceof ProviderError && reason.kind === 'precondition_failed';

export type JournalPlan = SplitPlan & {
  /** Whether the old series may already be trimmed. Earlier releases did not store it. */
  readonly trimming?: boolean;
  /** The number of runs with a provider response. */
  readonly runs?: number;
  /** Whether the new series is copied without attendees. Earlier releases invited them with the copy. */
  readonly invitesLast?: true;
  /** The number of refused invitations. */
  readonly refusals?: number;
};

type OpenPlan = { readonly splitId: string; readonly plan: JournalPlan };

/**
 * Undoes the split, or returns the old series if it has ended. Reads the journal again: if the lease was lost, another
 * process may have continued the split.
 */
async function undoUnlessTrimmed(
  { splitId }: OpenPlan,
  turn: Turn,
  deps: SplitDeps,
): Promise<readonly EventResource[] | undefined> {
  const all = await deps.splits.openSplits(turn.calendar.calendarKey);
  const open = all.find((other) => other.splitId === splitId);
  const plan = open && readPlan(open.plan);
  if (plan === undefined) return undefined;
  const old = await lookAtOld(plan, turn);
  // The refused request came after the trim.
  if (old.is === 'ended') return old.target.stored;
  if (old.is === 'gone' && plan.newHref !== undefined) await deps.splits.closeSplit(splitId);
  else await undo({ splitId, plan }, turn, deps);
  return undefined;
}

/** Deletes the new series if it exists. Call it only if the old series still has its later half. */
export async function undo({ splitId, plan }: OpenPlan, turn: Turn, deps: SplitDeps): Promise<void> {
  await deps.splits.noteStep(splitId, 'undoing', JSON.stringify(plan));
  await deps.atStep?.('undoing');
  const { calendar, writing, keep } = turn;
  const resources = await findNewSeries(plan, turn);
  const [master] = resources ?? [];
  if (resources !== undefined && master !== undefined) {
    const { href, etag } = master;
    const isQuiet = plan.invitesLast === true;
    const deletion = await writing.delete(calendar.href, { href, etag, stored: resources, isQuiet });
    await keep({ changed: [], removed: [...new Set([href, ...deletion.removed])] });
  }
  await deps.splits.closeSplit(splitId);
}
