/** A calendar by its address on the running program: linked on its pages, read in its threads, and its address told nowhere. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { type Program, startProgram } from '../harness/program.ts';
import { FeedServer, SECRET } from '../servers/feed-server.ts';
import { calendarObject, vevent } from '../servers/icalendar.ts';
import { openBrowser } from './browser.ts';
import { type Application, allow, authorizeUrl, exchange, linkFeed, read, tokensOf } from './flow.ts';

const EVENTS = 1_000;
const MANY = Array.from({ length: EVENTS }, (_, index) => vevent(`e${index}`, `Event ${index}`));

describe('a calendar by its address on the running program', () => {
  const server = new FeedServer();
  let program: Program;
  let application: Application;
  let accessToken: string;
  before(async () => {
    await server.start();
    const body = calendarObject('X-WR-CALNAME:Fixtures\r\n', ...MANY);
    server.answer = (_, place) => (place === SECRET ? { body } : { status: 404 });
    program = await startProgram({ env: { KALENDS_LOG_LEVEL: 'trace' } });
    application = { ...(await program.createClient()), url: program.url };
    const browser = openBrowser();
    await browser.open(authorizeUrl(application, { userId: 'ada', parameters: { scope: 'read' } }));
    await linkFeed(browser, `${server.address}-typo`);
    await browser.press('Connect', { 'Calendar address': server.address });
    await allow(browser);
    ({ accessToken } = await tokensOf(await exchange(application, 'ada')));
  });
  after(async () => {
    await program?.dispose();
    await server.stop();
  });

  const ask = async (place: string) => (await read(application, place, accessToken)).text();

  it('its events are read, however many there are', async () => {
    const [{ title, access }] = JSON.parse(await ask('/calendars'));
    const window = 'start=2026-01-01T00:00:00Z&end=2026-02-01T00:00:00Z';
    const { events, errors } = JSON.parse(await ask(`/events?${window}&pageSize=1000`));

    assert.deepEqual([title, access, errors], ['Fixtures', 'read', undefined]);
    assert.ok(events.length > 0);
  });

  it('its address is in no answer, in no line of the log and in no file', async () => {
    const answers = await Promise.all(['/calendars', '/events', '/connection-status'].map(ask));
    const { stdout, stderr } = program.output();
    const names = readdirSync(program.dataDir, { recursive: true }).map(String);
    const files = names.map((name) => readFileSync(path.join(program.dataDir, name), 'latin1'));

    assert.match(stderr, /"account_linked"/);
    const told = [...answers, stdout, stderr, ...files];
    assert.equal(
      told.findIndex((text) => text.includes(SECRET)),
      -1,
    );
    assert.ok(server.calls.every(({ referer }) => referer === undefined));
  });
});
