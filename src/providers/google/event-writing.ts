/** Writes events at Google, each based on a version (If-Match). A PATCH changes only the members that it names. */
import { randomUUID } from 'node:crypto';
import type { calendar_v3 } from '@googleapis/calendar';
import type {
  EventChange,
  EventDraft,
  EventWriting,
  Rsvp,
  WriteResult,
  WriteTarget,
} from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { Log } from '../../lib/log.ts';
import { formatInstanceId } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { undefinedIf } from '../expected-failure.ts';
import type { GoogleApi } from './api.ts';
import { EventTypeRestriction } from './api-refusal.ts';
import { refuseShortenedList, withOwnResponse } from './attendees.ts';
import { checkMeet } from './conference-result.ts';
import { copyLater } from './copy-later.ts';
import { buildInsertBody, buildPatchBody } from './event-body.ts';
import { isSeries } from './event-resource.ts';
import { type EventVersion, type GoogleEvents, googleEvents } from './events.ts';
import { inviteLater } from './invite-later.ts';
import { guestChange, refuseGuestChange } from './organizer.ts';
import { withoutOwnPrivacy } from './privacy.ts';
import { restoreExceptions } from './restore-exceptions.ts';
import { listResources, seriesResult, storedHrefs, withKnownCancelled } from './series-result.ts';
import { insertOnce, patchEvent } from './write-event.ts';

type GoogleEvent = calendar_v3.Schema$Event;

export function eventWriting(api: GoogleApi, log: Log): EventWriting {
  const events = (calendarHref: string) => googleEvents(calendarHref, api, log);
  return {
    create: (calendarHref, draft, key) => create(draft, key, events(calendarHref)),
    update: (calendarHref, target, change) => update(target, change, events(calendarHref)),
    delete: (calendarHref, target) => remove(target, events(calendarHref)),
    respond: (calendarHref, target, response) => respond(target, response, events(calendarHref)),
    copyLater: (calendarHref, target, later) => copyLater(target, later, events(calendarHref)),
    inviteLater: (calendarHref, href, invitations) => inviteLater(href, invitations, events(calendarHref)),
    findCreated: (calendarHref, key) => read(key.toLowerCase(), events(calendarHref)),
    read: (calendarHref, href) => read(href, events(calendarHref)),
  };
}

async function read(href: string, events: GoogleEvents) {
  const now = await events.wholeSeries(href);
  return now && listResources(now);
}

/** Creates an event with the key as its id (hex digits are valid base32hex), so that Google refuses a duplicate. */
async function create(draft: EventDraft, key: string, events: GoogleEvents): Promise<WriteResult> {
  const body = buildInsertBody(draft, key.toLowerCase());
  if (draft.autoConference) await checkMeet(events);
  return { changed: listResources(await insertOnce(body, events)), removed: [] };
}

async function update(target: WriteTarget, asked: EventChange, events: GoogleEvents): Promise<WriteResult> {
  const current = await currentEvent(target, events);
  const permitted = await guestChange(asked, current.event, events);
  const change = target.instance === undefined ? permitted : withoutOwnPrivacy(permitted, current.event);
  if (Object.keys(change).length === 0) return { changed: [], removed: [] };
  if (change.attendees !== undefined) refuseShortenedList(current.event);
  const body = buildPatchBody(change, current.event, randomUUID());
  refuseGuestChange(current.event, body);
  if (body.conferenceData?.createRequest) await checkMeet(events);
  // If a series moves, its exceptions may have to move too.
  const moves = change.start !== undefined && change.recurrence !== null && isSeries(current.event);
  const before = moves ? await events.series(current.id) : undefined;
  const event = await patchEvent({ ...current, body }, events).catch((failure: unknown) => {
    throw failure instanceof EventTypeRestriction
      ? new EventTypeRestriction(current.event.eventType)
      : failure;
  });
  if (before === undefined) return readWriteResult(target, event, events);
  const complete = withKnownCancelled(before, target);
  const deleted = await restoreExceptions(complete, await events.resourceOf(event), events);
  const { changed, removed } = await readWriteResult(target, event, events);
  const listed = new Set(changed.map(({ href }) => href));
  return { changed: [...changed, ...deleted.filter(({ href }) => !listed.has(href))], removed };
}

