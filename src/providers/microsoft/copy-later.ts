/** Copies the later half of a series from Graph's current events. Every check comes before the first write. */
import type {
  Event as GraphEvent,
  SingleValueLegacyExtendedProperty,
} from '@microsoft/microsoft-graph-types';
import type { CalendarEvent } from '../../calendars/event.ts';
import type { CopiedHalf, LaterHalf, WriteTarget } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { unreadableAnswer } from '../meaning.ts';
import { onlyException } from '../single-later-half.ts';
import { toGraphRecurrence } from './body-recurrence.ts';
import { toGraphTimes } from './body-times.ts';
import { copyAttachments } from './copied-attachments.ts';
import { copyMembers, ownMembers, replaceMembers, withoutChanged } from './copied-members.ts';
import { deletedSince, postEvent } from './create-event.ts';
import { type Current, changedMeanwhile, currentEvent, noEvent, toStartKey } from './current-event.ts';
import { deleteAt } from './delete-event.ts';
import { buildEventBody, hasOnlineMeeting } from './event-body.ts';
import type { GraphItem } from './event-resource.ts';
import { type SeriesCopy, withoutAttendees } from './invite-later.ts';
import { createExceptions, type NewException } from './make-exceptions.ts';
import { isInCalendar } from './membership.ts';
import { chooseMeetingProvider } from './online-meeting.ts';
import {
  getEvent,
  getSeries,
  readEvent,
  type SeriesItems,
  type Source,
  toSeriesResources,
} from './read-events.ts';
import { readCalendarFacts } from './write-requests.ts';

/** Implements EventWriting.copyLater. */
export async function copyLater(source: Source, target: WriteTarget, later: LaterHalf): Promise<CopiedHalf> {
  const old = await readOld(source, target);
  const { body, exceptions, invitations } = withoutAttendees(
    await planCopy(source, old, later),
    old.items.master,
  );
  const id = await postEvent(source, body, later.key);
  await copyAttachments(source, old.items.master, id);
  const { recurrence } = later.change;
  if (recurrence !== null) {
    const series = await currentEvent(source, { href: id, etag: undefined, stored: [] });
    for (const exdate of recurrence.exdates) await deleteAt(source, series, exdate);
    const texts = hasOnlineMeeting(old.current) ? await withNewParagraph(source, id, exceptions) : exceptions;
    await createExceptions(source, series, texts);
  }
  const changed = await readEvent(source, id, recurrence !== null);
  if (changed === 'gone') throw deletedSince();
  return { changed, removed: [], invitations };
}

/** The series to split, with its texts as stored. */
type Old = {
  readonly current: Current;
  readonly items: SeriesItems;
  /** By original start. Unreadable exceptions are not copied; the mirror lacks them too. */
  readonly exceptions: ReadonlyMap<number, OldException>;
};

type OldException = { readonly item: GraphItem; readonly event: CalendarEvent };

async function readOld(source: Source, { href, etag, stored }: WriteTarget): Promise<Old> {
  const items = await getSeries(source, href, 'html');
  if (items === undefined) throw noEvent();
  const { master } = items;
  const isStale = etag !== undefined && etag !== (master.changeKey ?? undefined);
  if (isStale) throw (await isInCalendar(source, href)) ? changedMeanwhile() : noEvent();
  if (master.isOrganizer === false)
    throw new UnsupportedByProvider(
      'organizer_only',
      'Only the organizer of this meeting can split its series',
    );
  const [resource, ...others] = await toSeriesResources(source, items);
  const event = resource?.seriesId === undefined ? resource?.events[0] : undefined;
  if (event === undefined) throw unreadableAnswer('Microsoft sent an event that cannot be read');
  const itemsById = new Map(items.exceptions.map((item) => [item.id, item]));
  const exceptions = others.flatMap(({ eventId, events: [exception] }): [number, OldException][] => {
    const item = itemsById.get(eventId);
    if (item === undefined || exception?.recurrenceId === undefined) return [];
    return [[toStartKey(event, exception.recurrenceId), { item, event: exception }]];
  });
  const current = {
    id: href,
    event: withStoredText(event, master, stored),
    item: master,
    ifMatch: undefined,
  };
  return { current, items, exceptions: new Map(exceptions) };
}

/** Returns the event with the mirror's text if it has this version: here the text was read as stored. */
function withStoredText(
  event: CalendarEvent,
  { changeKey }: GraphItem,
  [stored]: WriteTarget['stored'],
): CalendarEvent {
  const { description: _, ...rest } = event;
  const [mirrored] = stored?.events ?? [];
  if (mirrored === undefined || !changeKey || stored?.etag !== changeKey) return event;
  return { ...rest, ...(mirrored.description !== undefined && { description: mirrored.description }) };
}

/** Plans all writes before the first one. Fails with UnsupportedByProvider if Outlook cannot store them. */
async function planCopy(
  source: Source,
  { current, items: { master }, exceptions }: Old,
  later: LaterHalf,
): Promise<SeriesCopy> {
  const { change } = later;
  const { recurrence, start } = change;
  const single = recurrence === null ? onlyException(later) : undefined;
  const pattern = recurrence === null ? undefined : toGraphRecurrence(recurrence, start);
  const body = {
    ...(await buildMasterBody(source, current, change)),
    ...(pattern && { recurrence: pattern }),
  };
  const bodies = (single ? [single] : later.exceptions).map(
    ({ recurrenceId, instance, times }): NewException => {
      const old = exceptions.get(toStartKey(current.event, recurrenceId));
      if (old === undefined) throw changedMeanwhile();
      const fields = withoutChanged(ownMembers(old.item, master), change, old.event);
      const graphTimes = times && toGraphTimes(times.start, times.end);
      return { original: instance, fields, times: graphTimes, move: 'must' };
    },
  );
  const [only] = recurrence === null ? bodies : [];
  if (recurrence !== null) return { body, exceptions: bodies };
  return { body: { ...replaceMembers(body, only?.fields ?? {}), ...only?.times }, exceptions: [] };
}

