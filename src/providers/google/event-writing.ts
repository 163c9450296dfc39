/**
 * Writing events at Google, each of the version it is based on (If-Match). Masters, single events and occurrences are each
 * an event of their own there, changed by PATCH, which leaves alone what it does not name.
 */
import { randomUUID } from 'node:crypto';

import type { calendar_v3 } from '@googleapis/calendar';

import type { EventResource } from '../../calendars/event.ts';
import type {
  EventChange,
  EventDraft,
  EventWriting,
  Rsvp,
  WriteResult,
  WriteTarget,
} from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { undefinedIf } from '../expected-failure.ts';
import type { GoogleApi } from './api.ts';
import { answeredList } from './attendees.ts';
import { checkMeet, withConferenceLink, withFinishedMeet } from './conference-result.ts';
import { currentEvent } from './current-event.ts';
import { insertBody, patchBody } from './event-body.ts';
import { isSeries } from './event-resource.ts';
import { type EventPatch, type GoogleEvents, googleEvents, type SeriesNow } from './events.ts';
import { restoreExceptions } from './restore-exceptions.ts';

type GoogleEvent = calendar_v3.Schema$Event;

export function eventWriting(api: GoogleApi): EventWriting {
  const events = (calendarHref: string) => googleEvents(calendarHref, api);
  return {
    create: (calendarHref, draft, key) => create(draft, key, events(calendarHref)),
    update: (calendarHref, target, change) => update(target, change, events(calendarHref)),
    delete: (calendarHref, target) => remove(target, events(calendarHref)),
    respond: (calendarHref, target, response) => respond(target, response, events(calendarHref)),
    async read(calendarHref, href) {
      const now = await events(calendarHref).series(href);
      return now && resourcesOf(now);
    },
  };
}

const resourcesOf = (series: SeriesNow | undefined): EventResource[] =>
  series === undefined ? [] : [series.master, ...series.exceptions];

/** Hex digits are base32hex: the key itself is the event's id, so that Google refuses the second of it. */
async function create(draft: EventDraft, key: string, events: GoogleEvents): Promise<WriteResult> {
  const body = insertBody(draft, key.toLowerCase());
  if (draft.autoConference) await checkMeet(events);
  const insert = async () => withConferenceLink(await events.insert(body), body, events);
  const inserted = await undefinedIf('precondition_failed', insert());
  if (inserted !== undefined)
    return { changed: [await events.resourceOf(await withFinishedMeet(inserted, events))], removed: [] };
  // An earlier request made it, whose answer may have been lost.
  const now = await events.series(body.id);
  if (now !== undefined) return { changed: resourcesOf(now), removed: [] };
  throw new ProviderError('not_found', 'The event was made before, and deleted since');
}

async function update(target: WriteTarget, change: EventChange, events: GoogleEvents): Promise<WriteResult> {
  const current = await currentEvent(target, events);
  const body = patchBody(change, current.event, randomUUID());
  if (body.conferenceData?.createRequest) await checkMeet(events);
  // What is not an instance and recurs is a master; its exceptions may have to move with it.
  const moves = change.start !== undefined && change.recurrence !== null && isSeries(current.event);
  const before = moves ? await events.series(current.id) : undefined;
  const event = await patchEvent({ ...current, body }, events);
  if (before !== undefined) await restoreExceptions(before, await events.resourceOf(event), events);
  return resultOf(target, event, events);
}

async function respond(target: WriteTarget, response: Rsvp, events: GoogleEvents): Promise<WriteResult> {
  const current = await currentEvent(target, events);
  const answered = { attendees: answeredList(current.event.attendees, response) };
  // > When updating an event, this can be used to only update the participant's response.
  const isPart = current.event.attendeesOmitted === true;
  const body = isPart ? { ...answered, attendeesOmitted: true } : answered;
  return resultOf(target, await patchEvent({ ...current, body }, events), events);
}

async function patchEvent(change: EventPatch, events: GoogleEvents): Promise<GoogleEvent> {
  const event = await withConferenceLink(await events.patch(change), change.body, events);
  return withFinishedMeet(event, events);
}

async function resultOf(target: WriteTarget, event: GoogleEvent, events: GoogleEvents): Promise<WriteResult> {
  const resource = await events.resourceOf(event);
  const wasSeries = hrefsOf(target).length > 1;
  if (target.instance !== undefined || !(isSeries(event) || wasSeries))
    return { changed: [resource], removed: [] };
  // What Google made of the exceptions is Google's to tell.
  return seriesResult(target, [resource, ...(await events.exceptionsOf(event))]);
}

/** The series as it is now. */
const readSeriesResult = async (target: WriteTarget, events: GoogleEvents): Promise<WriteResult> =>
  seriesResult(target, resourcesOf(await events.series(target.href)));

function seriesResult(target: WriteTarget, changed: readonly EventResource[]): WriteResult {
  const there = new Set(changed.map((resource) => resource.href));
  return { changed, removed: hrefsOf(target).filter((href) => !there.has(href)) };
}

/** What the mirror has of the event: itself, and the exceptions of a series. */
const hrefsOf = ({ href, stored }: WriteTarget): string[] => [
  href,
  ...stored.filter(({ seriesId }) => seriesId === href).map((resource) => resource.href),
];

async function remove(target: WriteTarget, events: GoogleEvents): Promise<WriteResult> {
  if (target.instance !== undefined) return removeInstance(target, events);
  await events.delete({ id: target.href, etag: target.etag });
  return { changed: [], removed: hrefsOf(target) };
}

/** A deleted occurrence is a cancelled exception of its series. */
async function removeInstance(target: WriteTarget, events: GoogleEvents): Promise<WriteResult> {
  const current = await undefinedIf('not_found', currentEvent(target, events));
  if (current === undefined) return readSeriesResult(target, events);
  await events.delete(current);
  const cancelled = await events.get(current.id);
  // Of an occurrence that the series does not have any more there is nothing to keep.
  if (cancelled?.status !== 'cancelled') return readSeriesResult(target, events);
  return { changed: [await events.resourceOf(cancelled)], removed: [] };
}
