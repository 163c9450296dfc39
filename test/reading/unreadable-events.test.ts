/** Events that cannot be read, at every provider: named in what reads of the interface return, until they are repaired. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { OAuthCredentials } from '../../src/calendars/calendar-provider.ts';
import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { microsoftProvider } from '../../src/providers/microsoft/microsoft-provider.ts';
import {
  type CalendarServer,
  collectingLog,
  get,
  link,
  makeUsers,
  openCalendarServer,
  START,
} from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { APP } from '../harness/fake-redirect-provider.ts';
import { FeedServer } from '../servers/feed-server.ts';
import { calendarObject, vevent } from '../servers/icalendar.ts';
import { OddCalDav } from '../servers/odd-caldav.ts';
import { OddGoogle } from '../servers/odd-google.ts';
import { graphEvent, OddGraph } from '../servers/odd-graph.ts';
import { USERS } from '../servers/process.ts';

const AUTH = 'https://www.googleapis.com/auth/calendar';
const MINUTE = 60_000;
const at = (day: string, hour = '09') => `202611${day}T${hour}0000Z`;
const times = (day: string) => [`DTSTART:${at(day)}`, `DTEND:${at(day, '10')}`];
/** An override, a master and a single event that begin at `start`. */
const series = (start: string) => [
  vevent('series', 'Series', ...times('10'), 'RRULE:FREQ=DAILY;COUNT=5'),
  vevent('series', 'Moved', `RECURRENCE-ID:${at('12')}`, start, `DTEND:${at('12', '13')}`),
];
const orphan = (start: string) => [
  vevent('orphan', 'Orphan', start, 'RRULE:FREQ=DAILY;COUNT=5'),
  vevent('orphan', 'Exception', `RECURRENCE-ID:${at('13')}`, ...times('13')),
];
const single = (name: string, start: string) => vevent(name, name, start, `DTEND:${at('12', '13')}`);
const google = (id: string, start: object) => ({ id, summary: id, start, end: { date: '2026-11-12' } });
const MESSAGE = /(is|are) missing or incomplete/;

