/** Changes an event, a series, or one occurrence. */
import { isDeepStrictEqual } from 'node:util';
import type {
  Event as GraphEvent,
  OnlineMeetingProviderType,
  PatternedRecurrence,
} from '@microsoft/microsoft-graph-types';

import type { EventChange, WriteResult, WriteTarget } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { toGraphRecurrence } from './body-recurrence.ts';
import {
  type Current,
  type CurrentSeries,
  currentEvent,
  currentOccurrence,
  noEvent,
  requireVersion,
} from './current-event.ts';
import { buildEventBody, hasOnlineMeeting } from './event-body.ts';
import { chooseMeetingProvider } from './online-meeting.ts';
import { getSeries, type SeriesItems, type Source } from './read-events.ts';
import { restoreExceptions, type SeriesBefore } from './restore-exceptions.ts';
import { patchEvent, readCalendarFacts } from './write-requests.ts';
import { readWriteResult } from './write-result.ts';

export async function updateEvent(
  source: Source,
  target: WriteTarget,
  change: EventChange,
): Promise<WriteResult> {
  const series = await currentEvent(source, target);
  const { instance } = target;
  if (instance !== undefined) {
    if (change.recurrence)
      throw new UnsupportedByProvider(
        'mode_not_supported_by_provider',
        'An occurrence cannot have its own recurrence',
        'recurrence',
      );
    const occurrence = await currentOccurrence(source, series, { ...target, instance });
    await updateOccurrence(source, occurrence, change);
    return readWriteResult(source, target, true);
  }
  const allowed = selectAllowedChange(change, series);
  const recurrence = chooseRecurrence(allowed, series);
  const body = await buildChangeBody(source, series, allowed);
  const resets = recurrence === undefined ? changesEnd(allowed, series) : recurrence !== null;
  const before = resets && series.event.recurrence ? await readSeriesBefore(source, series) : undefined;
  await patchEvent(source, series, { ...body, ...(recurrence !== undefined && { recurrence }) });
  if (before !== undefined) await restoreExceptions(source, before, allowed);
  const isSeries = recurrence === undefined ? series.event.recurrence !== undefined : recurrence !== null;
  return readWriteResult(source, target, isSeries);
}

/** Returns the series with the exceptions to create again, if it has any. */
async function readSeriesBefore(source: Source, series: CurrentSeries): Promise<SeriesBefore> {
  const hasExceptions = series.resources.length > 1;
  const items = hasExceptions ? await getSeries(source, series.id, 'html') : NO_EXCEPTIONS;
  if (items === undefined) throw noEvent();
  if (hasExceptions) requireVersion(series.item.changeKey ?? undefined, items.master.changeKey ?? undefined);
  return { ...series, items };
}

const NO_EXCEPTIONS: SeriesItems = { master: {}, exceptions: [] };

async function updateOccurrence(source: Source, occurrence: Current, change: EventChange): Promise<void> {
  const { recurrence: _, ...allowed } = selectAllowedChange(
    withoutSeriesFields(change, occurrence),
    occurrence,
  );
  await patchEvent(source, occurrence, await buildChangeBody(source, occurrence, allowed));
}

/** Refuses other extended properties than the series has: exceptions seem to have none, which no source confirms. */
function withoutSeriesFields(change: EventChange, { event }: Current): EventChange {
  const { custom, conference, ...rest } = change;
  for (const [field, value] of Object.entries({ custom, conference })) {
    const current = field === 'custom' ? event.custom : event.conference;
    if (value !== undefined && !isDeepStrictEqual(value ?? undefined, current))
      throw unsupportedField(field, `In Outlook the whole series has one ${field}: use updateMode all`);
  }
  return rest;
}

/** The fields that only the organizer of a meeting may change. Guests may change the others. */
const ORGANIZER_FIELDS: readonly (keyof EventChange)[] = [
  'title',
  'start',
  'end',
  'description',
  'location',
  'attendees',
  'recurrence',
  'autoConference',
];

/** Returns the change to write. For a guest, changing an organizer's field fails as `organizer_only`. */
function selectAllowedChange(change: EventChange, { item, event }: Current): EventChange {
  if (item.isOrganizer !== false) return change;
  const before = new Map<string, unknown>(Object.entries(event));
  const changed = ORGANIZER_FIELDS.filter((field) => {
    const value = change[field];
    return (
      value !== undefined && value !== false && !isDeepStrictEqual(value ?? undefined, before.get(field))
    );
  });
  const [field] = changed;
  if (field !== undefined)
    throw new UnsupportedByProvider(
      'organizer_only',
      `Only the organizer of this meeting can change its ${field}`,
      field,
    );
  const guestFields = Object.entries(change).filter(
    ([name]) => !ORGANIZER_FIELDS.some((each) => each === name),
  );
  return Object.fromEntries(guestFields);
}

async function buildChangeBody(source: Source, current: Current, change: EventChange): Promise<GraphEvent> {
  const organizer = current.item.organizer?.emailAddress?.address ?? undefined;
  return buildEventBody({
    change,
    current,
    organizer,
    onlineMeetingProvider: await findMeetingProvider(source, current, change),
  });
}

/** Returns the provider for a requested online meeting; `undefined` if there is a meeting already, which stays. */
async function findMeetingProvider(
  source: Source,
  current: Current,
  { autoConference }: EventChange,
): Promise<OnlineMeetingProviderType | undefined> {
  if (autoConference !== true || hasOnlineMeeting(current)) return undefined;
  return chooseMeetingProvider(await readCalendarFacts(source));
}

const changesEnd = ({ end }: EventChange, { event }: Current): boolean =>
  end !== undefined && !isDeepStrictEqual(end, event.end);

/**
 * Returns the recurrence to write, also for a new start, which its range names. Undefined keeps it, null removes it.
 */
function chooseRecurrence(
  { recurrence, start }: EventChange,
  { event }: Current,
): PatternedRecurrence | null | undefined {
  if (recurrence === null) return event.recurrence === undefined ? undefined : null;
  const from = start ?? event.start;
  if (recurrence !== undefined) return toGraphRecurrence(recurrence, from);
  if (!start || event.recurrence === undefined || isDeepStrictEqual(start, event.start)) return undefined;
  return toGraphRecurrence({ ...event.recurrence, exdates: [] }, from);
}
