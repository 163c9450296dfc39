/**
 * The sandbox as a newcomer uses it: from the demo's button through all four providers to its calendars, in Chromium.
 */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';

import axe from 'axe-core';
import type { Browser as Chromium, Locator, Page } from 'playwright-core';

import type { SandboxKind } from '../../sandbox/core/faults.ts';
import type { ListedInstance, ProviderSandbox } from '../../sandbox/core/provider-sandbox.ts';
import {
  type EventPage,
  type ListedCalendar,
  listCalendars,
  listEvents,
} from '../../sandbox/demo/kalends-client.ts';
import { ACCOUNTS, APPLE_PASSWORD, CALDAV_PASSWORD } from '../../sandbox/people/people.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox.ts';
import { until } from '../harness/until.ts';
import {
  launchChromium,
  openPage,
  pressConnect,
  type Watched,
  WITHOUT_CHROMIUM,
} from './connect-chromium.ts';

const PICTURES = path.resolve(import.meta.dirname, '../../artefacts/sandbox');
const WEEKS = 4 * 7 * 86_400_000;

/** Reloads the page until it has the element. The first response may have old events. */
const reloadUntil = (page: Page, shown: Locator): Promise<void> =>
  until(
    'the page has the element',
    async () => (await shown.count()) > 0,
    async () => {
      await page.waitForTimeout(1_000);
      await page.reload();
    },
  );

