/** Reading events: lists, single events, the instances of a series, windows. */

import type { TimeWindow } from '../../src/lib/recurrence/series.ts';
import { hasEffect } from '../core/faults.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { contextOf } from './calendar-operations.ts';
import { cancelledOccurrences, type EventResource, eventResource, instanceResource } from './event-shape.ts';
import { unsupportedQuery } from './graph-error.ts';
import { type GraphCall, jsonAnswer } from './graph-request.ts';
import { readInstant } from './graph-time.ts';
import type { StoredEvent } from './mailbox.ts';
import { calendarOf, findEvent, type LocatedEvent } from './mailbox-store.ts';
import { allowOnly, pageOf, selected } from './page.ts';
import { type EventInstance, instanceAt, instancesOf } from './series-instances.ts';

/** `/events`: single events and masters, without a window. */
export function answerEvents(call: GraphCall): SandboxAnswer {
  const { searchParams } = call.request.url;
  allowOnly(searchParams, ['$top', '$skip', '$select', '$orderby', '$expand', '$count']);
  // The order is that of creation: no source confirms Graph's order.
  const events = ordered([...calendarOf(call.account, call.parts.calendarId).events.values()], searchParams);
  const listed = hasEffect(call.effects, 'passed_over') ? events.slice(1) : events;
  return eventPage(listed, (event) => withExpansions(event, call, MANY), call);
}

/** `/events/{id}`, for an event or an occurrence. */
export function answerEvent(call: GraphCall): SandboxAnswer {
  allowOnly(call.request.url.searchParams, ['$select', '$expand']);
  return oneEvent(eventOfCall(call), call);
}

export const eventOfCall = ({ account, parts, effects }: GraphCall): LocatedEvent =>
  findEvent({ account, effects, calendarId: parts.calendarId }, parts.eventId ?? '');

export function oneEvent(
  { event, instance }: Pick<LocatedEvent, 'event' | 'instance'>,
  call: GraphCall,
  status = 200,
): SandboxAnswer {
  const resource =
    instance === undefined ? withExpansions(event, call, ONE) : instanceResource(instance, call.view);
  const context = contextOf(call, `users('${call.account.oid}')/events/$entity`);
  const { request } = call;
  const body = selected(
    { '@odata.context': context, ...resource },
    request.method === 'GET' ? request.url.searchParams : NOTHING,
  );
  return jsonAnswer(body, call, status);
}

const NOTHING = new URLSearchParams();

/** `/events/{id}/instances`: the full occurrences and exceptions in a window. */
export function answerInstances(call: GraphCall): SandboxAnswer {
  const { searchParams } = call.request.url;
  allowOnly(searchParams, ['$top', '$skip', '$select']);
  const { event, instance } = eventOfCall(call);
  if (instance !== undefined || event.recurrence === undefined) {
    throw new SandboxRefusal(400, 'ErrorInvalidRequest', 'The event is not a series master.');
  }
  return eventPage(
    instancesOf(event, readWindow(searchParams)),
    (one) => instanceResource(one, call.view),
    call,
  );
}

/** `/events/{id}/exceptionOccurrences`: the remaining exceptions that a response had no room for. */
export function answerExceptions(call: GraphCall): SandboxAnswer {
  allowOnly(call.request.url.searchParams, ['$top', '$skip', '$select']);
  const { event } = eventOfCall(call);
  return eventPage(exceptionsOf(event), (one) => instanceResource(one, call.view), call);
}

const exceptionsOf = (event: StoredEvent): readonly EventInstance[] =>
  [...event.exceptions.keys()].toSorted().flatMap((original) => instanceAt(event, original) ?? []);

/** `/calendarView`: everything that overlaps the window, expanded, by start. */
export function answerCalendarView(call: GraphCall): SandboxAnswer {
  const { searchParams } = call.request.url;
  allowOnly(searchParams, ['$top', '$skip', '$select']);
  const window = readWindow(searchParams);
  const events = [...calendarOf(call.account, call.parts.calendarId).events.values()];
  const instances = events.flatMap((event) => instancesOf(event, window)).sort((a, b) => a.start - b.start);
  return eventPage(instances, (one) => instanceResource(one, call.view), call);
}

/** The longest window of a view. No source confirms that the limit is the same for other requests. */
const LONGEST_WINDOW = 1825 * 86_400_000;

