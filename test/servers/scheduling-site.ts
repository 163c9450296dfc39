/** Kalends with two people of one scheduling server: Ada, who invites, and Grace, who is invited; Bob is elsewhere. */
import assert from 'node:assert/strict';
import type { Egress, EgressRequest, EgressResponse } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { adapterDeps, movableTime, signInByPassword } from '../providers/sandbox-provider.ts';
import { checkedWrites } from './checked-writes.ts';
import { USERS } from './process.ts';
import type { ItipMessage, SchedulingServer } from './scheduling.ts';

export const BOB = 'bob@elsewhere.example';

type Body = { readonly id: string; readonly title: string } & Record<string, unknown>;
type Answer = {
  readonly status: number;
  readonly body: Body & { readonly error?: string; readonly code?: string };
};

/** Ada or Grace, acting through Kalends. */
export type SchedulingPerson = {
  readonly address: string;
  readonly calendarId: string;
  send(method: 'POST' | 'PUT' | 'DELETE', body: object, path?: string): Promise<Answer>;
  /** As `send`, which has to succeed. */
  sent(method: 'POST' | 'PUT' | 'DELETE', body: object, path?: string): Promise<Body>;
  /** Events of January 2027 as the server has them now. */
  events(): Promise<(Body & Guests)[]>;
};
type Guests = { readonly attendees: readonly { readonly email: string; readonly status: string }[] };

export type SchedulingSite = {
  readonly server: CalendarServer;
  readonly ada: SchedulingPerson;
  readonly grace: SchedulingPerson;
  /** Requests that changed something at the server, since the last time: `PUT /path`. */
  takeWrites(): string[];
  /** Returns the messages since the last call, sorted: `REQUEST grace@…`, by mail `REQUEST bob@… by mail`. */
  takeSent(): Promise<string[]>;
  takeMessages(): Promise<ItipMessage[]>;
  close(): Promise<void>;
};

/** Sends a request that changes something, or does something else in its place. */
export type WriteFilter = (request: EgressRequest, send: Egress['request']) => Promise<EgressResponse>;

export async function openSchedulingSite(
  start: (calendars: readonly string[]) => Promise<SchedulingServer>,
  filter: WriteFilter = (request, send) => send(request),
): Promise<SchedulingSite> {
  const running = await start(['work']);
  const writes: string[] = [];
  const adapter = adapterDeps(movableTime(Date.now()));
  const checked = checkedWrites(adapter.egress);
  const egress: typeof checked = {
    ...checked,
    async request(request) {
      const { method = 'GET', url } = request;
      if (['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT'].includes(method)) return checked.request(request);
      writes.push(`${method} ${url}`);
      return filter(request, checked.request);
    },
  };
  const caldav = caldavProvider({ ...adapter, egress });
  const server = await openCalendarServer({ caldav, clock: { now: Date.now() } });
  const person = (userId: string, user: string) => personOf(server, running, { userId, user, caldav });
  const takeMessages = () => running.takeSent();
  return {
    server,
    ada: await person('ada', 'ada'),
    grace: await person('ben', 'grace'),
    takeWrites: () => writes.splice(0),
    takeMessages,
    takeSent: async () =>
      (await takeMessages())
        .map(({ method, to, by }) => `${method} ${to}${by === 'mail' ? ' by mail' : ''}`)
        .sort(),
    async close() {
      await server.close();
      await adapter.egress.close();
      await running.stop();
    },
  };
}

type Linked = {
  /** The id of the application's user. */
  readonly userId: string;
  /** The name of the calendar server's user. */
  readonly user: string;
  readonly caldav: ReturnType<typeof caldavProvider>;
};

async function personOf(
  server: CalendarServer,
  running: SchedulingServer,
  { userId, user, caldav }: Linked,
): Promise<SchedulingPerson> {
  const login = { server: running.typed, username: user, password: USERS[user] ?? '' };
  await link(server, { userId, ...(await signInByPassword(caldav, login)) });
  const token = await server.token('read-write', userId);
  await get(server, '/calendars', token);
  const calendarId = user === 'ada' ? running.calendarUrl(user, 'work') : running.invitationsUrl(user);
  const send: SchedulingPerson['send'] = async (method, body, path = '/event') => {
    const answer = await server.app.inject({
      method,
      url: path,
      headers: { authorization: `Bearer ${token}` },
      payload: { provider: 'caldav', calendarId, ...body },
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  return {
    address: running.addressOf(user),
    calendarId,
    send,
    async sent(method, body, path) {
      const answer = await send(method, body, path);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    },
    async events() {
      server.clock.now += 60_000;
      const answer = await get(server, '/events?start=2027-01-01&end=2027-02-28', token);
      return answer.json().events;
    },
  };
}
