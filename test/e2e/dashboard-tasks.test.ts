/** The five main tasks of the dashboard in a real browser, each with the number of clicks that it takes. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';

import type { Browser as Chromium, Locator, Page } from 'playwright-core';

import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox.ts';
import { close, listen } from '../harness/loopback.ts';
import { launchChromium, openPage, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import { becomeOwner, connectTestUser, createApplication } from './dashboard-steps.ts';

const MARA = 'mara@gmail.example';
const REVOKED = 'Access was revoked';

describe('the main tasks of the dashboard', { skip: WITHOUT_CHROMIUM }, () => {
  let sandbox: Sandbox;
  let chromium: Chromium;
  let page: Page;
  let overview: string;
  let clicks = 0;
  // An endpoint that is down.
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(502).end());
  });
  before(async () => {
    const webhookUrl = `${await listen(receiver)}/webhooks`;
    [sandbox, chromium] = await Promise.all([startSandbox(), launchChromium()]);
    ({ page } = await openPage(chromium, { viewport: { width: 1280, height: 900 } }));
    await becomeOwner(page, sandbox.kalends.setupUrl ?? '');
    overview = `${new URL(page.url()).origin}/dashboard`;
    await createApplication(page, { name: 'Tideline', webhookUrl });
    await page.getByRole('link', { name: 'Open playground' }).click();
    await connectTestUser(page, MARA);
  });
  after(async () => {
    await chromium?.close();
    await sandbox?.close();
    await close(receiver);
  });

  const begin = async (): Promise<void> => {
    await page.goto(overview);
    clicks = 0;
  };
  async function click(target: Locator): Promise<void> {
    await target.click();
    clicks += 1;
  }
  async function onOverview(target: () => Locator): Promise<Locator> {
    await begin();
    return onPage(target);
  }
  /** Reloads the page until it has the element: counts, problems and requests appear within seconds. */
  async function onPage(target: () => Locator): Promise<Locator> {
    for (let tries = 0; tries < 60 && (await target().count()) === 0; tries += 1) {
      await page.waitForTimeout(500);
      await page.reload();
    }
    return target().first();
  }
  const row = (text: string | RegExp) => () => page.locator('main tbody th > a', { hasText: text });

  it('calling GET /events as the test user takes two clicks', async () => {
    await begin();
    await click(page.getByRole('link', { name: 'Playground' }));
    await click(page.getByRole('button', { name: 'Send', exact: true }));

    await page.getByText('"events": [').waitFor();
    assert.equal(clicks, 2);
  });

  it('seeing what a failed request returned and how to fix it takes two clicks', async () => {
    await page.goto(`${overview}/playground`);
    await page.getByText('optional parameters').click();
    await page.getByLabel('pageSize').fill('lots');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('400', { exact: true }).waitFor();

    await click(await onOverview(() => page.locator('.chart-legend a', { hasText: /[1-9]/ })));
    await click(await onPage(row('GET /events')));

    await page.getByRole('link', { name: 'invalid_request' }).waitFor();
    assert.equal(clicks, 2);
  });

  it('resending a delivery that failed takes two clicks', async () => {
    await click(await onOverview(row(/Endpoint is failing/)));
    await click(page.getByRole('button', { name: 'Resend' }).first());

    await page.getByText('The delivery is sent again within a few seconds').waitFor();
    assert.equal(clicks, 2);
  });

  it('finding why an account stopped and who must act takes one click, and the link that repairs it two', async () => {
    const { manual } = sandbox.providers.google;
    await manual.revokeAccess(MARA);
    const at = (hour: number) => ({ dateTime: `2027-03-16T${hour}:00:00`, timeZone: 'Europe/Berlin' });
    await manual.createEvent(MARA, MARA, { title: 'Planning', start: at(10), end: at(11) });

    await click(await onOverview(row(REVOKED)));
    await page.getByText('Action by').first().waitFor();
    await page.getByText(REVOKED).first().waitFor();
    assert.equal(clicks, 1);
    await click(page.getByRole('button', { name: 'Create reconnect link' }).first());

    await page.getByText('/reconnect/').first().waitFor();
    assert.equal(clicks, 2);
  });
});