/** Builds the new master: the members of the old one with the change applied. */
async function buildMasterBody(
  source: Source,
  current: Current,
  change: LaterHalf['change'],
): Promise<GraphEvent> {
  const { onlineMeeting: _, onlineMeetingUrl: _url, ...item } = current.item;
  const copied = copyMembers(item);
  const { content, contentType } = copied.body ?? {};
  const meeting = await requestMeeting(source, current, change);
  const { conference, ...rest } = change;
  // The old meeting's link does not lead to the new meeting.
  const leadsToOld = meeting.isOnlineMeeting === true && conference === current.event.conference;
  const changed = buildEventBody({
    change: leadsToOld ? rest : change,
    // The new series has no meeting yet.
    current: { ...current, item },
    organizer: item.organizer?.emailAddress?.address ?? undefined,
    onlineMeetingProvider: undefined,
  });
  const properties = mergeProperties(copied, changed);
  const ownBody =
    hasOnlineMeeting(current) && content && contentType
      ? { ...copied, body: { contentType, content: withTeamsParagraph(content, '') } }
      : copied;
  return {
    ...replaceMembers(ownBody, changed),
    ...(properties.length > 0 && { singleValueExtendedProperties: properties }),
    ...meeting,
  };
}

function mergeProperties(copied: GraphEvent, changed: GraphEvent): SingleValueLegacyExtendedProperty[] {
  const before = copied.singleValueExtendedProperties ?? [];
  const after = changed.singleValueExtendedProperties ?? [];
  const isReplaced = (id: string | undefined) =>
    after.some((one) => one.id?.toLowerCase() === id?.toLowerCase());
  return [...before.filter(({ id }) => !isReplaced(id)), ...after];
}

/** Requests a new meeting, since a meeting cannot be copied: of the same kind if the calendar still has it. */
async function requestMeeting(
  source: Source,
  current: Current,
  { conference, autoConference }: LaterHalf['change'],
): Promise<GraphEvent> {
  const { onlineMeetingProvider } = current.item;
  // Exchange cannot create the link of an add-in. It is copied with the text and the location.
  const hadMeeting =
    hasOnlineMeeting(current) && Boolean(onlineMeetingProvider) && onlineMeetingProvider !== 'unknown';
  if (autoConference !== true && (!hadMeeting || conference === null)) return {};
  const calendar = await readCalendarFacts(source);
  const isAllowed = calendar.allowedOnlineMeetingProviders?.some((one) => one === onlineMeetingProvider);
  const provider =
    isAllowed && onlineMeetingProvider ? onlineMeetingProvider : chooseMeetingProvider(calendar);
  return { isOnlineMeeting: true, onlineMeetingProvider: provider };
}

/** Replaces the old meeting's joining paragraph by the new one's in the texts of occurrences. */
async function withNewParagraph(
  source: Source,
  newId: string,
  exceptions: readonly NewException[],
): Promise<readonly NewException[]> {
  const bodyText = ({ fields }: NewException) => fields.body?.content ?? '';
  if (!exceptions.some((exception) => readTeamsParagraph(bodyText(exception)) !== '')) return exceptions;
  const series = await getEvent(source, newId, '$select=body', 'html');
  const paragraph = readTeamsParagraph(series?.body?.content ?? '');
  return exceptions.map((exception) => {
    const { fields } = exception;
    const content = withTeamsParagraph(bodyText(exception), paragraph);
    return fields.body
      ? { ...exception, fields: { ...fields, body: { ...fields.body, content } } }
      : exception;
  });
}

/** A line of underscores; published examples have eighty. */
const LINE = /_{40,}/g;
/** Link targets in the paragraph: the meeting, or help with joining it. */
const JOINS = /\/\/(?:teams\.microsoft\.com|teams\.live\.com|join\.skype\.com|aka\.ms\/JoinTeamsMeeting)/i;

type TextRange = { readonly from: number; readonly to: number };

/** Returns the HTML with `replacement` in place of the paragraph, or unchanged if no paragraph is recognized. */
export function withTeamsParagraph(html: string, replacement: string): string {
  const place = findParagraph(html);
  return place === undefined ? html : html.slice(0, place.from) + replacement + html.slice(place.to);
}

/** Returns the paragraph itself; empty if none is recognized. */
export function readTeamsParagraph(html: string): string {
  const place = findParagraph(html);
  return place === undefined ? '' : html.slice(place.from, place.to);
}

/** Returns the range from the element of the first line to the end of that of the second. */
function findParagraph(html: string): TextRange | undefined {
  const lines = [...html.matchAll(LINE)];
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (next === undefined || !JOINS.test(html.slice(line.index, next.index))) continue;
    const from = html.lastIndexOf('<div', line.index);
    const end = html.indexOf('</div>', next.index);
    return from === -1 || end === -1 ? undefined : { from, to: end + '</div>'.length };
  }
  return undefined;
}
