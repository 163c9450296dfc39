/** REPORT (RFC 3253 §3.6) on a calendar: sync-collection, calendar-query, calendar-multiget, free-busy-query. */
import { caldav, dav } from '../../src/providers/caldav/dav/dav-names.ts';
import { child, listHrefs, readElementText, type XmlElement } from '../../src/providers/caldav/dav/xml.ts';
import { hasEffect } from '../core/faults.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { calendarZone } from './calendar-zone.ts';
import type { CalendarObject } from './collection.ts';
import { failedCondition, multistatus, propertyResponse, statusResponse, xmlText } from './dav-answer.ts';
import { type DavContext, withFaults } from './dav-context.ts';
import { freeBusyText } from './free-busy.ts';
import { readProperties } from './propfind.ts';
import { matches, readFilter, readTimeRange } from './query-filter.ts';
import { type DavResource, pathOf, resourceAt } from './resource-tree.ts';

type CalendarResource = Extract<DavResource, { type: 'calendar' }>;

export function report(
  resource: DavResource,
  { depth, body }: { depth: string; body: XmlElement },
  context: DavContext,
): SandboxAnswer {
  if (resource.type !== 'calendar')
    throw failedCondition(403, 'd:supported-report', 'Calendars are reported on');
  if (body.name === dav('sync-collection')) return syncCollection(resource, body, context);
  if (body.name === caldav('calendar-query')) return calendarQuery(resource, { depth, body }, context);
  if (body.name === caldav('calendar-multiget')) return calendarMultiget(resource, body, context);
  if (body.name === caldav('free-busy-query') && context.behaviour.hasFreeBusyReport)
    return freeBusyQuery(resource, body, context);
  throw failedCondition(403, 'd:supported-report', 'This report is not known here');
}

/** RFC 6578 §3. */
function syncCollection(resource: CalendarResource, body: XmlElement, context: DavContext): SandboxAnswer {
  const { effects, behaviour, syncPage } = context;
  const syncToken = readElementText(child(body, dav('sync-token'))) ?? '';
  const forgotten = hasEffect(effects, 'token_forgotten') && syncToken !== '';
  const limit = Number(readElementText(child(child(body, dav('limit')), dav('nresults'))) ?? syncPage);
  const most = Number.isInteger(limit) && limit > 0 ? Math.min(limit, syncPage) : syncPage;
  const changes = forgotten ? undefined : resource.calendar.changesSince(syncToken, most);
  if (changes === undefined) throw failedCondition(403, 'd:valid-sync-token', 'The sync token is not known');
  const path = pathOf(resource, behaviour);
  const { itself, members } = listing(resource, { objects: changes.changed, body }, context);
  const removed = changes.removed.map((name) =>
    statusResponse(path + encodeURIComponent(name), '404 Not Found'),
  );
  const cut = '<d:error><d:number-of-matches-within-limits/></d:error>';
  return multistatus(
    [
      ...itself,
      ...withFaults([...members, ...removed], effects),
      // §3.6: the collection itself says that there is more.
      ...(changes.truncated ? [statusResponse(path, '507 Insufficient Storage', cut)] : []),
    ],
    `<d:sync-token>${xmlText(changes.syncToken)}</d:sync-token>`,
  );
}

/** RFC 4791 §7.8. */
function calendarQuery(
  resource: CalendarResource,
  { depth, body }: { depth: string; body: XmlElement },
  context: DavContext,
): SandboxAnswer {
  const filter = readFilter(body);
  if (filter.component === undefined && context.behaviour.wantsComponentFilter)
    throw failedCondition(403, 'c:valid-filter', 'A query filters by VEVENT or VTODO');
  // > this value defaults to "0": nothing is inside of the collection's own resource.
  const objects = depth === '0' ? [] : resource.calendar.objects();
  const zone = calendarZone(resource.calendar);
  const matching = objects.filter((object) => matches(object, filter, zone));
  const { itself, members } = listing(resource, { objects: matching, body }, context);
  return multistatus([...itself, ...withFaults(members, context.effects)]);
}

/** §7.9: each requested href has a response. */
function calendarMultiget(resource: CalendarResource, body: XmlElement, context: DavContext): SandboxAnswer {
  const responses = listHrefs(body).map((href) => {
    const path = URL.parse(href, context.homeOrigin)?.pathname ?? '';
    const member = resourceAt(path, context);
    const isHere = member?.type === 'object' && member.calendar === resource.calendar;
    return isHere ? resourceResponse(member, body, context) : statusResponse(href, '404 Not Found');
  });
  return multistatus(withFaults(responses, context.effects));
}

/** §7.10. */
function freeBusyQuery({ calendar }: CalendarResource, body: XmlElement, { now }: DavContext): SandboxAnswer {
  const range = child(body, caldav('time-range'));
  if (range === undefined) throw failedCondition(403, 'c:valid-filter', 'A time range is asked about');
  const text = freeBusyText(calendar, readTimeRange(range), now);
  return { status: 200, headers: { 'content-type': 'text/calendar; charset=utf-8' }, body: text };
}

function resourceResponse(resource: DavResource, body: XmlElement, context: DavContext): string {
  const names = requestedNames(body);
  const values = new Map(readProperties(resource, names, context));
  // The whole object is always sent: no client here uses the options to leave parts out (§9.6).
  if (resource.type === 'object' && names.includes(caldav('calendar-data')))
    values.set(caldav('calendar-data'), xmlText(resource.object.icalendar));
  return propertyResponse(pathOf(resource, context.behaviour), values);
}

/** Renders the responses about members, after that of the collection if the server lists it among them. */
function listing(
  resource: CalendarResource,
  { objects, body }: { readonly objects: readonly CalendarObject[]; readonly body: XmlElement },
  context: DavContext,
) {
  const respond = (member: DavResource) => resourceResponse(member, body, context);
  return {
    itself: context.behaviour.listsItself ? [respond(resource)] : [],
    members: objects.map((object) => respond({ ...resource, type: 'object', object })),
  };
}

const requestedNames = (body: XmlElement): string[] =>
  child(body, dav('prop'))?.children.map(({ name }) => name) ?? [];
