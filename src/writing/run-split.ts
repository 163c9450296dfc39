/**
 * `following` on a series: a new series from one instance on, then the old one ends before it. The order and the journal
 * are what keeps it whole: nothing is taken away before its replacement is there, every step can be done again, and what
 * a crash leaves half done is finished, or undone when the series was changed meanwhile, before the next write of the
 * calendar or by a job.
 *
 *   planned ──▶ new series made, with its exceptions ──▶ created ──▶ old series trimmed ──▶ closed
 *      └──────────────────────────────┴─▶ undoing ──▶ new series deleted ──▶ closed
 */
import { randomUUID } from 'node:crypto';

import type { EventResource } from '../calendars/event.ts';
import type { WriteResult } from '../calendars/event-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../calendars/provider-error.ts';
import { LEASE_MS } from '../sync/lease.ts';
import type { Turn } from './calendar-turn.ts';
import { isTrimmed } from './series-rules.ts';
import { fingerprintOf, planOf, type SplitPlan, type SplitRequest, seriesIn } from './split-plan.ts';
import { makeNewSeries, trimSeries } from './split-steps.ts';
import type { WriteDeps } from './write-deps.ts';

type SplitDeps = Pick<WriteDeps, 'splits' | 'now' | 'atStep'>;

/** Answers the id of the new series. Throws 400, and what the provider failed with once nothing is half done. */
export async function splitSeries(request: SplitRequest, turn: Turn, deps: SplitDeps): Promise<string> {
  const { calendarKey, timeZone } = turn.calendar;
  const plan = planOf(request, timeZone);
  const split = { splitId: randomUUID(), plan };
  const open = { splitId: split.splitId, calendarKey, step: 'planned', plan: JSON.stringify(plan) } as const;
  await deps.splits.openSplit(open, deps.now(), deps.now() + LEASE_MS);
  await deps.atStep?.('planned');
  return runSplit(split, turn, deps);
}

/** A split that is in the journal. */
type Split = { readonly splitId: string; readonly plan: SplitPlan };

/** Does what is still to be done. Safe to call again at any point. */
async function runSplit(split: Split, turn: Turn, deps: SplitDeps): Promise<string> {
  const { splitId, plan } = split;
  let made: readonly EventResource[] = [];
  try {
    made = await makeNewSeries(plan, turn, deps.atStep);
  } catch (reason) {
    if (isRefusal(reason)) await undo(split, turn, deps);
    throw reason;
  }
  const [first] = made;
  if (first === undefined)
    throw new ProviderError('invalid_response', 'The provider answered no event for the new series');
  const created: Split = { splitId, plan: { ...plan, newHref: first.href } };
  await deps.splits.noteStep(splitId, 'created', JSON.stringify(created.plan));
  await deps.atStep?.('created');

  const old = await trimOrUndo(created, turn, deps);
  await deps.atStep?.('trimmed');
  await turn.keep({ changed: [...old.changed, ...made], removed: old.removed });
  await deps.atStep?.('kept');
  await deps.splits.closeSplit(splitId);
  return first.eventId;
}

/** Whether the provider or its adapter refused. No answer is no refusal. */
const isRefusal = (reason: unknown): boolean =>
  reason instanceof UnsupportedByProvider ||
  (reason instanceof ProviderError && reason.kind !== 'unavailable' && reason.kind !== 'invalid_response');

/** Trims the old series. What was changed meanwhile so that the plan no longer fits undoes the split. */
async function trimOrUndo(split: Split, turn: Turn, deps: SplitDeps): Promise<WriteResult> {
  try {
    return await trimSeries(split.plan, turn);
  } catch (reason) {
    // Without an answer nobody knows whether it was trimmed. The journal stays, and who finishes the split looks.
    if (isRefusal(reason)) await undo(split, turn, deps);
    throw reason;
  }
}

/** Takes the new series back. The old one was not touched. */
async function undo({ splitId, plan }: Split, turn: Turn, deps: SplitDeps): Promise<void> {
  await deps.splits.noteStep(splitId, 'undoing', JSON.stringify(plan));
  await deps.atStep?.('undoing');
  const { calendar, writing, keep } = turn;
  // A create by the same key answers the series that a lost answer may have left, and makes one to delete if none did.
  const href = plan.newHref ?? (await createdHref(plan, turn));
  const resources = href === undefined ? undefined : await writing.read(calendar.href, href);
  if (href !== undefined && resources !== undefined) {
    const gone = await writing.delete(calendar.href, { href, etag: resources[0]?.etag, stored: resources });
    await keep({ changed: [], removed: [...new Set([href, ...gone.removed])] });
  }
  await deps.splits.closeSplit(splitId);
}

/** `undefined` when the provider refuses to make it: then it did not make it before either. */
async function createdHref(
  { draft, key }: SplitPlan,
  { writing, calendar }: Turn,
): Promise<string | undefined> {
  try {
    return (await writing.create(calendar.href, draft, key)).changed[0]?.href;
  } catch (reason) {
    if (isRefusal(reason)) return undefined;
    throw reason;
  }
}

/** Finishes or undoes what is half done in the calendar. Throws what the provider failed with. */
export async function finishOpenSplits(turn: Turn, deps: SplitDeps): Promise<void> {
  for (const { splitId, step, plan: text } of await deps.splits.openSplits(turn.calendar.calendarKey)) {
    // Written by splitSeries in this shape.
    const plan: SplitPlan = JSON.parse(text);
    const split = { splitId, plan };
    if (step === 'undoing' || !(await stillFits(plan, turn))) {
      await undo(split, turn, deps);
      continue;
    }
    try {
      await runSplit(split, turn, deps);
    } catch (reason) {
      // It was undone for that: the calendar is whole, and whoever asked for the split is long gone.
      if (!isRefusal(reason)) throw reason;
    }
  }
}

/** Whether the old series is as the plan found it, or trimmed as it wanted. */
async function stillFits(plan: SplitPlan, { writing, calendar }: Turn): Promise<boolean> {
  const series = seriesIn((await writing.read(calendar.href, plan.seriesHref)) ?? []);
  if (series === undefined) return false;
  return isTrimmed(series.master, plan) || fingerprintOf(series, plan) === plan.from;
}
