/** Parses a calendar object resource (RFC 4791 §4.1) for edits; all other parts are written back as they were. */
import { ProviderError, UnsupportedByProvider } from '../../../calendars/provider-error.ts';
import { type Component, parseComponents } from '../../../lib/icalendar/component.ts';
import { linesWithout } from '../../../lib/icalendar/edit-lines.ts';
import { ICalendarError } from '../../../lib/icalendar/icalendar-error.ts';
import { createZoneLookup, type ReadEvent, readEvents } from '../../../lib/icalendar/parse-icalendar.ts';
import { resourceBudget, TooComplexError } from '../../../lib/icalendar/resource-budget.ts';
import { writeComponent } from '../../../lib/icalendar/write-lines.ts';
import { withStart } from '../../../lib/icalendar/write-time.ts';
import { latestVersions } from './event-versions.ts';
import { withTimezones, type ZoneNames, zoneNamesIn } from './timezones.ts';

export type CalendarObject = {
  /** Without older versions of its events: they are not written again. */
  readonly calendar: Component;
  /** At least one; the master first, if there is one. */
  readonly events: readonly ReadEvent[];
  readonly master: ReadEvent | undefined;
  readonly overrides: readonly ReadEvent[];
  /** The object's names of zones, so that new times are written with its own TZIDs. */
  readonly zones: ZoneNames;
};

/** New lines for an event of an object, or for one to add; `undefined` removes the event. */
export type EventEdit = { readonly event: ReadEvent; readonly lines: readonly string[] | undefined };

/** Fails as `invalid_response` if the text has no readable event, or is over the budget of a resource. */
export function readObject(icalendar: string): CalendarObject {
  try {
    const budget = resourceBudget();
    const [first, ...others] = parseComponents(icalendar, budget);
    if (first === undefined) throw new ICalendarError('The text contains no VCALENDAR');
    const calendar = { ...first, components: [first, ...others].flatMap(({ components }) => components) };
    const zoneOf = createZoneLookup(calendar, budget);
    const { events: all } = readEvents(calendar, zoneOf, budget);
    const latest = latestVersions(all);
    const isLatest = new Set(latest);
    const uid = latest[0]?.event.uid;
    if (uid === undefined) throw new ICalendarError('It has no event with a start');
    const older = all.filter((read) => read.event.uid === uid && !isLatest.has(read));
    const isOlder = new Set(older.map(({ component }) => component));
    const components = calendar.components.filter((component) => !isOlder.has(component));
    const master = latest.find(({ event }) => event.recurrenceId === undefined);
    const overrides = latest.filter(({ event }) => event.recurrenceId !== undefined);
    return {
      calendar: { ...calendar, components },
      events: master === undefined ? overrides : [master, ...overrides],
      master,
      overrides,
      zones: zoneNamesIn(calendar, zoneOf),
    };
  } catch (cause) {
    if (!(cause instanceof ICalendarError)) throw cause;
    throw cannotBeChanged(cause);
  }
}

function cannotBeChanged(cause: ICalendarError): ProviderError {
  const why = cause instanceof TooComplexError ? `: ${cause.message}` : '';
  return new ProviderError('invalid_response', `The event cannot be read, so it cannot be changed${why}`, {
    cause,
  });
}

/**
 * Returns the edited text with every zone described (RFC 5545 §3.6.5), added events last; `undefined` if no event is
 * left. `now` is epoch milliseconds. Throws UnsupportedByProvider if it would be over the budget of a resource.
 */
export function writeObject(
  { calendar, events, zones }: CalendarObject,
  edits: readonly EventEdit[],
  now: number,
): string | undefined {
  const linesOf = new Map(
    edits.map(({ event: { component, event }, lines }) => [
      component,
      lines && withStart(lines, event, zones.tzidOf),
    ]),
  );
  const edited = (component: Component): Component | [] => {
    const lines = linesOf.has(component) ? linesOf.get(component) : component.lines;
    return lines === undefined ? [] : { ...component, lines };
  };
  const before = new Set(events);
  const added = edits.filter(({ event }) => !before.has(event)).map(({ event }) => event.component);
  if ([...events.map(({ component }) => component), ...added].flatMap(edited).length === 0) return undefined;
  const components = [...calendar.components, ...added].flatMap(edited);
  return writeCalendar({ ...calendar, components }, zones, now);
}

/** Returns the text of a calendar with every zone in it described. Fails as writeObject does. */
export function writeCalendar(calendar: Component, zones: ZoneNames, now: number): string {
  // METHOD belongs to messages between calendars; a stored object has none (RFC 4791 §4.1).
  const lines = linesWithout(calendar.lines, 'METHOD');
  try {
    return writeComponent(withTimezones({ ...calendar, lines }, zones, now));
  } catch (cause) {
    // The request exceeds the budget, and a repetition would exceed it too.
    if (cause instanceof TooComplexError)
      throw new UnsupportedByProvider(
        'field_not_supported_by_provider',
        `The event would be too complex: ${cause.message}`,
      );
    if (!(cause instanceof ICalendarError)) throw cause;
    throw cannotBeChanged(cause);
  }
}
