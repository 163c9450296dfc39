/** A server with one calendar of Ada's that events are written to. */
import type { ProviderCalendar } from '../../src/calendars/calendar.ts';
import { calendar } from '../contract/mirror-rows.ts';
import {
  type CalendarServer,
  type CalendarServerOptions,
  get,
  link,
  openCalendarServer,
} from '../harness/calendar-server.ts';

export const HOME = 'https://dav.example/ada/home/';
/** Names the calendar in a request. */
export const ID = { provider: 'caldav', calendarId: HOME };
export const EVENT = { ...ID, title: 'Meeting', start: '2026-11-20T09:00:00Z', end: '2026-11-20T10:00:00Z' };

export type Method = 'POST' | 'PUT' | 'DELETE';

/** The calendar HOME is listed already, and `others` with it. The token may write. */
export async function openEventSite(
  options: CalendarServerOptions = {},
  ...others: readonly ProviderCalendar[]
): Promise<{ server: CalendarServer; token: string }> {
  const server = await openCalendarServer(options);
  for (const one of [calendar(HOME), ...others]) server.provider.addCalendar(one);
  await link(server);
  const token = await server.token();
  await get(server, '/calendars', token);
  return { server, token };
}
