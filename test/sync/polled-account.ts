/** An account of a CalDAV server that is looked at by its job, as often as a test says; what that asks of the server is counted. */

import { createEgress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { jobHandlers } from '../../src/start/job-handlers.ts';
import { collectingLog, link, openCalendarServer, START } from '../harness/calendar-server.ts';

type Login = { readonly server: string; readonly username: string; readonly password: string };

export type PolledAccount = Awaited<ReturnType<typeof openPolledAccount>>;

/** `clock` is the instance's. */
export async function openPolledAccount(login: Login, clock: { now: number } = { now: START }) {
  const requests: string[] = [];
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const counting: typeof egress = {
    ...egress,
    request(request) {
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      return egress.request(request);
    },
  };
  const caldav = caldavProvider({ egress: counting, log: collectingLog(), now: () => clock.now });
  const server = await openCalendarServer({ caldav, clock });
  const { accountId, display, credentials } = await caldav.signIn.verify(login);
  const { accountKey } = await link(server, { accountId, display, credentials });
  const look = jobHandlers(server.deps)['sync-account'];
  const { mirror, sync } = server.deps;

  return {
    server,
    clock,
    accountKey,
    /** The job of the account, `after` so many milliseconds. Answers what it asked the server for. */
    async look(after = 0): Promise<readonly string[]> {
      clock.now += after;
      requests.length = 0;
      const failure = await look(accountKey, new AbortController().signal);
      if (failure !== undefined) throw new Error(failure.message);
      return [...requests];
    },
    /** A read that asks for what is new, `after` so many milliseconds. */
    async read(after = 0): Promise<void> {
      clock.now += after;
      for (const { calendarKey } of await mirror.listCalendars(accountKey))
        await sync.syncCalendar(calendarKey, clock.now);
    },
    /** When the calendar that was synced longest ago was. */
    async syncedAt(): Promise<number> {
      const calendars = await mirror.listCalendars(accountKey);
      return Math.min(...calendars.map(({ syncedAt }) => syncedAt ?? 0));
    },
    /** Returns the titles of all events in the mirror. */
    async titles(): Promise<readonly string[]> {
      const rows = await server.db.all<{ content: string }>(
        "SELECT content FROM event WHERE shape <> 'hidden'",
      );
      return rows.map(({ content }) => String(JSON.parse(`{${content}}`).title)).sort();
    },
    async close(): Promise<void> {
      await server.close();
      await egress.close();
    },
  };
}
