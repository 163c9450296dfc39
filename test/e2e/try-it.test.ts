/** "Try it" of the served reference, in a browser: it calls this server with what is typed, and keeps nothing. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { FastifyInstance } from 'fastify';
import type { Browser } from 'playwright-core';

import { createSealer } from '../../src/lib/sealing.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, link, openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp } from '../harness/whole-app.ts';
import { launchChromium, openPage, WITHOUT_CHROMIUM } from './connect-chromium.ts';

const HOME = 'https://dav.example/ada/home/';
const TITLE = '<img src=x onerror=alert(1)>';

describe('"Try it" of the reference', { skip: WITHOUT_CHROMIUM }, () => {
  let server: CalendarServer;
  let app: FastifyInstance;
  let browser: Browser;
  let origin: string;
  before(async () => {
    const sealer = createSealer(randomBytes(32));
    server = await openCalendarServer({ sealer });
    server.provider.addCalendar(calendar(HOME));
    server.provider.put(HOME, resource('one', event('2026-11-10T09:00:00', { title: TITLE })));
    await link(server);
    ({ app } = await openWholeApp(server, sealer));
    origin = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await app?.close();
    await server?.close();
  });

  it('"Try it" calls this server with the token that was typed, shows the answer as text, and stores nothing', async () => {
    const { page, requests, complaints } = await openPage(browser);
    await page.goto(`${origin}/docs/api/reading-events`);
    const operation = page.locator('section', { has: page.locator('#listEvents') });
    await operation.getByText('Try it').click();
    await operation.getByLabel('Access token').fill(await server.token());
    await operation.getByLabel('start (optional)').fill('2026-11-01T00:00:00Z');
    await operation.getByLabel('end (optional)').fill('2026-12-01T00:00:00Z');

    await operation.getByRole('button', { name: 'Send' }).click();

    const shown = operation.getByRole('status');
    await shown.getByText(/^GET \/events\?start=.*: 200 in \d+ ms$/).waitFor();
    assert.ok((await shown.locator('pre').textContent())?.includes(TITLE));
    assert.equal(await shown.locator('img').count(), 0);
    const kept = await page.evaluate(
      '[localStorage.length, sessionStorage.length, document.cookie, location.href].join()',
    );
    assert.equal(kept, `0,0,,${origin}/docs/api/reading-events`);
    assert.ok(
      requests.every((one) => one.startsWith(origin) && !one.includes('eyJ')),
      requests.join(),
    );
    assert.deepEqual(complaints, []);
    await page.reload();
    await operation.getByText('Try it').click();
    assert.equal(await operation.getByLabel('Access token').inputValue(), '');
  });

  it('"Try it" fills the token in at the next operation of the page', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${origin}/docs/api/calendars-and-accounts`);
    const [first, next] = ['#listCalendars', '#createCalendar'].map((id) =>
      page.locator('section', { has: page.locator(id) }),
    );
    await first?.getByText('Try it').click();
    await first?.getByLabel('Access token').fill(await server.token());
    await first?.getByRole('button', { name: 'Send' }).click();
    await first?.getByRole('status').getByText(': 200 in ').waitFor();

    await next?.getByText('Try it').click();

    // It is filled in when the browser tells that it was opened, which is a moment after the click.
    const token = () => next?.getByLabel('Access token').inputValue();
    for (const end = Date.now() + 10_000; (await token()) === '' && Date.now() < end; ) await sleep(20);
    assert.notEqual(await token(), '');
  });

  it('"Try it" says what is refused, and is not there without scripts', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${origin}/docs/api/reading-events`);
    const operation = page.locator('section', { has: page.locator('#listEvents') });
    await operation.getByText('Try it').click();
    await operation.getByLabel('Access token').fill('no token');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByRole('status').getByText(': 401 in ').waitFor();

    const plain = await openPage(browser, { javaScriptEnabled: false });
    await plain.page.goto(`${origin}/docs/api/reading-events`);

    assert.equal(await plain.page.getByText('Try it').first().isVisible(), false);
  });
});
