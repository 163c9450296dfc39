/**
 * Finds the zone of a mailbox. Graph's calendars have none, and its settings need another permission
 * (MailboxSettings.Read), but a schedule has the zone of the owner's working hours. Each of our calendar permissions
 * seems to suffice for that, which no source confirms. Personal accounts have no schedule.
 */
import type { Calendar as GraphCalendar, ScheduleInformation } from '@microsoft/microsoft-graph-types';

import { ProviderError, type ProviderErrorKind } from '../../calendars/provider-error.ts';
import type { Graph } from './api.ts';
import { resolveFirstZone } from './event-times.ts';

/** Errors for an account without a schedule, as opposed to temporary failures. */
const NO_SCHEDULE: readonly ProviderErrorKind[] = ['permission_missing', 'not_found', 'invalid_response'];

/** Returns an IANA zone; UTC if it cannot be known. `now` is epoch milliseconds. */
export async function readMailboxZone(
  graph: Graph,
  calendars: readonly GraphCalendar[],
  now: number,
): Promise<string> {
  const owner = calendars.find(({ isDefaultCalendar }) => isDefaultCalendar)?.owner?.address;
  if (!owner) return 'UTC';
  const name = readScheduleZone(await readSchedule(graph, owner, now));
  const zone = resolveFirstZone(name);
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
