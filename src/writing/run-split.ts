/**
 * `following` on a series: a new series from one instance on, then the old one ends before it. The order and the journal
 * are what keeps it whole: nothing is taken away before its replacement is there, every step can be done again, and what
 * a crash leaves half done is finished, or undone when the series was changed meanwhile (finish-open-splits.ts). Before
 * the new series is deleted the old one is looked at: where that has ended already, or is gone, the new one is all there
 * is of the later half.
 *
 *   planned ──▶ new series copied, with its exceptions ──▶ created ──▶ old series trimmed ──▶ closed
 *      └──────────────────────────────┴─▶ undoing ──▶ new series deleted ──▶ closed
 */
import { randomUUID } from 'node:crypto';

import type { EventResource } from '../calendars/event.ts';
import type { WriteResult } from '../calendars/event-writing.ts';
import { ProviderError, type ProviderErrorKind, UnsupportedByProvider } from '../calendars/provider-error.ts';
import { LEASE_MS } from '../sync/lease.ts';
import type { Turn } from './calendar-turn.ts';
import { planOf, readPlan, type SplitPlan, type SplitRequest } from './split-plan.ts';
import { findNewSeries, lookAtOld, makeNewSeries, type Split, trimSeries } from './split-steps.ts';
import type { WriteDeps } from './write-deps.ts';

export type SplitDeps = Pick<WriteDeps, 'splits' | 'now' | 'atStep' | 'log'>;

/** Answers the id of the new series. Throws 400, and what the provider failed with once nothing is half done. */
export async function splitSeries(request: SplitRequest, turn: Turn, deps: SplitDeps): Promise<string> {
  const { calendarKey, timeZone } = turn.calendar;
  const plan = planOf(request, timeZone);
  const split = { splitId: randomUUID(), plan, target: request.target };
  const open = { splitId: split.splitId, calendarKey, step: 'planned', plan: JSON.stringify(plan) } as const;
  await deps.splits.openSplit(open, deps.now(), deps.now() + LEASE_MS);
  await deps.atStep?.('planned');
  const [first] = await runSplit(split, turn, deps);
  if (first === undefined) throw new ProviderError('not_found', 'The new series was deleted meanwhile');
  return first.eventId;
}

/** Does what is still to be done, and answers the new series. Safe to call again at any point. */
export async function runSplit(split: Split, turn: Turn, deps: SplitDeps): Promise<readonly EventResource[]> {
  const made = await makeOrUndo(split, turn, deps);
  const newHref = split.plan.newHref ?? made[0]?.href;
  if (newHref === undefined)
    throw new ProviderError('invalid_response', 'The provider answered no event for the new series');
  const created = { ...split, plan: { ...split.plan, newHref } };
  if (split.plan.newHref === undefined)
    await deps.splits.noteStep(split.splitId, 'created', JSON.stringify(created.plan));
  await deps.atStep?.('created');

  const trimming: JournalPlan = { ...created.plan, trimming: true };
  await deps.splits.noteStep(split.splitId, 'created', JSON.stringify(trimming));
  const old = await trimOrUndo(created, turn, deps);
  await deps.atStep?.('trimmed');
  // Both halves are whole. What the mirror has no room for, or no time, the next sync brings.
  await deps.splits.closeSplit(split.splitId);
  await turn.keep({ changed: [...old.changed, ...made], removed: old.removed });
  await deps.atStep?.('kept');
  return made;
}

/** Whether the provider or its adapter refused the split. No answer is no refusal, nor is what the account would meet anyway. */
export const isRefusal = (reason: unknown): boolean =>
  reason instanceof UnsupportedByProvider ||
  (reason instanceof ProviderError &&
    !isOfAccount(reason) &&
    reason.kind !== 'unavailable' &&
    reason.kind !== 'invalid_response');

/** Whether any other request would fail of it too. */
export const isOfAccount = (reason: unknown): boolean =>
  reason instanceof ProviderError && (reason.notSent || OF_THE_ACCOUNT.has(reason.kind));

const OF_THE_ACCOUNT: ReadonlySet<ProviderErrorKind> = new Set([
  'unauthorized',
  'rate_limited',
  'misconfigured',
]);

async function makeOrUndo(split: Split, turn: Turn, deps: SplitDeps): Promise<readonly EventResource[]> {
  try {
    return await makeNewSeries(split, turn, deps.atStep);
  } catch (reason) {
    if (isRefusal(reason)) await undoUnlessTrimmed(split, turn, deps);
    else if (isOfAccount(reason) && isFirstRun(split.plan)) await closeUnlessBegun(split, turn, deps);
    throw reason;
  }
}

const isFirstRun = ({ runs }: JournalPlan): boolean => runs === undefined;

/** Nothing was written: who asked is told so, and may ask again. Otherwise, or if nobody can look, the job goes on. */
async function closeUnlessBegun({ splitId, plan }: OpenPlan, turn: Turn, deps: SplitDeps): Promise<void> {
  try {
    const begun = await findNewSeries(plan, turn);
    if (begun === undefined) await deps.splits.closeSplit(splitId);
  } catch (err) {
    deps.log.warn(
      { event: 'split_unsure', splitId, err },
      'A split may have been begun, and is finished later',
    );
  }
}

/** Trims the old series. A refusal undoes the split, unless it came when the old series had ended already. */
async function trimOrUndo(split: Split, turn: Turn, deps: SplitDeps): Promise<WriteResult> {
  try {
    return await trimSeries(split.plan, turn);
  } catch (reason) {
    // Without an answer nobody knows whether it was trimmed. The journal stays, and who finishes the split looks.
    if (isRefusal(reason)) await undoUnlessTrimmed(split, turn, deps);
    throw reason;
  }
}

/** A plan as it is in the journal. */
export type JournalPlan = SplitPlan & {
  /** The old series may be trimmed already. Earlier releases did not note it. */
  readonly trimming?: boolean;
  /** How often it was to be finished while the provider answered. */
  readonly runs?: number;
};

type OpenPlan = Pick<Split, 'splitId' | 'plan'>;

/** By the journal as it is now: where the turn was lost, another process may have gone on with the split. */
async function undoUnlessTrimmed({ splitId }: OpenPlan, turn: Turn, deps: SplitDeps): Promise<void> {
  const all = await deps.splits.openSplits(turn.calendar.calendarKey);
  const open = all.find((other) => other.splitId === splitId);
  const plan = open && readPlan(open.plan);
  if (plan === undefined) return;
  const old = await lookAtOld(plan, turn);
  // The refusal was of a request behind the trim. The journal stays: what is left of the split is done later.
  if (old.is === 'ended') return;
  if (old.is === 'gone' && plan.newHref !== undefined) await deps.splits.closeSplit(splitId);
  else await undo({ splitId, plan }, turn, deps);
}

/** Takes the new series back, if it is there. Only for an old series that still has its later half. */
export async function undo({ splitId, plan }: OpenPlan, turn: Turn, deps: SplitDeps): Promise<void> {
  await deps.splits.noteStep(splitId, 'undoing', JSON.stringify(plan));
  await deps.atStep?.('undoing');
  const { calendar, writing, keep } = turn;
  const resources = await findNewSeries(plan, turn);
  const [master] = resources ?? [];
  if (resources !== undefined && master !== undefined) {
    const { href, etag } = master;
    const gone = await writing.delete(calendar.href, { href, etag, stored: resources });
    await keep({ changed: [], removed: [...new Set([href, ...gone.removed])] });
  }
  await deps.splits.closeSplit(splitId);
}
