/** One account, linked and open to writing over HTTP: at the sandbox, or on a real CalDAV server. */
import type { ProviderKind } from '../../src/calendars/provider-kind.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { type CalendarServer, link, openCalendarServer } from '../harness/calendar-server.ts';
import { type BenchOptions, openBench } from '../providers/provider-bench.ts';
import { adapterDeps, movableTime, signInByPassword } from '../providers/sandbox-provider.ts';
import { type ManagedCalDavServer, USERS } from '../servers/process.ts';

export type WriteSite = {
  readonly provider: ProviderKind;
  readonly server: CalendarServer;
  readonly calendarId: string;
  /** Time passes, so that the next read asks the provider again. */
  pass(): void;
  close(): Promise<void>;
};

export async function onSandbox(kind: ProviderKind, options: BenchOptions = {}): Promise<WriteSite> {
  const bench = await openBench(kind, options);
  await bench.link({ scope: 'read-write' });
  await bench.read();
  const { server, calendarId } = bench;
  return { provider: kind, server, calendarId, pass: () => bench.pass(60_000), close: () => bench.close() };
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
  return {
    provider: 'caldav',
    server,
    calendarId: running.calendarUrl('ada', 'work'),
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
