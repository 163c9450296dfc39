/** The whole application in front of an OddCalDav: what programs of others put there, and what it is sent then. */
import { createEgress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { signInByPassword } from '../providers/sandbox-provider.ts';
import { checkedWrites } from '../servers/checked-writes.ts';
import { CALENDAR, multistatus, OddCalDav, present } from '../servers/odd-caldav.ts';
import { USERS } from '../servers/process.ts';
import { recordingLog } from '../servers/recording-log.ts';
import type { Method } from './event-site.ts';

/** An event as a reader sees it. */
export type Shown = {
  readonly id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
};

export type OddSite = Awaited<ReturnType<typeof openOddSite>>;

/** `atStep` is called between the steps of a split. */
export async function openOddSite(writing: { atStep?: (step: string) => Promise<void> } = {}) {
  const dav = new OddCalDav();
  await dav.start();
  const egress = checkedWrites(createEgress({ privateNetwork: { mode: 'loopback' } }));
  const caldav = caldavProvider({ egress, log: recordingLog().log, now: Date.now });
  const server = await openCalendarServer({ caldav, writing });
  const login = { server: dav.origin, username: 'ada', password: USERS.ada ?? '' };
  await link(server, await signInByPassword(caldav, login));
  const token = await server.token();
  // The server knows the account as a person who is invited and invites (RFC 6638 §2.4.1).
  const principal = '<d:href>/principal/</d:href><d:href>mailto:ada@example.com</d:href>';
  dav.odd = ({ path, kind }) =>
    kind === 'PROPFIND' && path === '/principal/'
      ? multistatus(present(path, `<c:calendar-user-address-set>${principal}</c:calendar-user-address-set>`))
      : undefined;
  const id = { provider: 'caldav', calendarId: dav.origin + CALENDAR };
  const listed = async (): Promise<Shown[]> => {
    const answer = await get(server, '/events?start=2026-11-01&end=2027-03-01', token);
    return answer.json().events;
  };

  return {
    dav,
    server,
    listed,
    /** Puts an object on the server, as another program of the user would, and lets it be read. */
    async given(name: string, icalendar: string): Promise<void> {
      dav.put(name, icalendar);
      server.clock.now += 60_000;
      await listed();
      dav.calls.length = 0;
    },
    /** Returns the provider's events after a sync of the calendar. */
    async shown(): Promise<string[]> {
      server.clock.now += 60_000;
      return (await listed()).map(
        ({ start, end, title }) => `${start.slice(5, 16)} ${end.slice(11, 16)} ${title}`,
      );
    },
    /** The id of the event that starts then. */
    async idAt(start: string): Promise<string> {
      const events = await listed();
      const event = events.find((one) => one.start.startsWith(start));
      if (event === undefined) throw new Error(`No event at ${start}: ${JSON.stringify(events)}`);
      return event.id;
    },
    async send(method: Method, body: object, more: Readonly<Record<string, string>> = {}) {
      const answer = await server.app.inject({
        method,
        url: '/event',
        headers: { authorization: `Bearer ${token}`, ...more },
        payload: { ...id, ...body },
      });
      return { status: answer.statusCode, body: answer.json() };
    },
    async respond(body: object) {
      const headers = { authorization: `Bearer ${token}` };
      const payload = { ...id, ...body };
      const answer = await server.app.inject({ method: 'POST', url: '/event/rsvp', headers, payload });
      return { status: answer.statusCode, body: answer.json() };
    },
    /** Every request so far that changes something. */
    writes: () => dav.calls.filter(({ method }) => !READS.includes(method)).map(({ method }) => method),
    /** The texts of the calendar's objects by name, unfolded, line by line. */
    texts: () =>
      new Map(
        [...dav.resources].flatMap(([name, { data }]) =>
          data === undefined
            ? []
            : [
                [
                  name,
                  data
                    .replace(/\r\n[ \t]/g, '')
                    .trimEnd()
                    .split('\r\n'),
                ] as const,
              ],
        ),
      ),
    async close() {
      await server.close();
      await egress.close();
      await dav.stop();
    },
  };
}

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT'];
