/** The properties that the server computes, and whose values clients cannot set. */
import { apple, caldav, calendarServer, dav } from '../../src/providers/caldav/dav/dav-names.ts';
import { xmlText } from './dav-answer.ts';
import { type DavResource, pathOf } from './resource-tree.ts';
import { defaultCalendar } from './scheduling.ts';
import type { ServerBehaviour } from './server-behaviour.ts';
import { addressesOf } from './user-address.ts';

export type PropertyContext = {
  readonly behaviour: ServerBehaviour;
  /** The person who reads: everybody sees only their own resources. */
  readonly principalPath: string;
  /** The origin of the homes. */
  readonly homeOrigin: string;
};

type Live = (resource: DavResource, context: PropertyContext) => string | undefined;

const href = (path: string): string => `<d:href>${xmlText(path)}</d:href>`;

const LIVE: Readonly<Record<string, Live>> = {
  [dav('resourcetype')]: (resource, { behaviour }) => {
    if (resource.type === 'object') return '';
    if (resource.type === 'principal') return '<d:collection/><d:principal/>';
    if (resource.type === 'box') return behaviour.boxes[resource.name];
    return resource.type === 'calendar' ? '<d:collection/><c:calendar/>' : '<d:collection/>';
  },
  [dav('current-user-principal')]: (_resource, { principalPath }) => href(principalPath),
  [dav('principal-URL')]: (resource, { behaviour }) =>
    resource.type === 'principal' ? href(pathOf(resource, behaviour)) : undefined,
  // iCloud returns the person's partition, on a separate host.
  [caldav('calendar-home-set')]: (resource, { behaviour, homeOrigin }) =>
    resource.type === 'principal'
      ? href((behaviour.kind === 'icloud' ? homeOrigin : '') + behaviour.pathOfHome(resource.account))
      : undefined,
  [caldav('calendar-user-address-set')]: (resource, { behaviour }) => {
    if (resource.type !== 'principal') return undefined;
    const { account } = resource;
    const addresses = behaviour.schedules
      ? addressesOf(account, behaviour)
      : [`mailto:${account.person.email}`];
    return addresses.map(href).join('');
  },
  [caldav('schedule-inbox-URL')]: (resource, { behaviour }) => boxUrl(resource, 'inbox', behaviour),
  [caldav('schedule-outbox-URL')]: (resource, { behaviour }) => boxUrl(resource, 'outbox', behaviour),
  [caldav('schedule-default-calendar-URL')]: (resource, { behaviour }) => {
    if (resource.type !== 'box' || !behaviour.schedules || resource.name !== 'inbox') return undefined;
    const { account } = resource;
    const calendar = defaultCalendar(account);
    return calendar && href(pathOf({ type: 'calendar', account, calendar }, behaviour));
  },
  [caldav('schedule-tag')]: (resource, { behaviour }) =>
    resource.type === 'object' && behaviour.schedules ? xmlText(resource.object.scheduleTag) : undefined,
  [dav('owner')]: (resource, { behaviour }) =>
    resource.type === 'root' ? undefined : href(behaviour.pathOfPrincipal(resource.account)),
  [dav('current-user-privilege-set')]: (resource) => {
    const privileges = ['read', 'read-current-user-privilege-set', ...(isWritable(resource) ? WRITING : [])];
    return privileges.map((name) => `<d:privilege><d:${name}/></d:privilege>`).join('');
  },
  [dav('getetag')]: (resource) => (resource.type === 'object' ? xmlText(resource.object.etag) : undefined),
  [dav('getcontenttype')]: (resource) =>
    resource.type === 'object'
      ? `text/calendar; charset=utf-8; component=${componentOf(resource.object)}`
      : undefined,
  [dav('sync-token')]: (resource) =>
    resource.type === 'calendar' ? xmlText(resource.calendar.shownToken) : undefined,
  [calendarServer('getctag')]: (resource) =>
    resource.type === 'calendar' ? xmlText(resource.calendar.ctag) : undefined,
  [caldav('supported-calendar-component-set')]: (resource) =>
    resource.type === 'calendar'
      ? resource.calendar.components.map((name) => `<c:comp name="${xmlText(name)}"/>`).join('')
      : undefined,
  [dav('supported-report-set')]: (resource, { behaviour }) =>
    resource.type === 'calendar'
      ? reportsOf(behaviour)
          .map((name) => `<d:supported-report><d:report><${name}/></d:report></d:supported-report>`)
          .join('')
      : undefined,
};

const boxUrl = (resource: DavResource, name: string, behaviour: ServerBehaviour): string | undefined =>
  resource.type === 'principal' && behaviour.schedules
    ? href(pathOf({ type: 'box', account: resource.account, name }, behaviour))
    : undefined;

const WRITING = ['write', 'write-content', 'write-properties', 'bind', 'unbind'];

/** The reports that a calendar supports, with their prefixes. */
export const reportsOf = ({ hasFreeBusyReport }: ServerBehaviour): string[] => [
  'd:sync-collection',
  'c:calendar-query',
  'c:calendar-multiget',
  ...(hasFreeBusyReport ? ['c:free-busy-query'] : []),
];

const isWritable = (resource: DavResource): boolean =>
  resource.type === 'home' ||
  ((resource.type === 'calendar' || resource.type === 'object') && !resource.calendar.readOnly);

const componentOf = ({ icalendar }: { icalendar: string }): string =>
  /^BEGIN:VTODO\s*$/im.test(icalendar) ? 'vtodo' : 'vevent';

export const isLive = (name: string): boolean => Object.hasOwn(LIVE, name);

/**
 * Returns the inner XML of a property, including those that clients set, or `undefined` if the resource does not have
 * it.
 */
export function propertyOf(
  resource: DavResource,
  name: string,
  context: PropertyContext,
): string | undefined {
  const live = Object.hasOwn(LIVE, name) ? LIVE[name] : undefined;
  if (live !== undefined) return live(resource, context);
  if (resource.type === 'calendar') return resource.calendar.properties.get(name);
  const isNamed = name === dav('displayname') && (resource.type === 'principal' || resource.type === 'home');
  return isNamed ? xmlText(resource.account.person.name) : undefined;
}

/**
 * Returns the properties for `allprop`, without those that RFC 4791 excludes (§5.2), which most servers read leniently.
 */
export function allNames(resource: DavResource): string[] {
  const more = resource.type === 'calendar' ? [...resource.calendar.properties.keys()] : [dav('displayname')];
  return [
    dav('resourcetype'),
    dav('getetag'),
    dav('getcontenttype'),
    dav('sync-token'),
    calendarServer('getctag'),
    ...more,
  ];
}

/** The names of a calendar's title, color and zone. */
export const TITLE = dav('displayname');
export const COLOR = apple('calendar-color');
export const TIME_ZONE = caldav('calendar-timezone');
