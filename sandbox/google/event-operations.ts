/** events.get, insert, update, patch, delete and instances. */
import type { calendar_v3 } from '@googleapis/calendar';

import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import { isJsonObject, type JsonObject } from '../core/json-object.ts';
import { messagesOf } from '../core/mailed-messages.ts';
import { jsonAnswer } from '../core/page-answer.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import {
  type ApiContext,
  calendarOf,
  notFound,
  type OpenCalendar,
  writableCalendarOf,
} from './api-context.ts';
import { refuseBirthdayChange } from './birthdays.ts';
import {
  cancelEvent,
  findEvent,
  insertEvent,
  replaceEvent,
  spanOf,
  unchangedInstance,
} from './calendar-events.ts';
import { eventBody, eventInput } from './event-input.ts';
import { exceptionsOf, instancesOf, isMaster } from './event-series.ts';
import { rfc3339, writeTime } from './event-times.ts';
import { etagOf, viewOf } from './event-view.ts';
import type { GoogleEvent, StoredEvent } from './google-store.ts';
import { permittedInput, withOwnAnswer } from './guest-changes.ts';
import { listEvents as listing } from './list-events.ts';
import { readPageToken, tokenText } from './page-tokens.ts';
import { flag, instant, jsonBody, pageSize, parametersOf } from './query.ts';
import { permittedDetails, spreadVisibility } from './series-visibility.ts';

export function listEvents(context: ApiContext): SandboxAnswer {
  const { calendar, viewer } = calendarOf(context);
  const { query, effects, now, eventsPerPage, habits } = context;
  return jsonAnswer(200, listing({ calendar, query, viewer, effects, now, eventsPerPage, habits }));
}

/** Returns one event, even if it is cancelled. */
export function getEvent(context: ApiContext): SandboxAnswer {
  const open = calendarOf(context);
  return answerEvent(200, eventOf(open, context), open);
}

export function insert(context: ApiContext): SandboxAnswer {
  const open = writableCalendarOf(context);
  const { calendar } = open;
  const body = eventBody(jsonBody(context.body));
  const id = body.id ?? undefined;
  if (id !== undefined && !/^[a-v0-9]{5,1024}$/.test(id)) {
    throw new SandboxRefusal(400, 'invalid', 'Invalid resource id value.');
  }
  // A deleted event keeps its id.
  if (id !== undefined && calendar.events.has(id)) {
    throw new SandboxRefusal(409, 'duplicate', 'The requested identifier already exists.');
  }
  const input = eventInput(body, {
    timeZone: calendar.timeZone,
    ...supportedBy(context),
    meets: context.meets.behaviour,
  });
  const event = insertEvent(calendar, { ...input, id }, writerOf(context));
  context.meets.schedule(calendar, event);
  context.channels.changed(calendar.id);
  announce(context, open, { after: event });
  return answerEvent(200, event, open);
}

type EventWrite = { readonly before?: StoredEvent; readonly after?: StoredEvent };

/** Records the emails of a write with `sendUpdates=all`. A write by a guest sends none. */
function announce({ query, sent, now }: ApiContext, { calendar }: OpenCalendar, write: EventWrite): void {
  const event = write.after ?? write.before;
  if (event === undefined || event.invitation !== undefined || query.get('sendUpdates') !== 'all') return;
  const { instanceOf, iCalUID: uid } = event;
  const guestsOf = (one: StoredEvent | undefined) =>
    (one?.details.attendees ?? []).flatMap(({ email }) => email ?? []);
  const message = {
    ...({ provider: 'google', at: now, title: event.details.summary ?? '', from: calendar.id, uid } as const),
    occurrence: instanceOf && event.id.slice(instanceOf.masterId.length + 1),
  };
  sent.push(...messagesOf({ ...message, before: guestsOf(write.before), after: guestsOf(write.after) }));
}

/** PUT: fields that the body omits are removed. */
export const update = (context: ApiContext): SandboxAnswer => change(context, (_former, body) => body);

