/** The task of the read pool's threads (work-thread.ts): expands what takes more than the main thread may give. */
import {
  type CalendarTimes,
  type Expanded,
  expandCalendar,
  stepBudget,
  type Wanted,
} from './expand-calendar.ts';

/** The name under which the threads offer it. */
export const EXPAND = 'expand';

export type ExpandInput = CalendarTimes & {
  readonly wanted: Wanted;
  /** Has the place of the series that is worked on, for whoever stops the work. */
  readonly progress: SharedArrayBuffer;
};

/** One part: the calendar's recurring events. */
export function* expandTask({ progress, ...input }: ExpandInput): Generator<Expanded> {
  const place = new Int32Array(progress);
  yield expandCalendar(input, stepBudget(), (series) => Atomics.store(place, 0, series));
}
