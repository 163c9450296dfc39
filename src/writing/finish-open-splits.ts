/** Finishes, undoes or closes unfinished splits, depending on the state of the old series. */
import { ApiError } from '../http/refusal.ts';
import type { Turn } from './calendar-turn.ts';
import {
  invite,
  isOfAccount,
  isRefusal,
  type JournalPlan,
  reportMissingAttendees,
  runSplit,
  type SplitDeps,
  undo,
} from './run-split.ts';
import type { OpenSplit, SplitStep } from './split-journal.ts';
import { readPlan, type SplitPlan } from './split-plan.ts';
import { findNewSeries, lookAtOld, type OldSeries } from './split-steps.ts';

/** A split that cannot be finished now. */
export type UnfinishedSplit = {
  readonly hrefs: readonly string[];
  readonly reason: unknown;
};

/** The failed runs with a provider response after which a split is undone; after as many more it is closed. */
const MOST_RUNS = 10;

/** Finishes or undoes open splits. Returns those left to the job; throws failures of the whole account. */
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
      // The failure undid it: the calendar is complete, and the caller who requested the split has left.
      if (left === undefined && isRefusal(reason)) continue;
      if (left === undefined || endsTurn(reason)) throw reason;
      deps.log.warn(
        { event: 'split_unfinished', splitId: open.splitId, step: left.step, err: reason },
        'A split cannot be finished yet',
      );
      unfinished.push({ hrefs: listSplitHrefs(left), reason });
    }
  }
  return unfinished;
}

/** Returns whether the next request would fail for the same reason, or the lease is lost. */
const endsTurn = (reason: unknown): boolean => reason instanceof ApiError || isOfAccount(reason);

function listSplitHrefs({ step, plan: text }: OpenSplit): readonly string[] {
  const plan = readPlan(text);
  if (plan === undefined) return [];
  // The old series is complete.
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
      'A split was given up: its plan cannot be read',
    );
    await deps.splits.closeSplit(splitId);
    return;
  }
  if (step === 'inviting') return turn.keep(await invite({ splitId, plan: planned }, turn, deps));
  const old = await lookAtOld(planned, turn);
  // Counted after a response only: nothing is given up while the provider is unreachable.
  const plan = { ...planned, runs: (planned.runs ?? 0) + 1 };
  await deps.splits.noteStep(splitId, step, JSON.stringify(plan));
  const next = chooseStep(step, plan, old);
  // If somebody deleted the new series, the old one keeps its later half.
  const way = next === 'run' && old.is === 'as planned' && (await isNewDeleted(plan, turn)) ? 'undo' : next;
  if (way === 'run' && old.is !== 'gone') {
    await runSplit({ splitId, plan, target: old.target }, turn, deps);
  } else if (way === 'undo') {
    await undo({ splitId, plan }, turn, deps);
  } else if (old.is === 'ended' && plan.invitations !== undefined) {
    // Only the clean-up of the old series fails.
    await deps.splits.noteStep(splitId, 'inviting', JSON.stringify(plan));
    await turn.keep(await invite({ splitId, plan }, turn, deps));
  } else {
    deps.log.warn(
      { event: 'split_closed', splitId, step, old: old.is },
      'A split was closed: both series stay as they are',
    );
    if (plan.invitations !== undefined) reportMissingAttendees({ splitId, plan, err: undefined }, turn, deps);
    await deps.splits.closeSplit(splitId);
  }
}

const isNewDeleted = async (plan: SplitPlan, turn: Turn): Promise<boolean> =>
  plan.newHref !== undefined && (await findNewSeries(plan, turn)) === undefined;

/** Chooses how to continue. Once the old series may be trimmed, the new one may be the only later half, so it stays. */
function chooseStep(step: SplitStep, plan: JournalPlan, { is }: OldSeries): 'run' | 'undo' | 'close' {
  const { runs = 0, newHref } = plan;
  if (runs > 2 * MOST_RUNS) return 'close';
  if (is === 'gone' && newHref !== undefined) return 'close';
  if (is === 'ended') return 'run';
  if (is === 'changed' && step !== 'undoing' && plan.trimming === true) return 'close';
  const canRun = is === 'as planned' && step !== 'undoing' && runs <= MOST_RUNS && canCreateNewSeries(plan);
  return canRun ? 'run' : 'undo';
}

/** Plans of earlier releases cannot be copied: only their existing new series is finished. */
const canCreateNewSeries = ({ later, newHref }: SplitPlan): boolean =>
  later !== undefined || newHref !== undefined;