/** PATCH: fields that the body omits stay; null removes a field; lists are replaced as a whole. */
export const patch = (context: ApiContext): SandboxAnswer =>
  change(context, (former, body) => merged(former, body));

function change(
  context: ApiContext,
  bodyOf: (former: JsonObject, body: JsonObject) => JsonObject,
): SandboxAnswer {
  const open = writableCalendarOf(context);
  const { calendar, viewer } = open;
  const event = eventOf(open, context);
  const sent = withOwnAnswer(jsonBody(context.body), event, calendar.id);
  // Restoring a deleted event is not supported: clients insert it again.
  if (event.status === 'cancelled' && event.instanceOf === undefined) throw resourceDeleted();
  refuseStale(event, context);
  const times = (time: StoredEvent['start']) => writeTime(time, calendar.timeZone);
  const recurrence = event.recurrence === undefined ? {} : { recurrence: event.recurrence };
  // No source confirms that changing a cancelled instance brings it back.
  const status = event.status === 'cancelled' ? {} : { status: event.status };
  const former = {
    ...event.details,
    ...recurrence,
    ...status,
    start: times(event.start),
    end: times(event.end),
  };
  const body = eventBody(bodyOf(former, sent));
  const input = eventInput(body, {
    timeZone: calendar.timeZone,
    former: event.details,
    ...supportedBy(context),
    meets: context.meets.behaviour,
  });
  const { habits } = context;
  refuseBirthdayChange(event, input);
  const { details, ...permitted } = permittedInput(event, input, habits);
  const next = { ...permitted, details: permittedDetails(event, details) };
  const changed = replaceEvent({ calendar, event }, next, writerOf(context));
  spreadVisibility({ calendar, event: changed }, event.details, context.now);
  context.meets.schedule(calendar, changed);
  context.channels.changed(calendar.id);
  announce(context, open, { before: event, after: changed });
  const mostGuests = Math.min(viewer.mostGuests, habits.mostGuestsWritten);
  return answerEvent(200, changed, { ...open, viewer: { ...viewer, mostGuests } });
}

/** RFC 7396: a null removes a member at any depth. */
function merged(former: unknown, patch: JsonObject): JsonObject {
  const result: Record<string, unknown> = isJsonObject(former) ? { ...former } : {};
  for (const [name, value] of Object.entries(patch))
    result[name] = isJsonObject(value) ? merged(result[name], value) : value;
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null));
}

export function remove(context: ApiContext): SandboxAnswer {
  const open = writableCalendarOf(context);
  const event = eventOf(open, context);
  if (event.status === 'cancelled') throw resourceDeleted();
  refuseStale(event, context);
  cancelEvent({ calendar: open.calendar, event }, writerOf(context));
  context.channels.changed(open.calendar.id);
  announce(context, open, { before: event });
  return { status: 204 };
}

