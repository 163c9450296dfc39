/** One account, linked and open to writing over HTTP: at the sandbox, or on a real CalDAV server. */
import assert from 'node:assert/strict';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { type CalendarServer, link, openCalendarServer } from '../harness/calendar-server.ts';
import { type BenchOptions, openBench } from '../providers/provider-bench.ts';
import { adapterDeps, movableTime, signInByPassword, startSandbox } from '../providers/sandbox-provider.ts';
import { basic, type ManagedCalDavServer, USERS } from '../servers/process.ts';

export type WriteSite = {
  readonly provider: ProviderKind;
  readonly server: CalendarServer;
  readonly calendarId: string;
  /** Puts an object into the calendar, as another program of the user would; at CalDAV servers only. */
  put(name: string, icalendar: string): Promise<void>;
  /** Time passes, so that the next read asks the provider again. */
  pass(): void;
  close(): Promise<void>;
};

export async function onSandbox(kind: ProviderKind, options: BenchOptions = {}): Promise<WriteSite> {
  const bench = await openBench(kind, options);
  await bench.link({ scope: 'read-write' });
  await bench.read();
  const { server, calendarId } = bench;
  const put = async () => assert.fail('Nobody puts objects there');
  const pass = () => bench.pass(60_000);
  return { provider: kind, server, calendarId, put, pass, close: () => bench.close() };
}

const ADA = { email: 'ada@example.com', name: 'Ada Lovelace', password: 'abcd-efgh-ijkl-mnop' };

/** At the sandbox's CalDAV, where objects can be put. */
export async function onCalDavSandbox(): Promise<WriteSite> {
  const clock = movableTime(Date.now());
  const { provider, manual, signIn, close } = await startSandbox('caldav', clock);
  await manual.addPerson(ADA);
  const calendarId = await manual.addCalendar(ADA.email, { title: 'Work', timeZone: 'UTC' });
  const server = await openCalendarServer({ caldav: provider, clock });
  await link(server, await signIn(ADA.email));
  return {
    provider: 'caldav',
    server,
    calendarId,
    put: (name, icalendar) => putObject(calendarId + name, basic(ADA.email, ADA.password), icalendar),
    pass() {
      clock.now += 60_000;
    },
    async close() {
      await server.close();
      await close();
    },
  };
}

async function putObject(url: string, authorization: string, icalendar: string): Promise<void> {
  const headers = { authorization, 'content-type': 'text/calendar; charset=utf-8' };
  const answer = await fetch(url, { method: 'PUT', headers, body: icalendar });
  assert.ok(answer.ok, `PUT was answered with ${answer.status}: ${await answer.text()}`);
}

/** `start` starts the server with these calendars for each of its users. */
export async function onServer(
  start: (calendars: readonly string[]) => Promise<ManagedCalDavServer>,
): Promise<WriteSite> {
  const running = await start(['work']);
  const adapter = adapterDeps(movableTime(Date.now()));
  const caldav = caldavProvider(adapter);
  const server = await openCalendarServer({ caldav });
  const login = { server: running.typed, username: 'ada', password: USERS.ada ?? '' };
  await link(server, await signInByPassword(caldav, login));
  const calendarId = running.calendarUrl('ada', 'work');
  return {
    provider: 'caldav',
    server,
    calendarId,
    put: (name, icalendar) => putObject(calendarId + name, basic('ada'), icalendar),
    pass() {
      server.clock.now += 60_000;
    },
    async close() {
      await server.close();
      await adapter.egress.close();
      await running.stop();
    },
  };
}
