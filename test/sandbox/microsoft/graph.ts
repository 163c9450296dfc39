/** Graph of the sandbox's Microsoft, signed in to as Ada, and what to put in her calendar. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { everyPage, type Graph, graphClient, type Json, openMicrosoft, signIn } from './harness.ts';

export async function openGraph(t: TestContext, scope?: string) {
  const opened = await openMicrosoft(t);
  const { accessToken } = await signIn(opened.sandbox.origin, scope === undefined ? {} : { scope });
  return { ...opened, graph: graphClient(opened.sandbox, accessToken), accessToken };
}

export const BERLIN = 'W. Europe Standard Time';
export const at = (dateTime: string, timeZone = BERLIN) => ({ dateTime, timeZone });
export const single = (subject: string, day = '2026-11-28') => ({
  subject,
  start: at(`${day}T09:00:00`),
  end: at(`${day}T10:00:00`),
});
/** Every Monday at nine from 5 October 2026, over the change of clocks on 25 October. */
export const WEEKLY = {
  subject: 'Standup',
  start: at('2026-10-05T09:00:00'),
  end: at('2026-10-05T09:30:00'),
  recurrence: {
    pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' },
    range: { type: 'numbered', startDate: '2026-10-05', numberOfOccurrences: 6 },
  },
};
export const WINDOW = 'startDateTime=2026-10-01T00:00:00Z&endDateTime=2027-01-15T00:00:00Z';

export async function create(graph: Graph, calendarId: string, body: object): Promise<Json> {
  const answer = await graph('POST', `/me/calendars/${calendarId}/events`, { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

export async function occurrences(graph: Graph, masterId: unknown): Promise<Json[]> {
  return (
    await everyPage(graph, `/me/events/${encodeURIComponent(String(masterId))}/instances?${WINDOW}&$top=50`)
  ).value;
}

export const startOf = (event: Json | undefined): unknown => (event?.start as Json | undefined)?.dateTime;
export const pathOf = (event: Json | undefined): string =>
  `/me/events/${encodeURIComponent(String(event?.id))}`;
