/** Finishes, undoes or closes splits that are half done, depending on the present state of the old series. */
import { ApiError } from '../http/refusal.ts';
import type { Turn } from './calendar-turn.ts';
import {
  invite,
  isOfAccount,
  isRefusal,
  type JournalPlan,
  runSplit,
  type SplitDeps,
  undo,
} from './run-split.ts';
import type { OpenSplit, SplitStep } from './split-journal.ts';
import { readPlan, type SplitPlan } from './split-plan.ts';
import { lookAtOld, type OldSeries } from './split-steps.ts';

/** A split that could not be finished now. */
export type UnfinishedSplit = {
  /** The hrefs of both series. */
  readonly hrefs: readonly string[];
  readonly reason: unknown;
};

/** After this many failed runs to which the provider responded, a split is undone, and after as many more closed. */
const MOST_RUNS = 10;

/**
 * Finishes or undoes the calendar's open splits, and returns those that fail because of their series: they are left to
 * the job, and block no write of other events. Throws failures that concern the whole account.
 */
export async function finishOpenSplits(turn: Turn, deps: SplitDeps): Promise<readonly UnfinishedSplit[]> {
  const { calendarKey } = turn.calendar;
  const unfinished: UnfinishedSplit[] = [];
  for (const open of await deps.splits.openSplits(calendarKey)) {
    try {
      await finishSplit(open, turn, deps);
    } catch (reason) {
      const left = (await deps.splits.openSplits(calendarKey)).find(
        ({ splitId }) => splitId === open.splitId,
      );
      // It was undone because of the failure: the calendar is whole, and the caller who requested the split has left.
      if (left === undefined && isRefusal(reason)) continue;
      if (left === undefined || endsTurn(reason)) throw reason;
      deps.log.warn(
        { event: 'split_unfinished', splitId: open.splitId, step: left.step, err: reason },
        'A split cannot be finished yet',
      );
      unfinished.push({ hrefs: hrefsOf(left), reason });
    }
  }
  return unfinished;
}

/** Returns whether the next request would fail for the same reason, or the lease is lost. */
const endsTurn = (reason: unknown): boolean => reason instanceof ApiError || isOfAccount(reason);

function hrefsOf({ step, plan: text }: OpenSplit): readonly string[] {
  const plan = readPlan(text);
  if (plan === undefined) return [];
  // The old series is done.
  if (step === 'inviting') return plan.newHref === undefined ? [] : [plan.newHref];
  return [plan.seriesHref, ...plan.hrefs, ...(plan.newHref === undefined ? [] : [plan.newHref])];
}

async function finishSplit(
  { splitId, step, plan: text }: OpenSplit,
  turn: Turn,
  deps: SplitDeps,
): Promise<void> {
  const planned: JournalPlan | undefined = readPlan(text);
  if (planned === undefined) {
    deps.log.error(
      { event: 'split_given_up', splitId, step },
      'A split is given up: nobody can read its plan',
    );
    await deps.splits.closeSplit(splitId);
    return;
  }
  if (step === 'inviting') return turn.keep(await invite({ splitId, plan: planned }, turn, deps));
  const old = await lookAtOld(planned, turn);
  // Counted only now that the provider responds: nothing is given up while it is unreachable.
  const plan = { ...planned, runs: (planned.runs ?? 0) + 1 };
  await deps.splits.noteStep(splitId, step, JSON.stringify(plan));
  const way = chooseStep(step, plan, old);
  if (way === 'run' && old.is !== 'gone') {
    await runSplit({ splitId, plan, target: old.target }, turn, deps);
  } else if (way === 'undo') {
    await undo({ splitId, plan }, turn, deps);
  } else {
    deps.log.warn(
      { event: 'split_closed', splitId, step, old: old.is },
      'A split is closed: both series stay as they are',
    );
    await deps.splits.closeSplit(splitId);
  }
}

/**
 * Chooses how to continue. If the old series may be trimmed, the new series stays: it may be all there is of the later
 * half.
 */
function chooseStep(step: SplitStep, plan: JournalPlan, { is }: OldSeries): 'run' | 'undo' | 'close' {
  const { runs = 0, newHref } = plan;
  if (runs > 2 * MOST_RUNS) return 'close';
  if (is === 'gone' && newHref !== undefined) return 'close';
  if (is === 'ended') return 'run';
  if (is === 'changed' && step !== 'undoing' && plan.trimming === true) return 'close';
  const canRun = is === 'as planned' && step !== 'undoing' && runs <= MOST_RUNS && isToBeMade(plan);
  return canRun ? 'run' : 'undo';
}

/** Plans of earlier releases do not say how to copy: for them, only a created series is finished. */
const isToBeMade = ({ later, newHref }: SplitPlan): boolean => later !== undefined || newHref !== undefined;
