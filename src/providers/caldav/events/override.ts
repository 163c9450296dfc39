/** One occurrence of a series within its resource: as the override it is, or as one it could be. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import { UnsupportedByProvider } from '../../../calendars/unsupported.ts';
import type { Component } from '../../../lib/icalendar/component.ts';
import { linesWithout } from '../../../lib/icalendar/edit-lines.ts';
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import type { VEvent } from '../../../lib/icalendar/v-event.ts';
import { instanceLine } from '../../../lib/icalendar/write-time.ts';
import { instantOf, originalStartOf } from '../../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../../lib/recurrence/event-time.ts';
import type { EditedObject, WrittenEvent } from './calendar-object.ts';
import { dtstartOf, occurrenceTimes, withTimes } from './event-times.ts';

/** An override there is, or one made of the series, with what it was in the object. */
export function occurrenceOf(
  object: EditedObject,
  instance: EventTime,
): { was: Component | undefined; event: ReadEvent } {
  const override = overrideOf(object, instance);
  if (override !== undefined) return { was: override.component, event: override };
  const { master, overrides, tzidOf } = object;
  if (master === undefined || isExcluded(master.event, instance))
    throw new ProviderError('not_found', 'The series has no such occurrence');
  const at = instantIn(object, instance);
  if (
    overrides.some(
      ({ event }) => event.thisAndFuture && instantIn(object, event.recurrenceId ?? event.start) < at,
    )
  )
    throw spanning();
  const lines = linesWithout(master.component.lines, 'RRULE', 'RDATE', 'EXDATE', 'EXRULE');
  const event = { ...master.event, ...occurrenceTimes(master.event, instance), recurrenceId: instance };
  const alone: ReadEvent = {
    component: { ...master.component, lines },
    event: { ...event, recurrence: NONE },
  };
  const timed = withTimes(
    { ...alone, event: { ...alone.event, start: master.event.start, end: master.event.end } },
    { start: event.start, end: event.end },
    tzidOf,
  );
  const recurrenceId = instanceLine(
    'RECURRENCE-ID',
    dtstartOf(master.component.lines),
    master.event.start,
    instance,
  );
  return {
    was: undefined,
    event: { ...alone, component: { ...alone.component, lines: [...timed, recurrenceId] } },
  };
}

const NONE = { rrules: [], rdates: [], exdates: [] };

/** The override of that very occurrence. One that holds for later ones too cannot be changed for one alone. */
export function overrideOf(object: EditedObject, instance: EventTime): ReadEvent | undefined {
  const at = instantIn(object, instance);
  const found = object.overrides.find(
    ({ event }) => instantIn(object, event.recurrenceId ?? event.start) === at,
  );
  if (found?.event.thisAndFuture === true) throw spanning();
  return found;
}

const spanning = (): UnsupportedByProvider =>
  new UnsupportedByProvider(
    'mode_not_supported_by_provider',
    'Another program changed this occurrence together with all later ones: it cannot be changed alone',
  );

/** Without its series, an occurrence is known by its original start alone. */
const instantIn = ({ master }: EditedObject, time: EventTime): number =>
  instantOf(master === undefined ? time : originalStartOf(master.event.start, time, 'UTC'), 'UTC');

/** Whether EXDATE takes it out already. */
export function isExcluded({ start, recurrence }: VEvent, instance: EventTime): boolean {
  const at = instantOf(originalStartOf(start, instance, 'UTC'), 'UTC');
  return recurrence.exdates.some((exdate) => instantOf(originalStartOf(start, exdate, 'UTC'), 'UTC') === at);
}

/** Every event of the object as it is. */
export const unchanged = ({ master, overrides }: EditedObject): WrittenEvent[] =>
  [...(master === undefined ? [] : [master]), ...overrides].map(({ component }) => ({
    was: component,
    component,
  }));

/** All events but `except` as they are, and the one in its place. */
export const rest = (object: EditedObject, except: ReadEvent, event: WrittenEvent): WrittenEvent[] => [
  ...unchanged(object).filter(({ was }) => was !== except.component && was !== event.was),
  event,
];
