/** The times of a series, from the JSON that the mirror has of each of its rows. */
import type { Timing } from '../calendars/mirrored-event.ts';
import { seriesOf } from '../lib/recurrence/place-of.ts';
import type { Series, SeriesMaster } from '../lib/recurrence/series.ts';
import type { MirroredSeries } from './event-reader.ts';

/** The payload of an event is the number of its row: 0 is the master's. */
export type SeriesTimes = Series<number> & { readonly master: SeriesMaster<number> };

/** `timings`: JSON of a Timing for each row, the master's first. */
export function seriesTimes(timings: readonly string[]): SeriesTimes {
  const [master, ...overrides] = timings.map(parsed);
  if (master === undefined) throw new Error('A series without a master was asked for');
  return seriesOf(master, overrides, (override) => override + 1);
}

export const timesOf = ({ rows }: MirroredSeries): SeriesTimes =>
  seriesTimes(rows.map(({ timing }) => timing));

/** Written by render-event.ts in this shape. */
const parsed = (timing: string): Timing => JSON.parse(timing);
