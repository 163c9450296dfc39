/**
 * The first minute with Kalends, in a real browser: from the sandbox's start to the first delivery seen in the dashboard. It
 * prints how long each step took; the whole way is to take a minute at most.
 */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import axe from 'axe-core';
import type { Browser as Chromium, Page } from 'playwright-core';

import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox.ts';
import { close, listen } from '../harness/loopback.ts';
import { slowness } from '../harness/processor-time.ts';
import { launchChromium, openPage, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import { becomeOwner, connectTestUser, createApplication } from './dashboard-steps.ts';

const PICTURES = path.resolve(import.meta.dirname, '../../artefacts/playground');
const MOST_MS = 60_000;
const MARA = 'mara@gmail.example';

describe('the first minute', { skip: WITHOUT_CHROMIUM }, () => {
  let sandbox: Sandbox;
  let chromium: Chromium;
  let webhookUrl: string;
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
  });
  const [slowBefore, begun] = [slowness(), performance.now()];
  before(async () => {
    await mkdir(PICTURES, { recursive: true });
    webhookUrl = `${await listen(receiver)}/webhooks`;
    sandbox = await startSandbox();
    chromium = await launchChromium();
  });
  after(async () => {
    await chromium?.close();
    await sandbox?.close();
    await close(receiver);
  });

  it('leads from the sandbox’s start to the first delivery seen, with nothing but the dashboard', async (t) => {
    const took = (step: string) =>
      t.diagnostic(`${((performance.now() - begun) / 1000).toFixed(1)} s: ${step}`);
    took('the sandbox runs');
    const { page, complaints } = await openPage(chromium, { viewport: { width: 1280, height: 900 } });
    const picture = (name: string) =>
      page.screenshot({ path: path.join(PICTURES, `${name}.png`), fullPage: true });

    await becomeOwner(page, sandbox.kalends.setupUrl ?? '');
    took('the first owner is signed in');

    await createApplication(page, { name: 'First app', webhookUrl });
    await page.getByRole('link', { name: 'Open playground' }).click();
    took('an application is there');

    await picture('1-unconnected');
    const popup = await connectTestUser(page, MARA);
    assert.ok(popup.isClosed());
    await picture('2-connected');
    assert.deepEqual(await violationsOn(page), []);
    const connectedPage = page.url();
    took('a test user is connected');

    await page.getByRole('link', { name: 'GET /events', exact: true }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('"events": [').waitFor();
    await page.getByText('TypeScript', { exact: true }).click();
    await page.getByText('user.eventsPage').waitFor();
    await picture('3-answer');
    assert.deepEqual(await violationsOn(page), []);
    took('its events are read');

    const calendar = { email: MARA, id: MARA };
    const at = (hour: number) => ({ dateTime: `2027-03-16T${hour}:00:00`, timeZone: 'Europe/Berlin' });
    const draft = { title: 'Planning', start: at(10), end: at(11) };
    const { manual } = sandbox.providers.google;
    const id = await manual.createEvent(calendar.email, calendar.id, draft);
    await manual.updateEvent(calendar.email, calendar.id, { ...draft, id, start: at(12), end: at(13) });
    await page.goto(connectedPage);
    await page.getByRole('link', { name: 'Open deliveries' }).click();
    const delivery = page.locator('tbody tr th a').first();
    for (let tries = 0; tries < 200 && (await delivery.count()) === 0; tries += 1) {
      await page.waitForTimeout(250);
      await page.reload();
    }
    await delivery.click();
    await page.getByText('204').first().waitFor();
    await picture('4-delivery');
    took('the first delivery is looked at');

    assert.ok(performance.now() - begun <= MOST_MS * Math.max(slowBefore, slowness()));
    assert.deepEqual(complaints, []);
  });
});

/** The rules broken and where, in both schemes, without the rest of axe's report. */
async function violationsOn(page: Page): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(axe.source);
    found.push(
      await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))',
      ),
    );
  }
  return found.flat();
}
