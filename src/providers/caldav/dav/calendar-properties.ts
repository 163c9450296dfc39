/** Reads a calendar from the properties of its collection. */
import type { ProviderCalendar } from '../../../calendars/calendar.ts';
import { parseTimeZone } from './calendar-time-zone.ts';
import { apple, caldav, calendarServer, dav, prefixed } from './dav-names.ts';
import { lastSegment } from './href.ts';
import { boundedTag } from './listed-object.ts';
import type { DavResponse } from './multistatus.ts';
import { child, listHrefs, readElementText, type XmlElement } from './xml.ts';

/** Requested by name: iCloud refuses `allprop`. */
export const CALENDAR_PROPERTIES: readonly string[] = [
  dav('resourcetype'),
  dav('displayname'),
  caldav('calendar-description'),
  caldav('supported-calendar-component-set'),
  dav('current-user-privilege-set'),
  dav('supported-report-set'),
  apple('calendar-color'),
  caldav('calendar-timezone'),
  dav('owner'),
  // The property of an inbox among the calendars.
  caldav('schedule-default-calendar-URL'),
];

/** Requested in listings too. They change with every event, so they are not part of the calendar itself. */
export const VERSION_PROPERTIES: readonly string[] = [dav('sync-token'), calendarServer('getctag')];

/** Returns both tags, since either may be missing or stuck; `undefined` if both are missing or one is too long. */
export function readVersionTag({ properties }: DavResponse): string | undefined {
  const tags = VERSION_PROPERTIES.map((name) => readElementText(properties.get(name)));
  if (tags.every((tag) => tag === undefined)) return undefined;
  if (tags.some((tag) => tag !== undefined && boundedTag(tag) === undefined)) return undefined;
  return JSON.stringify(tags);
}

/** Returns a collection as a calendar; `undefined` if it holds no events. */
export function parseCalendar(response: DavResponse, url: URL): ProviderCalendar | undefined {
  const { properties } = response;
  if ((response.status ?? 200) > 299 || !holdsEvents(properties)) return undefined;
  const description = readElementText(properties.get(caldav('calendar-description')));
  const color = readColor(readElementText(properties.get(apple('calendar-color'))));
  return {
    href: url.href,
    title: readElementText(properties.get(dav('displayname'))) ?? lastSegment(url.pathname) ?? url.hostname,
    ...(description === undefined ? {} : { description }),
    ...(color === undefined ? {} : { color }),
    timeZone: parseTimeZone(properties.get(caldav('calendar-timezone'))?.text) ?? 'UTC',
    access: parseAccess(properties.get(dav('current-user-privilege-set'))),
    original: Object.fromEntries(
      [...properties]
        .filter(([name]) => !VERSION_PROPERTIES.includes(name))
        .map(([name, value]) => [prefixed(name), plain(value)]),
    ),
  };
}

/** Returns the calendar's owner (RFC 3744 §5.1) as the server spells it; `undefined` if it names none. */
export const ownerIn = ({ properties }: DavResponse): string | undefined =>
  listHrefs(properties.get(dav('owner')))[0];

/** Returns the calendar into which an inbox puts invitations (RFC 6638 §9.2), as the server spells it. */
export function mainCalendarIn({ properties }: DavResponse): string | undefined {
  const isInbox = child(properties.get(dav('resourcetype')), caldav('schedule-inbox')) !== undefined;
  return isInbox ? listHrefs(properties.get(caldav('schedule-default-calendar-URL')))[0] : undefined;
}

/** Returns whether it is a calendar, not a box or a subscription, that accepts VEVENTs (RFC 4791 §5.2.3). */
function holdsEvents(properties: DavResponse['properties']): boolean {
  const types = properties.get(dav('resourcetype'));
  if (child(types, caldav('calendar')) === undefined) return false;
  const boxes = [caldav('schedule-inbox'), caldav('schedule-outbox'), calendarServer('notification')];
  if (boxes.some((box) => child(types, box) !== undefined)) return false;
  const components = properties.get(caldav('supported-calendar-component-set'))?.children ?? [];
  // > In the absence of this property, the server MUST accept all component types
  return (
    components.length === 0 || components.some(({ attributes }) => /^vevent$/i.test(attributes.name ?? ''))
  );
}

/** RFC 3744 §5.4. A server that names no privileges may allow everything. */
function parseAccess(privileges: XmlElement | undefined): 'write' | 'read' {
  if (privileges === undefined || privileges.children.length === 0) return 'write';
  const granted = privileges.children.flatMap((privilege) => privilege.children.map(({ name }) => name));
  const writing = ['all', 'write', 'write-content', 'bind'].map(dav);
  return granted.some((name) => writing.includes(name)) ? 'write' : 'read';
}

/** Returns `#rrggbb`; servers also store colors with an alpha channel or in short form. */
export function readColor(text: string | undefined): string | undefined {
  const digits = /^#?([\da-f]{3,8})$/i.exec(text ?? '')?.[1]?.toLowerCase();
  if (digits?.length === 6 || digits?.length === 8) return `#${digits.slice(0, 6)}`;
  if (digits?.length === 3 || digits?.length === 4)
    return `#${[...digits.slice(0, 3)].map((digit) => digit + digit).join('')}`;
  return undefined;
}

/** Returns a property as plain data: text, or its children by name. */
function plain(element: XmlElement): unknown {
  const text = element.text.trim();
  const attributes = Object.keys(element.attributes).length === 0 ? {} : { ...element.attributes };
  if (element.children.length === 0) return Object.keys(attributes).length === 0 ? text : attributes;
  const children = element.children.map((part) => ({ [prefixed(part.name)]: plain(part) }));
  return Object.keys(attributes).length === 0 ? children : { ...attributes, children };
}
