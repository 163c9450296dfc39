/**
 * `KALENDS_TEST_UPGRADE_FROM=FOLDER npm test -- deploy/upgrade-from`: the program in this folder fills a mirror, then this
 * one reads the same calendars. It may report only the events that it reads otherwise.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { completeSignIn } from '../../sandbox/microsoft/complete-sign-in.ts';
import { ACCOUNTS, addAllAccounts } from '../../sandbox/people/people.ts';
import { choosePorts } from '../../sandbox/ports.ts';
import { settingsFor, startProviders } from '../../sandbox/providers.ts';
import { openBrowser, type Page } from '../e2e/browser.ts';
import {
  type Application,
  allow,
  authorizeUrl,
  exchange,
  linkAccount,
  linkFeed,
  tokensOf,
} from '../e2e/flow.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { freePort } from '../harness/loopback.ts';
import { startProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { UPGRADED_OBJECTS } from '../reading/upgraded-objects.ts';
import { walk } from '../sandbox/google/google-client.ts';
import { FeedServer } from '../servers/feed-server.ts';
import { calendarObject } from '../servers/icalendar.ts';
import { OddCalDav } from '../servers/odd-caldav.ts';
import { USERS } from '../servers/process.ts';

/** The folder of the older version, with its packages, such as a checkout of 84f1cb9b. */
const { KALENDS_TEST_UPGRADE_FROM: from } = process.env;
const PAUSE_MS = 1000;
const WINDOW = '/events?start=2026-11-01T00:00:00Z&end=2027-03-01T00:00:00Z&pageSize=1000';
const MARA = { google: 'mara@gmail.example', microsoft: 'mara@northwind.example' };

type Event = { readonly id: string; readonly title: string };
type Problem = { readonly code: string; readonly eventIds?: readonly string[] };
type Body = {
  readonly events: readonly Event[];
  readonly errors?: readonly Problem[];
  readonly cursor: string;
  readonly changes: readonly { readonly event: Event }[];
};

if (from !== undefined)
  onEachDatabase((database, _open, place) => {
    describe(`an upgrade from ${from} on ${database}`, () => {
      const stops: (() => Promise<unknown>)[] = [];
      after(async () => {
        for (const stop of stops.splice(0).reverse()) await stop();
      });

      it('reports only the events that are read otherwise', { timeout: 300_000 }, async () => {
        const [{ databaseUrl, dataDir }, port] = [await place(), await freePort()];
        const servers = await openServers(port, (stop) => stops.push(stop));
        const env = {
          ...settingsFor(servers.providers),
          KALENDS_DATA_DIR: dataDir,
          KALENDS_MASTER_KEY: randomBytes(32).toString('base64'),
        };
        const start = async (checkout: string | undefined) => {
          const program = await startProgram({ databaseUrl, env, port, checkout });
          stops.push(() => program.dispose());
          return program;
        };
        const old = await start(from);
        const application = { ...(await old.createClient()), url: old.url };
        const token = await connectAll(application, servers);
        const read = reader(application, token);
        const stored = await read(WINDOW);
        const { cursor } = await read('/events/changes?initial=true');
        await old.stop();
        await start(undefined);

        let listed = await read(WINDOW);
        await until(
          'both calendars name their unreadable event',
          async () => {
            listed = await read(WINDOW);
            return listed.errors?.length === 2;
          },
          () => sleep(PAUSE_MS),
        );

        const unreadable = listed.errors?.map(({ code, eventIds }) => [code, eventIds]);
        assert.deepEqual(unreadable?.sort(), [
          ['event_unreadable', ['broken']],
          ['event_unreadable', ['broken.ics']],
        ]);
        const { changes } = await read(`/events/changes?cursor=${encodeURIComponent(cursor)}`);
        assert.deepEqual(titlesOf(changes.map(({ event }) => event)), titlesOf(changed(stored, listed)));
        assert.ok(stored.events.length > 50, `only ${stored.events.length} events were compared`);
      });
    });
  });

/** Returns the events that differ between two lists, from the later one if it has them. */
function changed(before: Body, after: Body): Event[] {
  const [old, current] = [before, after].map(
    ({ events }) => new Map(events.map((event) => [event.id, event])),
  );
  return [...new Map([...(old ?? []), ...(current ?? [])]).values()].filter(
    ({ id }) => !isDeepStrictEqual(old?.get(id), current?.get(id)),
  );
}

const titlesOf = (events: readonly Event[]): string[] =>
  [...new Set(events.map(({ title }) => title))].sort();

type Servers = Awaited<ReturnType<typeof openServers>>;

/** Starts the sandbox's providers, a CalDAV server and a feed with the calendars to read. */
async function openServers(kalendsPort: number, later: (stop: () => Promise<unknown>) => void) {
  const [odd, feed] = [new OddCalDav(), new FeedServer()];
  for (const server of [odd, feed]) {
    await server.start();
    later(() => server.stop());
  }
  for (const [name, events] of Object.entries(UPGRADED_OBJECTS))
    odd.put(`${name}.ics`, calendarObject(...events));
  feed.say(calendarObject(...Object.values(UPGRADED_OBJECTS).flat()));
  const deps = { clock: sandboxClock(), faults: faultBoard(), state: undefined };
  const ports = await choosePorts({ usual: false, wanted: {} });
  const kalendsUrl = `http://127.0.0.1:${kalendsPort}`;
  const providers = await startProviders({ ...deps, ports, kalendsUrl }, later);
  await addAllAccounts(Object.values(providers), Date.now());
  return { odd, feed, providers };
}

async function connectAll(application: Application, { odd, feed, providers }: Servers): Promise<string> {
  const browser = openBrowser();
  await browser.open(authorizeUrl(application, { userId: 'ada' }));
  const google = await browser.press('Connect Google');
  await browser.open(await walk(destinationOf(google), { email: MARA.google }));
  const microsoft = await browser.press('Connect Microsoft');
  await browser.open(await completeSignIn(destinationOf(microsoft), { account: MARA.microsoft }));
  const [choir] = ACCOUNTS.caldav;
  const { email: username = '', password = '' } = choir?.person ?? {};
  await linkAccount(browser, { server: providers.caldav.origin, username, password });
  await linkAccount(browser, { server: odd.origin, username: 'ada', password: USERS.ada ?? '' });
  await linkFeed(browser, feed.address);
  await allow(browser);
  return (await tokensOf(await exchange(application, 'ada'))).accessToken;
}

const reader =
  ({ url }: Application, token: string) =>
  async (at: string): Promise<Body> => {
    const answer = await fetch(url + at, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return JSON.parse(text);
  };

function destinationOf({ destination, body }: Page): URL {
  if (destination === undefined) throw new Error(`The browser was not sent to the provider: ${body}`);
  return destination;
}