async function respond(target: WriteTarget, response: Rsvp, events: GoogleEvents): Promise<WriteResult> {
  const current = await currentEvent(target, events);
  const answered = { attendees: withOwnResponse(current.event.attendees, response) };
  // > When updating an event, this can be used to only update the participant's response.
  const isPart = current.event.attendeesOmitted === true;
  const body = isPart ? { ...answered, attendeesOmitted: true } : answered;
  return readWriteResult(target, await patchEvent({ ...current, body }, events), events);
}

async function readWriteResult(
  target: WriteTarget,
  event: GoogleEvent,
  events: GoogleEvents,
): Promise<WriteResult> {
  const master = await events.resourceOf(event);
  const wasSeries = storedHrefs(target).length > 1;
  if (target.instance !== undefined || !(isSeries(event) || wasSeries))
    return { changed: [master], removed: [] };
  // Google decides what happens to the exceptions, so they are read again.
  return seriesResult(target, { master, exceptions: await events.exceptionsOf(event) }, events);
}

async function remove(target: WriteTarget, events: GoogleEvents): Promise<WriteResult> {
  if (target.instance !== undefined) return removeInstance(target, target.instance, events);
  const { href: id, etag, isQuiet } = target;
  await events.delete({ id, etag, isQuiet });
  return { changed: [], removed: storedHrefs(target) };
}

/** Deletes an occurrence. The result is its cancelled exception, even if somebody else deleted it. */
async function removeInstance(
  target: WriteTarget,
  instance: EventTime,
  events: GoogleEvents,
): Promise<WriteResult> {
  const current = await undefinedIf('not_found', currentEvent(target, events));
  if (current !== undefined) await events.delete(current);
  // Without its series the occurrence does not exist.
  else if ((await events.series(target.href)) === undefined) return seriesResult(target, undefined, events);
  const id = current?.id ?? target.override?.href ?? formatInstanceId(target.href, instance, 'UTC');
  const cancelled = await events.get(id);
  if (cancelled?.status === 'cancelled')
    return { changed: [await events.resourceOf(cancelled)], removed: [] };
  // The series no longer has this occurrence, so there is no cancelled exception.
  return seriesResult(target, await events.series(target.href), events);
}

export type CurrentEvent = EventVersion & {
  /** The event in that version, as Google sent it. */
  readonly event: GoogleEvent;
};

/** Returns the version that the caller saw. Fails as `not_found` if deleted, `precondition_failed` if changed. */
export async function currentEvent(target: WriteTarget, events: GoogleEvents): Promise<CurrentEvent> {
  const { href, etag, instance, override } = target;
  if (instance === undefined || override !== undefined)
    return readVersion(override ?? { href, etag }, target, events);
  const id = formatInstanceId(href, instance, 'UTC');
  const event = requirePresent(await events.get(id));
  // An unchanged occurrence seems to have its master's version, which no source confirms. If not, the series shows
  // whether it changed. It is read second, because the write is conditional on the occurrence's own version.
  if (etag !== undefined && event.etag !== etag) {
    const now = await events.series(href);
    const isChanged = now?.exceptions.some((exception) => exception.href === id) ?? true;
    if (isChanged || now?.master.etag !== etag)
      throw new ProviderError('precondition_failed', 'It was changed in the meantime');
  }
  return { id, etag: event.etag ?? undefined, event };
}

async function readVersion(
  { href, etag }: Pick<WriteTarget, 'href' | 'etag'>,
  { stored }: WriteTarget,
  events: GoogleEvents,
): Promise<CurrentEvent> {
  const storedEvent = stored.find((resource) => resource.href === href);
  // If an original was too large, only its digest is stored.
  const isKept = storedEvent?.etag === etag && storedEvent?.originalDigest === undefined;
  // `original` is the event as Google sent it.
  const event: GoogleEvent = requirePresent(isKept ? storedEvent?.original : await events.get(href));
  return { id: href, etag: etag ?? event.etag ?? undefined, event };
}

function requirePresent(event: GoogleEvent | undefined): GoogleEvent {
  if (event !== undefined && event.status !== 'cancelled') return event;
  throw new ProviderError('not_found', 'Google no longer has this event');
}
