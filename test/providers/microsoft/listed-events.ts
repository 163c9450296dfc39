/** Responses of `GET /events`, in a form to compare with what Outlook shows. */
import assert from 'node:assert/strict';

import type { ListedInstance } from '../../../sandbox/core/provider-sandbox.ts';
import { type CalendarServer, get } from '../../harness/calendar-server.ts';
import type { ReadWindow } from '../provider-reader.ts';

export type Listed = {
  id: string;
  title: string;
  start: string;
  end: string;
  allDay: boolean;
  recurringEventId?: string;
};

export async function listEvents(
  server: CalendarServer,
  token: string,
  window: ReadWindow,
): Promise<Listed[]> {
  const [start, end] = [window.start, window.end].map((at) => new Date(at).toISOString());
  const answer = await get(server, `/events?pageSize=1000&start=${start}&end=${end}`, token);
  assert.equal(answer.statusCode, 200, answer.body);
  const { events, errors } = answer.json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return events;
}

export const instancesOf = (events: readonly Listed[]): ListedInstance[] =>
  events
    .map(({ title, start, end, allDay }) => ({
      title,
      start: Date.parse(start),
      end: Date.parse(end),
      allDay,
    }))
    .sort((a, b) => a.start - b.start || (a.title < b.title ? -1 : 1));