describe('the sandbox', { skip: WITHOUT_CHROMIUM }, () => {
  let sandbox: Sandbox;
  let browser: Chromium;
  /** The access token of a user with an account of each kind. */
  let accessToken = '';
  before(async () => {
    await mkdir(PICTURES, { recursive: true });
    sandbox = await startSandbox();
    browser = await launchChromium();
    for (const provider of Object.values(sandbox.providers)) await playSeries(provider);
  });
  afterEach(() => {
    sandbox.faults.clear();
    sandbox.clock.reset();
  });
  after(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  const open = async (viewport = { width: 1100, height: 900 }): Promise<Watched> => {
    const watched = await openPage(browser, { viewport });
    await watched.page.goto(sandbox.demoUrl);
    return watched;
  };
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const kept = new Set<string>();
  /** Saves the first picture of each name: every test passes the same pages. */
  const keep = async (page: Page, name: string) => {
    if (kept.has(name)) return;
    kept.add(name);
    await page.screenshot({ path: path.join(PICTURES, `${name}.png`), fullPage: true });
  };

  const linkGoogle = async (page: Page) => {
    await pressConnect(page, 'Google');
    await keep(page, '02-google-account');
    await press(page, 'mara@gmail.example');
    await keep(page, '03-google-consent');
    await press(page, 'Continue');
    await page.getByText('mara@gmail.example is connected').waitFor();
  };
  const linkMicrosoft = async (page: Page) => {
    await pressConnect(page, 'Microsoft');
    await keep(page, '04-microsoft-account');
    await press(page, 'mara@northwind.example');
    await keep(page, '05-microsoft-consent');
    await press(page, 'Accept');
    await page.getByText('mara@northwind.example is connected').waitFor();
  };
  const linkApple = async (page: Page) => {
    await pressConnect(page, 'Apple');
    await page.getByLabel('Apple Account').fill('mara@icloud.example');
    await page.getByLabel('App-specific password').fill(APPLE_PASSWORD);
    await keep(page, '06-apple');
    await press(page, 'Connect');
    await page.getByText('mara@icloud.example is connected').waitFor();
  };
  const linkCalDav = async (page: Page, username = 'mara') => {
    await pressConnect(page, 'CalDAV');
    await page.getByRole('link', { name: 'Enter the server address' }).click();
    await page.getByLabel('Server URL').fill(sandbox.providers.caldav.origin);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(CALDAV_PASSWORD);
    await keep(page, '07-caldav');
    await press(page, 'Connect');
    await page.getByText(new RegExp(`^${username} .*is connected`)).waitFor();
  };
  /** With one account its own page asks for consent; with several the next page does. */
  const allow = async (page: Page, accounts = 1) => {
    if (accounts > 1) await press(page, 'Continue');
    await keep(page, '09-consent');
    await press(page, 'Allow');
    await page.getByRole('heading', { name: 'Your calendars' }).waitFor();
  };

  it('the sandbox leads from the demo’s button through all four providers to their calendars and events', async () => {
    const { page, complaints, close } = await open();
    await keep(page, '01-demo');
    await press(page, 'Connect a calendar');
    await linkGoogle(page);
    await linkMicrosoft(page);
    await linkApple(page);
    await linkCalDav(page);
    await keep(page, '08-all-connected');
    await allow(page, 4);
    await keep(page, '10-calendars');

    [accessToken = ''] = await page.locator('.token code').allTextContents();
    const calendars = await listCalendars(sandbox.application, accessToken);
    const { start, events } = await eventsNow();
    const expected = await shownTo('mara', calendars, { start, end: start + WEEKS });

    assert.deepEqual(complaints, []);
    const titles = new Set(calendars.map(({ provider, title }) => `${provider} ${title}`));
    for (const provider of Object.keys(KINDS))
      for (const title of livesOf('mara', provider)) assert.ok(titles.has(`${provider} ${title}`), title);
    assert.deepEqual(events, expected);
    for (const { title } of calendars) assert.ok(await page.getByText(title).first().isVisible(), title);
    await close();
  });

  it('the sandbox gives the same instances of one series from every provider, over a clock change', async () => {
    const { events } = await listEvents(sandbox.application, accessToken, SERIES_WINDOW);

    const starts = Object.keys(KINDS).map((provider) =>
      events
        .filter((event) => event.provider === provider && event.title.startsWith('Rowing'))
        .map(({ title, start, end }) => `${title} ${start} ${end}`),
    );
    for (const instances of starts)
      assert.deepEqual(instances, [
        'Rowing 2027-03-16T17:00:00.000Z 2027-03-16T18:30:00.000Z',
        'Rowing, by moonlight 2027-03-24T20:00:00.000Z 2027-03-24T21:00:00.000Z',
        'Rowing 2027-03-30T16:00:00.000Z 2027-03-30T17:30:00.000Z',
        'Rowing 2027-04-13T16:00:00.000Z 2027-04-13T17:30:00.000Z',
      ]);
  });

  it('the sandbox says so when there is nothing to show', async () => {
    const { manual } = sandbox.providers.caldav;
    await manual.addPerson({ email: 'idle', name: 'Idle', password: CALDAV_PASSWORD });
    await manual.addCalendar('idle', { title: 'Blank', timeZone: 'UTC' });
    const { page, close } = await open();
    await press(page, 'Connect a calendar');
    await linkCalDav(page, 'idle');
    await allow(page);

    await page.getByText('Nothing planned').waitFor();
    await close();
  });

  it('the sandbox shows new tokens after a refresh, and dead ones after a revocation', async () => {
    const { page, complaints, close } = await open({ width: 390, height: 800 });
    await press(page, 'Connect a calendar');
    await linkCalDav(page);
    await allow(page);
    const tokens = () => page.locator('.token code').allTextContents();
    const before = await tokens();

    await press(page, 'Refresh tokens');
    await page.getByText('The tokens are new').waitFor();
    const after = await tokens();
    await keep(page, '11-refreshed-on-a-phone');
    await press(page, 'Revoke');
    await page.getByText('a request for calendars now returns 401').waitFor();
    await keep(page, '12-revoked');

    // Access tokens of the same second are equal; refresh tokens never are.
    assert.notEqual(before[1], after[1]);
    assert.deepEqual(complaints, []);
    await assert.rejects(listCalendars(sandbox.application, after[0] ?? ''), { status: 401 });
    await close();
  });

  it('the sandbox has demo pages that axe finds no fault with, in the light scheme and in the dark', async () => {
    const { page, close } = await open();
    const home = await violationsOn(page);
    await press(page, 'Connect a calendar');
    await linkCalDav(page);
    await allow(page);
    for (const summary of await page.locator('summary').all()) await summary.click();

    assert.deepEqual([...home, ...(await violationsOn(page))], []);
    await close();
  });

  it('the sandbox has sign-in pages and controls that axe finds no fault with, in the light scheme and in the dark', async () => {
    const { page, complaints, close } = await open({ width: 320, height: 800 });
    await press(page, 'Connect a calendar');
    await pressConnect(page, 'Microsoft');
    const chooser = await violationsOn(page);
    await press(page, 'theo@northwind.example');
    const consent = await violationsOn(page);
    await press(page, 'Cancel');
    await page.goto(`${sandbox.controlUrl}?done=turned`);
    await keep(page, '14-controls-on-a-phone-light');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    const controls = await violationsOn(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await keep(page, '14-controls-on-a-phone-dark');

    assert.deepEqual([...chooser, ...consent, ...controls], []);
    assert.deepEqual(complaints, []);
    assert.equal(width, 320);
    await close();
  });

  it('the sandbox leads a user back in whose sign-in at Google has ended after eight days, and others in meanwhile', async () => {
    const { page, complaints, close } = await open();
    await press(page, 'Connect a calendar');
    await linkGoogle(page);
    await allow(page);
    const controls = await page.context().newPage();
    await controls.goto(sandbox.controlUrl);
    await press(controls, 'Eight days on');
    await controls.getByText('8 days ahead of this machine').waitFor();

    // Events are read again when they are older than ten seconds.
    await page.waitForTimeout(10_500);
    await reloadUntil(page, page.getByRole('button', { name: 'Reconnect account', exact: true }));
    await press(page, 'Reconnect account');
    await press(page, 'Reconnect mara@gmail.example');
    await press(page, 'Continue');
    await page.getByText('mara@gmail.example is connected').waitFor();
    await pressConnect(page, 'Microsoft');
    await press(page, 'theo@northwind.example');
    await press(page, 'Accept');
    await page.getByText('theo@northwind.example is connected').waitFor();
    await allow(page, 2);

    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('the sandbox leads a user to the administrator who has to agree, and on once that was done', async () => {
    const { page, complaints, close } = await open();
    await page.goto(sandbox.controlUrl);
    await press(page, 'Require administrator’s consent');
    await page.getByRole('link', { name: 'Back to the application' }).click();
    await press(page, 'Connect a calendar');
    await pressConnect(page, 'Microsoft');
    await press(page, 'theo@northwind.example');
    await press(page, 'Return to the application without granting consent');
    const administrator = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'The page for your administrator' }).click();
    await press(await administrator, 'Accept');
    await (await administrator).getByText('Allowed for your organization').waitFor();

    await page.getByRole('link', { name: 'Try again' }).click();
    await press(page, 'theo@northwind.example');
    await page.getByText('theo@northwind.example is connected').waitFor();

    assert.deepEqual(complaints, []);
    await close();
  });

  it('the sandbox tells a user who gives up, and one whose answer belongs to another flow', async () => {
    const { page, close } = await open();
    await press(page, 'Connect a calendar');
    await press(page, 'Cancel');
    await page.getByText('You came back without allowing access').waitFor();

    await page.goto(`${sandbox.demoUrl}/callback?code=victim&state=guessed`);

    await page.getByText('This response does not belong to a flow').waitFor();
    await close();
  });

  it('the sandbox tells at the demo that a provider is down, and shows what is known of its calendars', async () => {
    const { page, close } = await open();
    await press(page, 'Connect a calendar');
    await linkCalDav(page);
    await allow(page);
    const id = sandbox.faults.set({ provider: 'caldav', effect: { kind: 'status', status: 503 } });

    // Events are read again when they are older than ten seconds.
    await page.waitForTimeout(10_500);
    await reloadUntil(page, page.getByRole('alert').getByText('Its data may be old'));

    assert.ok(await page.getByText('Choir practice').first().isVisible());
    await keep(page, '13-provider-down');
    sandbox.faults.clear(id);
    await close();
  });

  const eventsNow = async () => {
    const start = Date.now();
    const page: EventPage = await listEvents(sandbox.application, accessToken, { start, end: start + WEEKS });
    assert.equal(page.errors, undefined);
    const events = page.events.map(({ provider, title, start: from, end, allDay }) =>
      line(provider, { title, start: Date.parse(from), end: Date.parse(end), allDay }),
    );
    return { start, events: events.sort() };
  };

  /** Returns what the providers' own apps show of a user's calendars. */
  const shownTo = async (
    name: string,
    calendars: readonly ListedCalendar[],
    window: { start: number; end: number },
  ): Promise<string[]> => {
    const lines: string[] = [];
    for (const { provider, id } of calendars) {
      const kind = kindOf(provider);
      const { manual } = sandbox.providers[kind];
      const instances = await manual.instances(emailOf(name, kind), id, window);
      lines.push(...instances.map((instance) => line(provider, instance)));
    }
    return lines.sort();
  };
});

const SERIES_WINDOW = { start: Date.UTC(2027, 2, 1), end: Date.UTC(2027, 4, 1) };

/** Tuesdays at six in Berlin: the second was moved by a day, the fourth deleted; clocks change on 28 March. */
async function playSeries({ kind, manual }: ProviderSandbox): Promise<void> {
  const at = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
  const email = emailOf('mara', kind);
  const calendar = await manual.addCalendar(email, { title: 'Club', timeZone: 'Europe/Berlin' });
  const series = await manual.createEvent(email, calendar, {
    title: 'Rowing',
    start: at('2027-03-16T18:00:00'),
    end: at('2027-03-16T19:30:00'),
    recurrence: { frequency: 'weekly', weekdays: ['TU'], count: 5 },
  });
  await manual.changeOccurrence(email, calendar, {
    id: series,
    original: at('2027-03-23T18:00:00'),
    title: 'Rowing, by moonlight',
    start: at('2027-03-24T21:00:00'),
    end: at('2027-03-24T22:00:00'),
  });
  await manual.deleteOccurrence(email, calendar, { id: series, original: at('2027-04-06T18:00:00') });
}

/** Returns the rules of axe that the page breaks, and where: all in the light scheme, contrast also in the dark one. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const [colorScheme, options] of [
    ['light', {}],
    ['dark', { runOnly: ['color-contrast', 'link-in-text-block'] }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const violations: unknown = await page.evaluate(
      `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))`,
    );
    found.push(...(Array.isArray(violations) ? violations.map(String) : ['axe did not run']));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

const KINDS: Readonly<Record<string, SandboxKind>> = {
  google: 'google',
  microsoft: 'microsoft',
  apple: 'icloud',
  caldav: 'caldav',
};

function kindOf(provider: string): SandboxKind {
  const kind = KINDS[provider];
  if (kind === undefined) throw new Error(`${provider} is no provider`);
  return kind;
}

const lifeOf = (name: string, kind: SandboxKind) =>
  ACCOUNTS[kind].find(({ person }) => person.email.startsWith(name));
const emailOf = (name: string, kind: SandboxKind): string => lifeOf(name, kind)?.person.email ?? '';
const livesOf = (name: string, provider: string): string[] =>
  (lifeOf(name, kindOf(provider))?.calendars ?? []).map(({ title }) => title);

const line = (provider: string, { title, start, end, allDay }: ListedInstance): string =>
  [provider, new Date(start).toISOString(), new Date(end).toISOString(), allDay ? 'all day' : '', title].join(
    ' ',
  );
