/** The sandbox's own pages in a real browser: Google's sign-in and the controls. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import axe from 'axe-core';
import type { Browser as Chromium, Page } from 'playwright-core';

import { controlRoute } from '../../../sandbox/core/control.route.ts';
import { createServer } from '../../../src/http/server.ts';
import { launchChromium, openPage, WITHOUT_CHROMIUM } from '../../e2e/connect-chromium.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import {
  ADA,
  APP,
  BOB,
  calendarScope,
  type OpenGoogle,
  openGoogle,
  redeem,
  request,
} from './google-client.ts';

const PEOPLE = [ADA, BOB].map(({ email }) => ({ kind: 'google', email }) as const);

describe('the sandbox’s pages in Chromium', { skip: WITHOUT_CHROMIUM, timeout: 120_000 }, () => {
  let browser: Chromium;
  let open: OpenGoogle;
  let controls: { readonly url: string; close(): Promise<unknown> };

  before(async () => {
    // The way ends at an address where nothing answers, which the headless shell does not tell.
    browser = await launchChromium({ whole: true });
    open = await openGoogle();
    const app = createServer({ log: recordingLog().log, trustProxy: undefined, secure: false });
    const { clock, faults, google } = open;
    await app.register(controlRoute({ clock, faults, providers: [google], people: PEOPLE }));
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    controls = { url: `${url}/control`, close: () => app.close() };
  });
  after(async () => {
    await browser?.close();
    await controls?.close();
  });

  it('the sandbox’s pages lead from the account chooser over an unticked box to the app’s callback', async () => {
    const requested = await request(open.google);
    const { page, complaints, close } = await openPage(browser);
    await page.route(/\/connect\/google\/callback/, (route) => route.fulfill({ body: 'Back' }));

    await page.goto(requested.url.href);
    assert.deepEqual(await violationsOn(page), []);
    await page.getByRole('button', { name: BOB.email, exact: true }).click();
    await page.getByLabel('View and edit events on all your calendars').waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await page.getByLabel('View and edit events on all your calendars').uncheck();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(/\/connect\/google\/callback/);
    const tokens = await redeem(new URL(page.url()), requested);

    assert.ok(!tokens.scope?.includes(calendarScope('events')));
    assert.deepEqual(complaints, []);
    await close();
  });

  it('the sandbox’s pages switch faults on and off, turn the clock and withdraw access', async () => {
    const { page, complaints, close } = await openPage(browser);
    const { clock, faults, google } = open;
    const before = clock.now();

    await page.goto(controls.url);
    await page.getByLabel('Fault').selectOption({ value: 'secret' });
    await page.getByLabel('Affects').selectOption({ label: `Google: ${ADA.email}` });
    await page.getByLabel('How many requests').fill('3');
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: /^Switch off: The app’s secret/ }).waitFor();
    assert.deepEqual(await violationsOn(page), []);
    assert.partialDeepStrictEqual(faults.list(), [
      { provider: 'google', operation: 'token', user: ADA.email, times: 3 },
    ]);
    await page.getByRole('button', { name: /^Switch off: The app’s secret/ }).click();
    await page.getByRole('button', { name: 'One day on' }).click();
    await page.getByLabel('Who').selectOption({ label: `Google: ${BOB.email}` });
    await page.getByRole('button', { name: 'Withdraw access' }).click();
    await page.getByRole('status').getByText('Access was withdrawn').waitFor();
    await page.getByText('No fault is on.').waitFor();
    await page.getByText('1 day ahead of this machine').waitFor();

    assert.deepEqual(faults.list(), []);
    assert.ok(clock.now() - before >= 86_400_000);
    assert.deepEqual(complaints, []);
    assert.ok(google.requests() > 0);
    await close();
  });

  it('the sandbox’s pages say what is wrong with an app that Google does not know', async () => {
    const { url } = await request(open.google, { parameters: { client_id: `not-${APP.clientId}` } });
    const { page, close } = await openPage(browser);

    await page.goto(url.href);

    await page.getByRole('heading', { name: 'Access blocked: Authorization Error' }).waitFor();
    await page.getByText('Error 401: invalid_client').waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await close();
  });
});

/** The rules broken and where, without the rest of axe's report. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations: unknown = await page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))',
  );
  return Array.isArray(violations) ? violations.map(String) : ['axe did not run'];
}