onEachDatabase((database, open) => {
  describe(`events that cannot be read on ${database}`, () => {
    const dav = new OddCalDav();
    const feed = new FeedServer();
    const graph = new OddGraph();
    let googleServer: OddGoogle;
    let egress: Egress;
    let server: CalendarServer;
    let token: string;
    const log = collectingLog();

    before(async () => {
      googleServer = await OddGoogle.start();
      await Promise.all([dav.start(), feed.start(), graph.start()]);
      egress = createEgress({ privateNetwork: { mode: 'loopback' } });
      const clock = { now: START };
      const deps = { egress, log, now: () => clock.now };
      const caldav = caldavProvider({ ...deps, feedKey: Buffer.alloc(32, 1) });
      const { origin: issuer } = googleServer;
      server = await openCalendarServer({
        ...{ db: await open(), caldav, clock, apps: { google: APP, microsoft: APP } },
        google: googleProvider({ ...deps, issuer, apiUrl: `${issuer}/v3` }),
        microsoft: microsoftProvider({ ...deps, issuer: graph.origin, apiUrl: graph.apiUrl }),
      });
      await makeUsers(server.deps, START);
      break_();
      const linked = await caldav.signIn.verifyAddress?.(feed.address);
      assert.ok(linked);
      await link(server, linked);
      await linkOthers();
      token = await server.token();
    });
    after(async () => {
      await server?.close();
      await egress?.close();
      await Promise.all([dav.stop(), feed.stop(), graph.stop(), googleServer.stop()]);
    });

    const oauth = (scopes: string[]): OAuthCredentials => ({
      ...{ accessToken: 'access', refreshToken: 'refresh', scopes },
      ...{ expiresAt: START + 24 * 3_600_000, appClientId: APP.clientId, issuedAt: START },
    });
    async function linkOthers() {
      const { origin } = dav;
      const collections = {
        principal: `${origin}/principal/`,
        homes: [`${origin}/dav/ada/`],
        origins: [origin],
      };
      const password = { username: 'ada', password: USERS.ada ?? '', ...collections };
      await link(server, { accountId: 'dav', credentials: password });
      const scopes = [`${AUTH}.events.readonly`, `${AUTH}.calendarlist.readonly`];
      await link(server, { provider: 'google', accountId: 'g', credentials: oauth(scopes) });
      await link(server, { provider: 'microsoft', accountId: 'm', credentials: oauth(['Calendars.Read']) });
    }
    /** Fills the four calendars: each has a readable event, and others that begin at `start`. */
    function state(start: string, date: string | undefined) {
      dav.put('series.ics', calendarObject(...series(start)));
      dav.put('orphan.ics', calendarObject(...orphan(start)));
      dav.put('single.ics', calendarObject(single('single', start)));
      feed.say(calendarObject(...series(start), ...orphan(start), single('fed', start)));
      googleServer.events = [google('good', { date: '2026-11-11' }), google('bad', date ? { date } : {})];
      graph.events = [graphEvent('good', '2026-11-11'), graphEvent('bad', date)];
    }
    const break_ = () => state('DTSTART:never', undefined);
    const repair = () => state(`DTSTART:${at('12', '12')}`, '2026-11-11');

    const post = (bearer: string) =>
      server.app.inject({
        ...{ method: 'POST', url: '/availability', headers: { authorization: `Bearer ${bearer}` } },
        payload: { start: '2026-11-10T00:00:00Z', end: '2026-11-14T00:00:00Z', duration: 30 },
      });
    const WINDOW = 'start=2026-11-10T00:00:00Z&end=2026-11-14T00:00:00Z';
    const answers = async () => [
      await get(server, `/events?${WINDOW}`, token),
      await get(server, '/events/changes?initial=true', token),
      await get(server, `/free-busy?${WINDOW}`, token),
      await post(token),
    ];

    it('are named for each calendar in the errors of all four reads', async () => {
      const expected = {
        google: [['bad']],
        microsoft: [['bad']],
        caldav: [
          ['fed', 'orphan', 'series'],
          ['orphan.ics', 'series.ics', 'single.ics'],
        ],
      };
      for (const answer of await answers()) {
        assert.equal(answer.statusCode, 200, answer.body);
        const { errors } = answer.json();
        for (const error of errors) {
          assert.deepEqual(
            [error.code, error.reason, error.actor],
            ['event_unreadable', 'event_unreadable', 'user'],
          );
          assert.equal(error.count, error.eventIds.length);
          assert.match(error.message, MESSAGE);
        }
        const ids = Map.groupBy(errors, ({ provider }: { provider: string }) => provider);
        const named = [...ids].map(([provider, of]) => [provider, of.map(idsOf).sort()]);
        assert.deepEqual(Object.fromEntries(named), expected);
      }
    });

    it('hide nothing else, and each is logged with its calendar and its reason', async () => {
      const { events } = (await get(server, `/events?${WINDOW}`, token)).json();

      const shown = events.map(({ title }: { title: string }) => title);
      assert.deepEqual([...new Set(shown)].sort(), ['Exception', 'Series', 'good']);
      const logged = log.lines.filter((line) => line.includes('event_not_read'));
      assert.equal(logged.length, 8, logged.join('\n'));
      assert.ok(
        logged.every((line) => /"calendar":".+"href":".+"reason":"/.test(line)),
        logged.join('\n'),
      );
      assert.ok(logged.some((line) => line.includes('the changed occurrence of 2026-11-12 cannot be read')));
    });

    it('make their accounts degraded', async () => {
      const { connections } = (await get(server, '/connection-status', token)).json();

      const health = [connections.google, connections.microsoft, connections.caldav].flat().map(healthOf);
      assert.deepEqual(
        health,
        Array.from({ length: 4 }, () => ['degraded', 'event_unreadable']),
      );
    });

    it('are not named where busy time alone may be seen', async () => {
      const busy = await server.token('free-busy');
      const { errors } = (await get(server, `/free-busy?${WINDOW}`, busy)).json();

      assert.equal(errors.length, 4);
      assert.doesNotMatch(JSON.stringify(errors), /eventIds|"count"|orphan|"bad"/);
    });

    it('are no longer named once they are repaired, and their accounts are well again', async () => {
      repair();
      // A feed is asked again within minutes while it is read.
      for (const minutes of [32, 10]) {
        server.clock.now += minutes * MINUTE;
        await get(server, `/events?${WINDOW}`, token);
      }

      for (const answer of await answers()) assert.equal(answer.json().errors, undefined, answer.body);
      const { events } = (await get(server, `/events?${WINDOW}`, token)).json();
      const shown = events.map(({ title }: { title: string }) => title);
      for (const title of ['bad', 'good', 'Moved', 'Orphan', 'single', 'fed'])
        assert.ok(shown.includes(title), title);
      const { connections } = (await get(server, '/connection-status', token)).json();
      const states = Object.values(connections).flat().map(healthOf);
      assert.ok(
        states.every(([state]) => state === 'active'),
        JSON.stringify(states),
      );
    });
  });
});

const idsOf = (error: unknown) => (error as { eventIds: string[] }).eventIds.toSorted();
const healthOf = (connection: unknown) => {
  const { health } = connection as { health: { state: string; reason?: string } };
  return [health.state, health.reason];
};