/** events.instances: pages of a series, or the one instance of an `originalStart`. */
export function listInstances(context: ApiContext): SandboxAnswer {
  const { calendar, viewer } = calendarOf(context);
  const { query, params, now } = context;
  const master = calendar.events.get(params.eventId ?? '');
  if (master === undefined || master.status === 'cancelled') throw notFound();
  const instances = listedInstances(context, { calendar, master, now });
  const size = pageSize(query, 250, context.habits.instancesPerPage);
  const subject = `${calendar.id} ${master.id}`;
  const parameters = parametersOf(query);
  const token = query.get('pageToken');
  const after = token === null ? '' : readPageToken(token, { of: subject, parameters }).after;
  const rest = instances.filter(({ id }) => id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
  const page = rest.slice(0, size);
  const last = page.at(-1);
  const answer: calendar_v3.Schema$Events = {
    kind: 'calendar#events',
    etag: etagOf(calendar),
    summary: calendar.title,
    timeZone: viewer.timeZone,
    accessRole: viewer.role,
    items: page.map((event) => namedMembers(viewOf(calendar, event, viewer), query)),
  };
  if (last !== undefined && page.length < rest.length) {
    const { version } = calendar;
    answer.nextPageToken = tokenText({ kind: 'page', of: subject, after: last.id, version, parameters });
  }
  return jsonAnswer(200, answer);
}

/**
 * Returns the fields of an item that the parameter `fields` selects, or all. Other parts of the page are always
 * complete.
 */
function namedMembers(event: GoogleEvent, query: URLSearchParams): GoogleEvent {
  const names = /\bitems\(([^()]*)\)/.exec(query.get('fields') ?? '')?.[1]?.split(',');
  if (names === undefined) return event;
  return Object.fromEntries(Object.entries(event).filter(([name]) => names.includes(name)));
}

const TWO_YEARS = 2 * 366 * 86_400_000;

function listedInstances(
  { query }: ApiContext,
  { calendar, master, now }: Pick<OpenCalendar, 'calendar'> & { master: StoredEvent; now: number },
): StoredEvent[] {
  const { startsAt } = spanOf(master, calendar);
  const originalStart = originalStartIn(query);
  // No source confirms where a series without an end stops when there is no timeMax.
  const window = {
    start: instant(query, 'timeMin') ?? startsAt - 1,
    end: instant(query, 'timeMax') ?? Math.max(startsAt, now) + TWO_YEARS,
  };
  // A moved instance is found by its original start, wherever it is now.
  const around = originalStart === undefined ? window : { start: originalStart, end: originalStart + 1 };
  const regular = isMaster(master)
    ? instancesOf(calendar, master, around)
        .filter(({ isOverride }) => !isOverride)
        .map((instance) => unchangedInstance(calendar, master, instance))
    : [];
  const exceptions = exceptionsOf(calendar, master.id).filter((event) => {
    if (event.status === 'cancelled' && !(flag(query, 'showDeleted') ?? false)) return false;
    const span = spanOf(event, calendar);
    return originalStart !== undefined || (span.endsAt > window.start && span.startsAt < window.end);
  });
  return [...regular, ...exceptions].filter(
    ({ instanceOf }) =>
      originalStart === undefined ||
      (instanceOf !== undefined && toInstant(instanceOf.original, calendar.timeZone) === originalStart),
  );
}

/** `originalStart` is a time with an offset, or a date. */
function originalStartIn(query: URLSearchParams): number | undefined {
  const text = query.get('originalStart');
  if (text === null) return undefined;
  const time = rfc3339(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time === undefined) throw new SandboxRefusal(400, 'badRequest', 'Bad Request');
  return time;
}

function eventOf({ calendar }: OpenCalendar, { params }: ApiContext): StoredEvent {
  const event = findEvent(calendar, params.eventId ?? '');
  if (event === undefined) throw notFound();
  return event;
}

const resourceDeleted = () => new SandboxRefusal(410, 'deleted', 'Resource has been deleted');

/** If-Match (RFC 9110 §13.1.1), with the etag the change was based on. */
function refuseStale(event: StoredEvent, { headers }: ApiContext): void {
  const expected = headers['if-match'];
  if (typeof expected !== 'string' || expected === '*') return;
  const accepted = expected.split(',').map((part) => part.trim());
  if (!accepted.includes(etagOf(event))) {
    throw new SandboxRefusal(412, 'conditionNotMet', 'Precondition Failed');
  }
}

function conferencesIn({ query }: ApiContext): number {
  const version = query.get('conferenceDataVersion') ?? '0';
  if (version !== '0' && version !== '1') {
    throw new SandboxRefusal(
      400,
      'invalidParameter',
      `Invalid value '${version}' for conferenceDataVersion.`,
    );
  }
  return Number(version);
}

const supportedBy = (context: ApiContext) => ({
  conferenceDataVersion: conferencesIn(context),
  supportsAttachments: flag(context.query, 'supportsAttachments') ?? false,
});

const writerOf = ({ person, now }: ApiContext) => ({ email: person.email, now });

function answerEvent(status: number, event: StoredEvent, { calendar, viewer }: OpenCalendar): SandboxAnswer {
  const resource: GoogleEvent = viewOf(calendar, event, viewer);
  return jsonAnswer(status, resource, { etag: etagOf(event) });
}
