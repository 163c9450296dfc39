/** Finds the override of one occurrence, or derives it from the series. */
import { ProviderError, UnsupportedByProvider } from '../../../calendars/provider-error.ts';
import { linesWithout } from '../../../lib/icalendar/edit-lines.ts';
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import type { VEvent } from '../../../lib/icalendar/v-event.ts';
import { instanceLine } from '../../../lib/icalendar/write-time.ts';
import { toInstant, toOriginalStart } from '../../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../../lib/recurrence/event-time.ts';
import type { CalendarObject } from './calendar-object.ts';
import { occurrenceTimes, originalOf, RECURRENCE_NAMES, readDtstart, withTimes } from './event-times.ts';

/** Fails as `not_found` if the series has no such occurrence. */
export function overrideFor(object: CalendarObject, instance: EventTime): ReadEvent {
  const override = findOverride(object, instance);
  if (override !== undefined) return override;
  const { master, overrides, zones } = object;
  if (master === undefined || isExcluded(master.event, instance))
    throw new ProviderError('not_found', 'The series has no such occurrence');
  const at = instantIn(object, instance);
  if (overrides.some(({ event }) => event.thisAndFuture && instantIn(object, originalOf(event)) < at))
    throw changedWithLaterOnes();
  const { component, event } = master;
  const single = {
    component: { ...component, lines: linesWithout(component.lines, ...RECURRENCE_NAMES) },
    event: { ...event, recurrence: { rrules: [], rdates: [], exdates: [] } },
  };
  const times = occurrenceTimes(event, instance);
  const recurrenceId = instanceLine('RECURRENCE-ID', readDtstart(component.lines), event.start, instance);
  return {
    component: { ...component, lines: [...withTimes(single, times, zones.tzidOf), recurrenceId] },
    event: { ...single.event, ...times, recurrenceId: instance },
  };
}

/** Returns the override of exactly this occurrence. Fails if it applies to later ones, which would change too. */
export function findOverride(object: CalendarObject, instance: EventTime): ReadEvent | undefined {
  const at = instantIn(object, instance);
  const override = object.overrides.find(({ event }) => instantIn(object, originalOf(event)) === at);
  if (override?.event.thisAndFuture === true) throw changedWithLaterOnes();
  return override;
}

const changedWithLaterOnes = (): UnsupportedByProvider =>
  new UnsupportedByProvider(
    'mode_not_supported_by_provider',
    'Another program changed this occurrence together with all later ones: it cannot be changed alone',
  );

/** Without its series, an occurrence is identified by its original start alone. */
const instantIn = ({ master }: CalendarObject, time: EventTime): number =>
  toInstant(master === undefined ? time : toOriginalStart(master.event.start, time, 'UTC'), 'UTC');

export function isExcluded({ start, recurrence }: VEvent, instance: EventTime): boolean {
  const at = toInstant(toOriginalStart(start, instance, 'UTC'), 'UTC');
  return recurrence.exdates.some((exdate) => toInstant(toOriginalStart(start, exdate, 'UTC'), 'UTC') === at);
}
