/** Copies the writable members that people set from one Graph event to another. */
import { isDeepStrictEqual } from 'node:util';

import type { Attendee, Event as GraphEvent } from '@microsoft/microsoft-graph-types';

import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import type { GraphItem } from './event-resource.ts';

/** Members that are copied unchanged. Times, places and guests are handled separately. */
const PLAIN_MEMBERS = [
  'subject',
  'body',
  'showAs',
  'sensitivity',
  'categories',
  'importance',
  'isReminderOn',
  'reminderMinutesBeforeStart',
  'responseRequested',
  'allowNewTimeProposals',
  'hideAttendees',
] as const satisfies readonly (keyof GraphEvent)[];

/** Returns everything except times, rules and online meetings, with our extended properties. */
export function copyMembers(item: GraphItem): GraphEvent {
  const properties = item.singleValueExtendedProperties ?? [];
  return {
    ...pickMembers(item),
    ...(properties.length > 0 && {
      singleValueExtendedProperties: properties.map(({ id, value }) => ({
        id: id ?? '',
        value: value ?? '',
      })),
    }),
  };
}

/** Returns the members in which an exception differs from its series, without its times. */
export function ownMembers(exception: GraphItem, master: GraphItem): GraphEvent {
  const ofSeries = new Map<string, unknown>(Object.entries(pickMembers(master)));
  const changed = Object.entries(pickMembers(exception)).filter(
    ([name, value]) => !isDeepStrictEqual(value, ofSeries.get(name)),
  );
  return Object.fromEntries(changed);
}

function pickMembers(item: GraphItem): GraphEvent {
  const plain = PLAIN_MEMBERS.filter((name) => item[name] !== undefined && item[name] !== null);
  return {
    ...Object.fromEntries(plain.map((name) => [name, item[name]])),
    ...('location' in item && copyLocation(item)),
    ...('attendees' in item && { attendees: copyGuests(item) }),
  };
}

/** Returns the location with the kind of each place, so that rooms stay rooms. */
function copyLocation({ location, locations }: GraphItem): GraphEvent {
  const displayName = location?.displayName ?? '';
  if (!displayName && !locations?.length) return { location: { displayName } };
  return { location: location ?? { displayName }, ...(locations?.length && { locations }) };
}

/** Copies the guests with their types (required, optional, resource), without their responses. */
function copyGuests({ attendees }: GraphItem): Attendee[] {
  return (attendees ?? []).flatMap(({ type, emailAddress }) =>
    emailAddress?.address ? [{ type: type ?? 'required', emailAddress }] : [],
  );
}

/** Graph's members for each field. */
const MEMBERS_OF_FIELD: Readonly<Partial<Record<keyof EventChange, readonly (keyof GraphEvent)[]>>> = {
  title: ['subject'],
  description: ['body'],
  location: ['location', 'locations'],
  availability: ['showAs'],
  status: ['showAs'],
  privacy: ['sensitivity'],
  attendees: ['attendees'],
};

/** The values of cleared fields; other fields have none. */
const CLEARED_VALUES: ReadonlyMap<string, unknown> = new Map([
  ['availability', 'busy'],
  ['status', 'confirmed'],
  ['privacy', 'public'],
]);

/** Leaves out the members whose field `change` gives another value than `event` has. Outlook's own values stay. */
export function withoutChanged(members: GraphEvent, change: EventChange, event: CalendarEvent): GraphEvent {
  const before = new Map<string, unknown>(Object.entries(event));
  const changed = new Set<string>(
    Object.entries(change).flatMap(([field, value]) => {
      const newValue = value ?? CLEARED_VALUES.get(field);
      return value === undefined || isDeepStrictEqual(newValue, before.get(field))
        ? []
        : listFieldMembers(field);
    }),
  );
  return Object.fromEntries(Object.entries(members).filter(([name]) => !changed.has(name)));
}

const listFieldMembers = (field: string): readonly string[] =>
  new Map<string, readonly string[]>(Object.entries(MEMBERS_OF_FIELD)).get(field) ?? [];

/** Returns the members with `changed` applied. A new location replaces all former ones. */
export function replaceMembers(members: GraphEvent, changed: GraphEvent): GraphEvent {
  const { locations, ...rest } = members;
  return { ...rest, ...(locations && changed.location === undefined && { locations }), ...changed };
}