/** Reads both ends of the window, which are required. Throws a 400. */
export function readWindow(parameters: URLSearchParams): TimeWindow {
  const start = readInstant('StartDateTime', parameters.get('startDateTime'));
  const end = readInstant('EndDateTime', parameters.get('endDateTime'));
  if (end < start) {
    throw new SandboxRefusal(
      400,
      'ErrorInvalidParameter',
      "The 'EndDateTime' parameter must be later than 'StartDateTime'.",
    );
  }
  if (end - start > LONGEST_WINDOW) {
    throw new SandboxRefusal(
      400,
      'ErrorCalendarViewRangeTooBig',
      'The specified view range exceeds the maximum range of 1825 days.',
    );
  }
  return { start, end };
}

function eventPage<T>(
  all: readonly T[],
  resourceOf: (item: T) => EventResource,
  call: GraphCall,
): SandboxAnswer {
  const { searchParams } = call.request.url;
  const { items, nextLink } = pageOf(all, call);
  return jsonAnswer(
    {
      '@odata.context': contextOf(call, `users('${call.account.oid}')/events`),
      ...(searchParams.get('$count') === 'true' ? { '@odata.count': all.length } : {}),
      value: items.map((item) => selected(resourceOf(item), searchParams)),
      ...(nextLink === undefined ? {} : { '@odata.nextLink': nextLink }),
    },
    call,
  );
}

const ORDERS: Readonly<Record<string, (event: StoredEvent) => string | number>> = {
  createdDateTime: ({ createdAt }) => createdAt,
  lastModifiedDateTime: ({ modifiedAt }) => modifiedAt,
  'start/dateTime': ({ content }) => content.start.local,
  subject: ({ content }) => content.subject ?? '',
};

function ordered(events: StoredEvent[], parameters: URLSearchParams): StoredEvent[] {
  const [name = '', direction = 'asc'] = (parameters.get('$orderby') ?? '').trim().split(/\s+/);
  if (name === '') return events;
  const value = ORDERS[name];
  if (value === undefined || !['asc', 'desc'].includes(direction)) throw unsupportedQuery('$orderby');
  const sign = direction === 'asc' ? 1 : -1;
  return events.sort((a, b) => (value(a) < value(b) ? -sign : value(a) > value(b) ? sign : 0));
}

const ONE: readonly string[] = ['exceptionOccurrences', 'singleValueExtendedProperties'];
const MANY: readonly string[] = ['singleValueExtendedProperties'];

const EXCEPTIONS_PER_PAGE = 2;
const EXCEPTIONS_LINK = 'exceptionOccurrences@odata.nextLink';

function linkToMore({ pathname, searchParams }: URL, { origin }: GraphCall['view']): string {
  const link = new URL(`${pathname}/exceptionOccurrences`, origin);
  link.searchParams.set('$select', searchParams.get('$select') ?? 'id');
  link.searchParams.set('$top', String(EXCEPTIONS_PER_PAGE));
  link.searchParams.set('$skip', String(EXCEPTIONS_PER_PAGE));
  return link.href;
}

/**
 * Adds the fields that `$expand` requests; for one event also its exceptions and, with `$select`, its deleted
 * occurrences. No source confirms that.
 */
function withExpansions(
  event: StoredEvent,
  { request, view, effects }: GraphCall,
  allowed: readonly string[],
): EventResource {
  const expand = request.url.searchParams.get('$expand') ?? '';
  const names = [...expand.replace(/\([^)]*\)/g, '').split(',')].map((name) => name.trim()).filter(Boolean);
  if (names.some((name) => !allowed.includes(name))) throw unsupportedQuery('$expand');
  const resource = eventResource(event, view);
  if (names.includes('exceptionOccurrences')) {
    const all = exceptionsOf(event);
    const first = hasEffect(effects, 'paged_exceptions') ? all.slice(0, EXCEPTIONS_PER_PAGE) : all;
    resource.exceptionOccurrences = first.map((instance) =>
      selected(instanceResource(instance, view), request.url.searchParams),
    );
    if (first.length < all.length) resource[EXCEPTIONS_LINK] = linkToMore(request.url, view);
  }
  if (allowed === ONE && event.recurrence !== undefined) {
    resource.cancelledOccurrences = cancelledOccurrences(event, view);
  }
  if (names.includes('singleValueExtendedProperties') && !view.basic) {
    const ids = [...expand.matchAll(/id eq '([^']*)'/gi)].map(([, id]) => id);
    const properties = event.content.extendedProperties.filter(
      ({ id }) => ids.length === 0 || ids.includes(id),
    );
    // Like Graph, the response omits properties that the event does not have.
    if (properties.length > 0) resource.singleValueExtendedProperties = [...properties];
  }
  return resource;
}
