/**
 * Writing events at Google: Events: insert, patch and delete, each of the version it is based on (If-Match). Google sends
 * invitations, changes and cancellations to all guests (`sendUpdates=all`), as CalDAV servers and Microsoft do.
 */
import { randomUUID } from 'node:crypto';

import type { calendar_v3 } from '@googleapis/calendar';

import type { EventResource } from '../../calendars/event.ts';
import type {
  EventChange,
  EventDraft,
  EventWriting,
  Rsvp,
  WriteTarget,
  Written,
} from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { answeredList } from './event-attendees.ts';
import { type EventBody, insertBody, patchBody } from './event-body.ts';
import type { GoogleApi } from './google-api.ts';
import { type GoogleEvents, googleEvents, objectOf } from './google-events.ts';
import { type SeenVersion, seenVersion } from './seen-version.ts';
import { checkMeet, settled, withConference } from './written-conference.ts';

type GoogleEvent = calendar_v3.Schema$Event;

const PARAMETERS = { sendUpdates: 'all' };

export function googleWriting(api: GoogleApi): EventWriting {
  const events = (calendarHref: string) => googleEvents(calendarHref, api);
  return {
    create: (calendarHref, draft, key) => create(draft, key, events(calendarHref), api),
    update: (calendarHref, target, change) => update(target, change, events(calendarHref), api),
    delete: (calendarHref, target) => remove(target, events(calendarHref), api),
    respond: (calendarHref, target, response) => respond(target, response, events(calendarHref), api),
    async read(calendarHref, href) {
      const now = await events(calendarHref).series(href);
      return now && [now.master, ...now.exceptions];
    },
  };
}

/** Hex digits are base32hex: the key itself is the event's id, so that Google refuses the second of it. */
async function create(
  draft: EventDraft,
  key: string,
  events: GoogleEvents,
  api: GoogleApi,
): Promise<Written> {
  const id = key.toLowerCase();
  const body = insertBody(draft, id);
  if (draft.autoConference) await checkMeet(events);
  const event = (await inserted(body, events, api)) ?? (await madeBefore(id, events));
  return { changed: [await events.resourceOf(await settled(event, events))], removed: [] };
}

/** `undefined` when the id is taken (409): an earlier request made it, whose answer may have been lost. */
async function inserted(
  body: EventBody,
  events: GoogleEvents,
  api: GoogleApi,
): Promise<GoogleEvent | undefined> {
  const request = { method: 'POST', operation: 'events.insert', path: events.path, body } as const;
  try {
    const answer = await api.write({ ...request, parameters: parametersFor(body) });
    return await withConference(objectOf<GoogleEvent>(answer), body, events, api);
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'precondition_failed') return undefined;
    throw error;
  }
}

async function madeBefore(id: string, events: GoogleEvents): Promise<GoogleEvent> {
  const event = await events.get(id);
  if (event !== undefined && event.status !== 'cancelled') return event;
  throw new ProviderError('not_found', 'The event was made before, and deleted since');
}

async function update(
  target: WriteTarget,
  change: EventChange,
  events: GoogleEvents,
  api: GoogleApi,
): Promise<Written> {
  const seen = await seenVersion(target, events);
  const body = patchBody(change, seen.event, randomUUID());
  if (body.conferenceData?.createRequest) await checkMeet(events);
  return patch(target, seen, body, events, api);
}

async function respond(
  target: WriteTarget,
  response: Rsvp,
  events: GoogleEvents,
  api: GoogleApi,
): Promise<Written> {
  const seen = await seenVersion(target, events);
  const body = { attendees: answeredList(seen.event.attendees, response) };
  // > When updating an event, this can be used to only update the participant's response.
  const isPart = seen.event.attendeesOmitted === true;
  return patch(target, seen, isPart ? { ...body, attendeesOmitted: true } : body, events, api);
}

async function patch(
  target: WriteTarget,
  { id, etag }: SeenVersion,
  body: EventBody,
  events: GoogleEvents,
  api: GoogleApi,
): Promise<Written> {
  const answer = await api.write({
    method: 'PATCH',
    operation: 'events.patch',
    path: events.pathOf(id),
    parameters: parametersFor(body),
    body,
    ifMatch: etag,
  });
  const written = await withConference(objectOf<GoogleEvent>(answer), body, events, api);
  const event = await settled(written, events);
  const resource = await events.resourceOf(event);
  if (target.instance !== undefined) return { changed: [resource], removed: [] };
  const wasSeries = target.known.some(isExceptionOf(target.href));
  if ((event.recurrence ?? []).length === 0 && !wasSeries) return { changed: [resource], removed: [] };
  // What Google made of the exceptions is Google's to tell.
  return seriesWritten(target, [resource, ...(await events.exceptionsOf(event))]);
}

/** The series as it is now. */
async function seriesNow(target: WriteTarget, events: GoogleEvents): Promise<Written> {
  const now = await events.series(target.href);
  return seriesWritten(target, now === undefined ? [] : [now.master, ...now.exceptions]);
}

function seriesWritten({ href, known }: WriteTarget, changed: readonly EventResource[]): Written {
  const there = new Set(changed.map((resource) => resource.href));
  const mirrored = [href, ...known.filter(isExceptionOf(href)).map((resource) => resource.href)];
  return { changed, removed: mirrored.filter((one) => !there.has(one)) };
}

const isExceptionOf =
  (masterHref: string) =>
  ({ seriesId }: EventResource): boolean =>
    seriesId === masterHref;

async function remove(target: WriteTarget, events: GoogleEvents, api: GoogleApi): Promise<Written> {
  if (target.instance !== undefined) return removeInstance(target, events, api);
  await deleted(target.href, target.etag, events, api);
  const exceptions = target.known.filter(isExceptionOf(target.href));
  return { changed: [], removed: [target.href, ...exceptions.map(({ href }) => href)] };
}

async function removeInstance(target: WriteTarget, events: GoogleEvents, api: GoogleApi): Promise<Written> {
  let seen: SeenVersion;
  try {
    seen = await seenVersion(target, events);
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'not_found') return seriesNow(target, events);
    throw error;
  }
  await deleted(seen.id, seen.etag, events, api);
  const cancelled = await events.get(seen.id);
  // Of an instance that is not in the series at all any more there is nothing to keep.
  if (cancelled?.status !== 'cancelled') return seriesNow(target, events);
  return { changed: [await events.resourceOf(cancelled)], removed: [] };
}

async function deleted(
  id: string,
  etag: string | undefined,
  events: GoogleEvents,
  api: GoogleApi,
): Promise<void> {
  const path = events.pathOf(id);
  const request = { method: 'DELETE', operation: 'events.delete', path } as const;
  try {
    await api.write({ ...request, parameters: PARAMETERS, ifMatch: etag });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
  }
}

/** Conferences are left as they are unless the request says that it knows of them. */
const parametersFor = (body: EventBody) =>
  body.conferenceData === undefined ? PARAMETERS : { ...PARAMETERS, conferenceDataVersion: '1' };
