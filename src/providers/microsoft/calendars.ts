/** Reads the account's calendars. */
import type { Calendar as GraphCalendar, ScheduleInformation } from '@microsoft/microsoft-graph-types';
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { ProviderError, type ProviderErrorKind } from '../../calendars/provider-error.ts';
import { readMember, text, withoutUndefined } from '../json-value.ts';
import type { Graph } from './api.ts';
import { resolveFirstZone } from './event-times.ts';

export const calendarUrl = ({ apiUrl }: Graph, href: string): string =>
  `${apiUrl}/me/calendars/${encodeURIComponent(href)}`;

/** Returns a getter of the owner's address, which is requested once; `undefined` if Graph does not name it. */
export function ownerOfCalendar(graph: Graph, url: string): () => Promise<string | undefined> {
  let owner: Promise<string | undefined> | undefined;
  const request = { operation: 'calendars.get', url: `${url}?$select=owner` };
  const ask = async () => text(readMember((await graph.get(request)).owner, 'address'));
  return () => {
    owner ??= ask();
    return owner;
  };
}

/** `now` is epoch milliseconds. */
export async function listCalendars(graph: Graph, now: number): Promise<ProviderCalendar[]> {
  const request = { operation: 'calendars.list', url: `${graph.apiUrl}/me/calendars?$top=100` };
  const calendars = new Map<string, GraphCalendar>();
  for await (const { value } of graph.list<GraphCalendar>(request)) {
    // A calendar may be listed twice: the last entry counts.
    for (const calendar of value) if (calendar.id) calendars.set(calendar.id, calendar);
  }
  const timeZone = await readMailboxZone(graph, [...calendars.values()], now);
  return [...calendars].map(([id, calendar]) => toCalendar(id, calendar, timeZone));
}

/** `timeZone` is the mailbox's, since Graph's calendars have none. It is for events created without a zone. */
function toCalendar(id: string, calendar: GraphCalendar, timeZone: string): ProviderCalendar {
  const { name, hexColor, canEdit, isDefaultCalendar } = calendar;
  const color = /^#[\da-f]{6}$/i.exec(hexColor ?? '')?.[0].toLowerCase();
  return {
    href: id,
    title: name ?? '',
    ...withoutUndefined({ color }),
    timeZone,
    access: canEdit === true ? 'write' : 'read',
    ...(isDefaultCalendar === true ? { primary: true } : {}),
    original: { ...calendar },
  };
}

/** Errors for an account without a schedule, as opposed to temporary failures. */
const NO_SCHEDULE: readonly ProviderErrorKind[] = ['permission_missing', 'not_found', 'invalid_response'];

/**
 * Returns the IANA zone of a mailbox; UTC if it cannot be known. `now` is epoch milliseconds. Graph's calendars have no
 * zone, and its settings need another permission (MailboxSettings.Read), but a schedule has the zone of the owner's
 * working hours. Each of our calendar permissions seems to suffice for that, which no source confirms. Personal accounts
 * have no schedule.
 */
async function readMailboxZone(
  graph: Graph,
  calendars: readonly GraphCalendar[],
  now: number,
): Promise<string> {
  const owner = calendars.find(({ isDefaultCalendar }) => isDefaultCalendar)?.owner?.address;
  if (!owner) return 'UTC';
  const zone = resolveFirstZone(readScheduleZone(await readSchedule(graph, owner, now)));
  return typeof zone === 'string' ? zone : 'UTC';
}

/** Reads the schedule of the coming hour. Only facts that do not depend on the hour are used. */
async function readSchedule(graph: Graph, owner: string, now: number): Promise<unknown> {
  const at = (instant: number) => ({
    dateTime: new Date(instant).toISOString().slice(0, 19),
    timeZone: 'UTC',
  });
  try {
    const answer = await graph.write({
      operation: 'getSchedule',
      method: 'POST',
      url: `${graph.apiUrl}/me/calendar/getSchedule`,
      body: {
        schedules: [owner],
        startTime: at(now),
        endTime: at(now + 3_600_000),
        availabilityViewInterval: 60,
      },
    });
    return answer?.value;
  } catch (failure) {
    if (failure instanceof ProviderError && NO_SCHEDULE.includes(failure.kind)) return undefined;
    throw failure;
  }
}

function readScheduleZone(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  // The published type of the items: all its members are optional.
  const [schedule] = value as readonly (ScheduleInformation | null | undefined)[];
  const name: unknown = schedule?.workingHours?.timeZone?.name;
  return typeof name === 'string' ? name : undefined;
}
