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
import { answeredList } from './event-attendees.ts';
import { type EventBody, insertBody, patchBody } from './event-body.ts';
import type { GoogleApi } from './google-api.ts';
import { type EventPatch, type GoogleEvents, googleEvents } from './google-events.ts';
import { restoreExceptions } from './restore-exceptions.ts';
import { seenVersion } from './seen-version.ts';
import { checkMeet, settled, withConference } from './written-conference.ts';

type GoogleEvent = calendar_v3.Schema$Event;

export function googleWriting(api: GoogleApi): EventWriting {
  const events = (calendarHref: string) => googleEvents(calendarHref, api);
  return {
    create: (calendarHref, draft, key) => create(draft, key, events(calendarHref)),
    update: (calendarHref, target, change) => update(target, change, events(calendarHref)),
    delete: (calendarHref, target) => remove(target, events(calendarHref)),
    respond: (calendarHref, target, response) => respond(target, response, events(calendarHref)),
    async read(calendarHref, href) {
      const now = await events(calendarHref).series(href);
      return now && [now.master, ...now.exceptions];
    },
  };
}

/** Hex digits are base32hex: the key itself is the event's id, so that Google refuses the second of it. */
async function create(draft: EventDraft, key: string, events: GoogleEvents): Promise<WriteResult> {
  const body = insertBody(draft, key.toLowerCase());
  if (draft.autoConference) await checkMeet(events);
  const inserted = await insertedOnce(body, events);
  if (inserted === undefined) return madeBefore(body.id, events);
  return { changed: [await events.resourceOf(await settled(inserted, events))], removed: [] };
}

/** `undefined` when an earlier request made it, whose answer may have been lost. */
async function insertedOnce(body: EventBody, events: GoogleEvents): Promise<GoogleEvent | undefined> {
  try {
    return await withConference(await events.insert(body), body, events);
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'precondition_failed') return undefined;
    throw error;
  }
}

async function madeBefore(id: string, events: GoogleEvents): Promise<WriteResult> {
  const now = await events.series(id);
  if (now !== undefined) return { changed: [now.master, ...now.exceptions], removed: [] };
  throw new ProviderError('not_found', 'The event was made before, and deleted since');
}

async function update(target: WriteTarget, change: EventChange, events: GoogleEvents): Promise<WriteResult> {
  const seen = await seenVersion(target, events);
  const body = patchBody(change, seen.event, randomUUID());
  if (body.conferenceData?.createRequest) await checkMeet(events);
  // What is not an instance and recurs is a master; its exceptions may have to move with it.
  const moves = change.start !== undefined && change.recurrence !== null && recurs(seen.event);
  const before = moves ? await events.series(seen.id) : undefined;
  const event = await patched({ ...seen, body }, events);
  if (before !== undefined) await restoreExceptions(before, await events.resourceOf(event), events);
  return writtenOf(target, event, events);
}

const recurs = ({ recurrence }: GoogleEvent): boolean => (recurrence ?? []).length > 0;

async function respond(target: WriteTarget, response: Rsvp, events: GoogleEvents): Promise<WriteResult> {
  const seen = await seenVersion(target, events);
  const answered = { attendees: answeredList(seen.event.attendees, response) };
  // > When updating an event, this can be used to only update the participant's response.
  const isPart = seen.event.attendeesOmitted === true;
  const body = isPart ? { ...answered, attendeesOmitted: true } : answered;
  return writtenOf(target, await patched({ ...seen, body }, events), events);
}

async function patched(change: EventPatch, events: GoogleEvents): Promise<GoogleEvent> {
  const event = await withConference(await events.patch(change), change.body, events);
  return settled(event, events);
}

async function writtenOf(
  target: WriteTarget,
  event: GoogleEvent,
  events: GoogleEvents,
): Promise<WriteResult> {
  const resource = await events.resourceOf(event);
  const isSeries = recurs(event) || target.known.some(isExceptionOf(target.href));
  if (target.instance !== undefined || !isSeries) return { changed: [resource], removed: [] };
  // What Google made of the exceptions is Google's to tell.
  return seriesWritten(target, [resource, ...(await events.exceptionsOf(event))]);
}

/** The series as it is now. */
async function seriesNow(target: WriteTarget, events: GoogleEvents): Promise<WriteResult> {
  const now = await events.series(target.href);
  return seriesWritten(target, now === undefined ? [] : [now.master, ...now.exceptions]);
}

function seriesWritten({ href, known }: WriteTarget, changed: readonly EventResource[]): WriteResult {
  const there = new Set(changed.map((resource) => resource.href));
  const mirrored = [href, ...known.filter(isExceptionOf(href)).map((resource) => resource.href)];
  return { changed, removed: mirrored.filter((one) => !there.has(one)) };
}

const isExceptionOf =
  (masterHref: string) =>
  ({ seriesId }: EventResource): boolean =>
    seriesId === masterHref;

async function remove(target: WriteTarget, events: GoogleEvents): Promise<WriteResult> {
  const { href, etag, instance, known } = target;
  if (instance !== undefined) return removeInstance(target, events);
  await events.delete({ id: href, etag });
  return {
    changed: [],
    removed: [href, ...known.filter(isExceptionOf(href)).map((resource) => resource.href)],
  };
}

/** A deleted occurrence is a cancelled exception of its series. */
async function removeInstance(target: WriteTarget, events: GoogleEvents): Promise<WriteResult> {
  const seen = await seenVersion(target, events).catch((error: unknown) => {
    if (error instanceof ProviderError && error.kind === 'not_found') return undefined;
    throw error;
  });
  if (seen === undefined) return seriesNow(target, events);
  await events.delete(seen);
  const cancelled = await events.get(seen.id);
  // Of an occurrence that the series does not have any more there is nothing to keep.
  if (cancelled?.status !== 'cancelled') return seriesNow(target, events);
  return { changed: [await events.resourceOf(cancelled)], removed: [] };
}
