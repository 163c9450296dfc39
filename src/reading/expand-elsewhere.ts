/** Expands a calendar's series: on the main thread if it takes a moment, otherwise in a thread of the pool. */
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import type { WorkPool } from '../lib/work-pool/work-pool.ts';
import {
  type CalendarTimes,
  type Expanded,
  expandCalendar,
  stepBudget,
  type Wanted,
} from './expand-calendar.ts';

/** The remaining work of the main thread for a read: a few milliseconds. Counted down. */
export type MainThreadBudget = { steps: number; characters: number };

/** `steps` as a RecurrenceBudget has them; `characters` of times to be parsed. */
export const mainThreadBudget = (): MainThreadBudget => ({ steps: 60_000, characters: 64_000 });

export type ExpandDeps = {
  /** Without a pool, the main thread does all the work. */
  readonly readWork?: WorkPool | undefined;
};

/** Returns the expanded series; `undefined` if they take more than the main thread has left. */
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

/** Milliseconds of processor time that one calendar of a read may take: far more than its budget of steps should. */
const PART_MS = 2_000;
/** Series that may stop a thread before the whole calendar counts as too complex. */
const MOST_STOPS = 3;

/**
 * Expands as expandCalendar does with the budget of a read. A series at which a thread had to be stopped is too complex
 * as well. Throws 503 `temporarily_unavailable` if no thread is free in time, threads stall or do not start, or the
 * service stops.
 */
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
    // Without times the series costs nothing. The places of the others stay the same.
    series = series.map((one, i) => (i === place ? { ...one, timings: [] } : one));
  }
  return { found: [], tooComplex, isOver: true };
}

/** The name under which the threads offer it. */
export const EXPAND = 'expand';

export type ExpandInput = CalendarTimes & {
  readonly wanted: Wanted;
  /** The index of the current series, for the caller that stops the work. */
  readonly progress: SharedArrayBuffer;
};

/** One part: the calendar's recurring events. */
export function* expandTask({ progress, ...input }: ExpandInput): Generator<Expanded> {
  const place = new Int32Array(progress);
  yield expandCalendar(input, stepBudget(), (series) => Atomics.store(place, 0, series));
}
