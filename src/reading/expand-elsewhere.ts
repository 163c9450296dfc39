/** Expands a calendar's series: quickly on the main thread, otherwise in a thread of the pool. */
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import type { WorkPool } from '../lib/work-pool/work-pool.ts';
import {
  type CalendarTimes,
  type Expanded,
  expandCalendar,
  stepBudget,
  type Wanted,
} from './expand-calendar.ts';

/** The budget of a read on the main thread, a few milliseconds. It is counted down. */
export type MainThreadBudget = { steps: number; characters: number };

/** Returns the budget: `steps` as in RecurrenceBudget, `characters` of times to parse. */
export const mainThreadBudget = (): MainThreadBudget => ({ steps: 60_000, characters: 64_000 });

export type ExpandDeps = {
  /** Without a pool, the main thread does all work. */
  readonly readWork?: WorkPool | undefined;
};

/** Returns the expanded series; `undefined` if they exceed the remaining budget. */
export function expandHere(
  times: CalendarTimes,
  wanted: Wanted,
  budget: MainThreadBudget,
): Expanded | undefined {
  for (const { timings } of times.series) for (const timing of timings) budget.characters -= timing.length;
  if (budget.characters < 0 || budget.steps <= 0) return undefined;
  const steps = { ofSeries: budget.steps, ofCalendar: budget.steps };
  const expanded = expandCalendar({ ...times, wanted }, steps);
  budget.steps = steps.ofCalendar;
  return expanded.tooComplex.length > 0 || expanded.isOver ? undefined : expanded;
}

/** Milliseconds of CPU time for one calendar, far more than its steps should take. */
const PART_MS = 2_000;
/** The number of series that may stop a thread before the calendar counts as too complex. */
const MOST_STOPS = 3;

/** Expands like expandCalendar, with a read's budget. Throws 503 `temporarily_unavailable` without a usable thread. */
export async function expandElsewhere(
  times: CalendarTimes,
  wanted: Wanted,
  { readWork, owner }: ExpandDeps & { readonly owner: string },
): Promise<Expanded> {
  if (readWork === undefined) return expandCalendar({ ...times, wanted }, stepBudget());
  const tooComplex: number[] = [];
  let series = times.series;
  while (tooComplex.length < MOST_STOPS) {
    const progress = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const input: ExpandInput = { ...times, series, wanted, progress };
    const { parts, stopped } = await readWork.run<Expanded>({ name: EXPAND, input, owner, partMs: PART_MS });
    const [expanded] = parts;
    if (expanded !== undefined) return { ...expanded, tooComplex: [...tooComplex, ...expanded.tooComplex] };
    if (stopped?.isOfTask === false) throw new ApiError(ANY_CALL.temporarily_unavailable, { cause: stopped });
    const place = Atomics.load(new Int32Array(progress), 0);
    tooComplex.push(place);
    // A series without times costs nothing, and the indexes of the others stay the same.
    series = series.map((one, i) => (i === place ? { ...one, timings: [] } : one));
  }
  return { found: [], tooComplex, isOver: true };
}

/** The name of the task in the threads. */
export const EXPAND = 'expand';

export type ExpandInput = CalendarTimes & {
  readonly wanted: Wanted;
  /** The index of the current series, for the caller that stops the thread. */
  readonly progress: SharedArrayBuffer;
};

/** Yields the calendar's recurring events as one part. */
export function* expandTask({ progress, ...input }: ExpandInput): Generator<Expanded> {
  const place = new Int32Array(progress);
  yield expandCalendar(input, stepBudget(), (series) => Atomics.store(place, 0, series));
}
