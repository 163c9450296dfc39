/** A linked account at a provider of the sandbox: what Kalends shows of its calendar, and what the provider shows. */
import assert from 'node:assert/strict';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { get, START } from '../harness/calendar-server.ts';
import { openBench } from '../providers/provider-bench.ts';
import type { Method } from './event-site.ts';
import { type PublishedOccurrence, publishedClient } from './published-clients.ts';

const ADA = 'ada@example.com';
/** The window in which occurrences are compared. */
const WINDOW = { start: Date.UTC(2027, 0, 1), end: Date.UTC(2027, 8, 1) };

/** An occurrence as Kalends lists it. */
export type Listed = {
  readonly id: string;
  readonly recurringEventId?: string;
  readonly title: string;
  readonly location?: string;
  readonly start: string;
  readonly end: string;
  readonly allDay: boolean;
};

export type WitnessSite = Awaited<ReturnType<typeof openWitnessSite>>;

/** `start`: where the clock starts, in epoch milliseconds. Only `pass` moves it. CalDAV servers send invitations. */
export async function openWitnessSite(kind: ProviderKind, start = START) {
  const bench = await openBench(kind, { time: { now: start }, schedules: true });
  await bench.link({ scope: 'read-write' });
  await bench.read();
  const { server, manual, calendarId } = bench;
  const list = await publishedClient(bench, ADA);
  const first = await server.token();
  const calendars = (await get(server, '/calendars', first)).json();
  const calendar = calendars.find((one: { id: string }) => one.id === calendarId) ?? calendars[0];
  const place = { provider: kind, calendarId: calendar.id };
  const query = `start=${iso(WINDOW.start)}&end=${iso(WINDOW.end)}`;

  return {
    place,
    /** The time here and at the provider, ISO 8601. */
    clock: () => iso(bench.clock.now()),
    async send(method: Method, body: object) {
      const headers = { authorization: `Bearer ${await server.token()}` };
      const payload = { ...place, ...body };
      const answer = await server.app.inject({ method, url: '/event', headers, payload });
      return { status: answer.statusCode, body: answer.json() };
    },
    /** The event as GET /events/{id} returns it. */
    async event(id: string) {
      const { provider } = place;
      const path = `/events/${encodeURIComponent(id)}?${new URLSearchParams({ provider, calendarId: calendar.id })}`;
      const answer = await get(server, path, await server.token());
      return { status: answer.statusCode, body: answer.json() };
    },
    /** Returns what Kalends lists now. */
    async listed(): Promise<Listed[]> {
      const answer = await get(server, `/events?${query}`, await server.token());
      assert.deepEqual(answer.json().errors ?? [], []);
      return answer.json().events;
    },
    /** Returns how many messages the provider has sent to attendees. */
    sent: () => bench.sandbox.sent().length,
    /** Lets time pass, so that the next read asks the provider again. */
    pass: () => bench.pass(60_000),
    /** Returns the occurrences that the provider’s own app shows. */
    async atProvider(): Promise<string[]> {
      return textsOf(await manual.instances(ADA, calendarId, WINDOW));
    },
    /** Returns the occurrences that a published client finds. */
    async published(): Promise<string[]> {
      return textsOf(await list(WINDOW));
    },
    close: () => bench.close(),
  };
}

const iso = (at: number): string => new Date(at).toISOString();

const text = ({ start, end, title, allDay }: Omit<Listed, 'id'>): string => {
  const cut = (time: string) => new Date(time).toISOString().slice(0, 16);
  return `${cut(start)} ${cut(end)} ${title}${allDay ? ' all day' : ''}`;
};

const textsOf = (occurrences: readonly PublishedOccurrence[]): string[] =>
  occurrences
    .map(({ start, end, title, allDay }) => text({ start: iso(start), end: iso(end), title, allDay }))
    .sort();

/** The occurrences as `atProvider` returns them. */
export const occurrencesOf = (events: readonly Listed[]): string[] => events.map(text).sort();

/** The id of the series that an event belongs to, or its own. */
export const seriesIdOf = ({ id, recurringEventId = id }: Listed): string => recurringEventId;
