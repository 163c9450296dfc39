/** The work threads of the sandbox's Kalends: they place rules that count their occurrences by days of the month. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CALDAV_PASSWORD } from '../../sandbox/people/people.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox.ts';
import { openBrowser } from './browser.ts';
import { type Application, authorizeUrl, connect, exchange, jsonOf, read, tokensOf } from './flow.ts';
import { connectAtGoogle } from './sandbox-google.ts';
import { RULES } from './sdk-writers.ts';

const SCOPE = { scope: 'read-write' };
const MONTH = 'start=2026-12-01T00:00:00Z&end=2026-12-31T00:00:00Z&pageSize=1000';

describe('the work threads of the sandbox', () => {
  let sandbox: Sandbox;
  let application: Application;
  const tokens = { google: '', caldav: '' };
  before(async () => {
    sandbox = await startSandbox();
    application = { ...sandbox.application, url: sandbox.kalends.url };
    const browser = openBrowser();
    await browser.open(authorizeUrl(application, { userId: 'google', parameters: SCOPE }));
    await connectAtGoogle(browser);
    tokens.google = (await tokensOf(await exchange(application, 'google'))).accessToken;
    const server = sandbox.providers.caldav.origin;
    const login = { server, username: 'mara', password: CALDAV_PASSWORD };
    tokens.caldav = (await connect(application, { userId: 'caldav', login, parameters: SCOPE })).accessToken;
  });
  after(() => sandbox?.close());

  const create = (provider: keyof typeof tokens, event: object) =>
    fetch(`${application.url}/event`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[provider]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ provider, calendarId: 'primary', ...event }),
    });
  const daysOf = async (provider: keyof typeof tokens, title: string): Promise<number[]> => {
    const { events } = await jsonOf(await read(application, `/events?${MONTH}`, tokens[provider]));
    const ofTitle = (events as { title: string; start: string }[]).filter((one) => one.title === title);
    return ofTitle.map(({ start }) => Number(start.slice(8, 10)));
  };

  for (const provider of ['google', 'caldav'] as const)
    for (const { name, rule, days } of RULES.filter(({ rule: { count, byMonthDay } }) => count && byMonthDay))
      it(`place the rule of the ${name} client at ${provider}`, async () => {
        const title = `Rule of ${name}`;
        const times = { start: '2026-12-07T09:00:00Z', end: '2026-12-07T10:00:00Z' };
        const created = await create(provider, { ...times, title, recurrence: rule });

        assert.equal(created.status, 200, `${await created.text()} ${sandbox.kalends.log()}`);
        assert.deepEqual(await daysOf(provider, title), days);
        assert.doesNotMatch(sandbox.kalends.log(), /work_thread_failed|event_too_complex/);
      });
});
