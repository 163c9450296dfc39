/** Changing an event, a series, or one occurrence of it. */

import { isDeepStrictEqual } from 'node:util';
import type {
  Event as GraphEvent,
  OnlineMeetingProviderType,
  PatternedRecurrence,
} from '@microsoft/microsoft-graph-types';

import type { EventChange, WriteResult, WriteTarget } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { type Current, type CurrentSeries, currentEvent, currentOccurrence } from './current-event.ts';
import { bodyOf, hasOnlineMeeting } from './event-body.ts';
import { patternedRecurrence } from './graph-recurrence.ts';
import { meetingsOf } from './online-meeting.ts';
import { patchEvent } from './patch-event.ts';
import type { Source } from './read-events.ts';
import { restoreExceptions } from './restore-exceptions.ts';
import { calendarFacts } from './write-refusal.ts';
import { writtenTo } from './written.ts';

export async function updateEvent(
  source: Source,
  target: WriteTarget,
  change: EventChange,
): Promise<WriteResult> {
  const series = await currentEvent(source, target);
  const { instance } = target;
  if (instance !== undefined) {
    await updateOccurrence(source, series, { ...target, instance }, change);
    return writtenTo(source, target, true);
  }
  const wanted = changesOf(change, series);
  const recurrence = recurrenceFor(wanted, series);
  const body = await bodyFor(source, series, wanted);
  await patchEvent(source, series, { ...body, ...(recurrence !== undefined && { recurrence }) });
  if (recurrence && series.event.recurrence) await restoreExceptions(source, series, wanted);
  return writtenTo(
    source,
    target,
    recurrence === undefined ? series.event.recurrence !== undefined : recurrence !== null,
  );
}

async function updateOccurrence(
  source: Source,
  series: CurrentSeries,
  target: WriteTarget & { readonly instance: EventTime },
  change: EventChange,
): Promise<void> {
  if (change.recurrence)
    throw new UnsupportedByProvider(
      'mode_not_supported_by_provider',
      'An occurrence cannot have a recurrence of its own',
      'recurrence',
    );
  const occurrence = await currentOccurrence(source, series, target);
  const { recurrence: _, ...wanted } = changesOf(withoutSeriesFields(change, occurrence), occurrence);
  await patchEvent(source, occurrence, await bodyFor(source, occurrence, wanted));
}

/** (k) A series is read with what its exceptions differ in, their extended properties aside: those are the series'. */
function withoutSeriesFields(change: EventChange, { event }: Current): EventChange {
  const { custom, conference, ...rest } = change;
  for (const [field, value] of Object.entries({ custom, conference })) {
    const own = field === 'custom' ? event.custom : event.conference;
    if (value !== undefined && !isDeepStrictEqual(value ?? undefined, own))
      throw new UnsupportedByProvider(
        'field_not_supported_by_provider',
        `In Outlook the whole series has one ${field}: change it for all`,
        field,
      );
  }
  return rest;
}

/** What only the organizer says of a meeting. The rest of an invitation is the guest's own to change. */
const ORGANIZERS: readonly (keyof EventChange)[] = [
  'title',
  'start',
  'end',
  'description',
  'location',
  'attendees',
  'recurrence',
  'autoConference',
];

/** Of somebody else's meeting, without what is so already. Fails as `organizer_only`. */
function changesOf(change: EventChange, { item, event }: Current): EventChange {
  if (item.isOrganizer !== false) return change;
  const before = new Map<string, unknown>(Object.entries(event));
  const named = ORGANIZERS.filter((field) => {
    const wanted = change[field];
    return (
      wanted !== undefined && wanted !== false && !isDeepStrictEqual(wanted ?? undefined, before.get(field))
    );
  });
  const [field] = named;
  if (field !== undefined)
    throw new UnsupportedByProvider(
      'organizer_only',
      `Only the organizer of this meeting can change its ${field}`,
      field,
    );
  const own = Object.entries(change).filter(([name]) => !ORGANIZERS.some((each) => each === name));
  return Object.fromEntries(own);
}

async function bodyFor(source: Source, current: Current, change: EventChange): Promise<GraphEvent> {
  const organizer = current.item.organizer?.emailAddress?.address ?? undefined;
  return bodyOf({ change, current, organizer, meetings: await meetingsFor(source, current, change) });
}

/** A meeting that is there already stays as it is. */
async function meetingsFor(
  source: Source,
  current: Current,
  { autoConference }: EventChange,
): Promise<OnlineMeetingProviderType | undefined> {
  if (autoConference !== true || hasOnlineMeeting(current)) return undefined;
  return meetingsOf(await calendarFacts(source));
}

/**
 * The recurrence to be written: also with other times, since a range names the first day and the zone. `undefined` when
 * it stays, `null` when the event is not to repeat any more.
 */
function recurrenceFor(
  { recurrence, start }: EventChange,
  { event }: Current,
): PatternedRecurrence | null | undefined {
  if (recurrence === null) return event.recurrence === undefined ? undefined : null;
  const from = start ?? event.start;
  if (recurrence !== undefined) return patternedRecurrence(recurrence, from);
  if (!start || event.recurrence === undefined || isDeepStrictEqual(start, event.start)) return undefined;
  return patternedRecurrence({ ...event.recurrence, exdates: [] }, from);
}
