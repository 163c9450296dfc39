/** `display=popup` in a real browser: the program as shipped, and the opener's page as docs/popup.md has it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';

import type { BrowserContext, Browser as Chromium, Page } from 'playwright-core';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { close, listen } from '../harness/loopback.ts';
import { launchChromium, openPage, tabTo, type Watched, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import { type Application, authorize, authorizeUrl, exchange, tokensOf } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const GOOGLE_APP = { clientId: 'g.apps.example', clientSecret: 'GOCSPX-popup' };
const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
const STATE = 'state & "more" é';

/** The example of the documentation, which this test runs. */
const EXAMPLE =
  /```js\n(.*?)```/s.exec(readFileSync(new URL('../../docs/popup.md', import.meta.url), 'utf8'))?.[1] ?? '';

describe('a flow in a popup in Chromium', { skip: WITHOUT_CHROMIUM || WITHOUT_RADICALE }, () => {
  let google: GoogleSandbox;
  let site: Site;
  let browser: Chromium;
  let applicationServer: ApplicationServer;
  let stranger: ApplicationServer;
  let application: Application;
  before(async () => {
    google = await googleSandbox({ clock: sandboxClock(), faults: faultBoard() });
    browser = await launchChromium();
    await google.manual.addPerson(ADA);
    site = await openSite({
      env: {
        KALENDS_GOOGLE_CLIENT_ID: GOOGLE_APP.clientId,
        KALENDS_GOOGLE_CLIENT_SECRET: GOOGLE_APP.clientSecret,
        KALENDS_GOOGLE_ISSUER: google.issuer,
        KALENDS_GOOGLE_API_URL: google.apiUrl,
      },
    });
    const { url } = site.program;
    google.registerApp({ ...GOOGLE_APP, redirectUris: [`${url}/connect/google/callback`] });
    [applicationServer, stranger] = await Promise.all([startApplication(url), startApplication(url)]);
    const redirectUri = `${applicationServer.origin}/callback`;
    application = { ...(await site.program.createClient({ displayName: 'Acme Planner', redirectUri })), url };
  });
  after(async () => {
    await browser?.close();
    await applicationServer?.close();
    await stranger?.close();
    await site?.close();
    await google?.close();
  });

  let user = 0;
  /** The device cookie of the browser that linked the account, by user. */
  const devices = new Map<string, string>();
  /** Returns a user whose account the application may read, so that the popup has only one step: to allow more. */
  const nextUser = async () => {
    user += 1;
    const userId = `user-${user}`;
    const parameters = { scope: 'read' };
    const { browser: linking } = await authorize(application, { userId, login: site.login, parameters });
    await tokensOf(await exchange(application, userId));
    devices.set(userId, linking.cookies.get('kalends_device') ?? '');
    return userId;
  };
  /** Gives the context the device cookie of the user's browser. */
  const keepDevice = async (context: BrowserContext, address: string) => {
    const value = devices.get(new URL(address).searchParams.get('user_id') ?? '');
    if (value) await context.addCookies([{ name: 'kalends_device', value, url: site.program.url }]);
  };
  const popupUrl = (userId: string, parameters = {}) =>
    authorizeUrl(application, { userId, parameters: { display: 'popup', state: STATE, ...parameters } });

  /** Opens the application's page and the popup that it opens. */
  const open = async (from: ApplicationServer, address: string, path = '/') => {
    const watched = await openPage(browser, { viewport: { width: 900, height: 700 } });
    await keepDevice(watched.page.context(), address);
    await watched.page.goto(from.origin + path);
    await watched.page.evaluate(`document.body.dataset.address = ${JSON.stringify(address)}`);
    const [popup] = await Promise.all([
      watched.page.waitForEvent('popup'),
      watched.page.getByRole('button', { name: 'Connect calendars' }).click(),
    ]);
    await popup.locator('h1').waitFor();
    return { ...watched, popup };
  };
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const messagesTo = ({ page }: Pick<Watched, 'page'>) => page.evaluate('window.received');

  it('a flow in a popup tells the page that opened it when the user allows, closes, and the code can be exchanged', async () => {
    const userId = await nextUser();
    const opened = await open(applicationServer, popupUrl(userId));
    const { page, popup, close } = opened;

    await Promise.all([popup.waitForEvent('close'), press(popup, 'Allow')]);

    await page.getByText('Connected').waitFor();
    const redirectUri = `${application.redirectUri}?code=${userId}&state=state+%26+%22more%22+%C3%A9`;
    assert.deepEqual(await messagesTo(opened), [
      { type: 'kalends:authorization', code: userId, state: STATE, redirect_uri: redirectUri },
    ]);
    assert.deepEqual(applicationServer.exchanged, [userId]);
    assert.equal((await exchange(application, userId)).status, 200);
    assert.deepEqual(applicationServer.callbacks, []);
    await close();
  });

  it('a flow in a popup tells the page that opened it when the user cancels', async () => {
    const opened = await open(applicationServer, popupUrl(await nextUser()));

    await Promise.all([opened.popup.waitForEvent('close'), press(opened.popup, 'Cancel')]);

    await opened.page.getByText('Cancelled: The user did not allow the access').waitFor();
    assert.deepEqual(applicationServer.callbacks, []);
    await opened.close();
  });

  it('a flow in a popup stays in it on the way through a provider’s own pages', async () => {
    const opened = await open(applicationServer, popupUrl('by-google'));
    const { popup } = opened;
    await press(popup, 'Connect Google');
    await popup.getByRole('button', { name: ADA.email }).click();
    await press(popup, 'Continue');
    await popup.getByText(`${ADA.email} is connected`).waitFor();

    await Promise.all([popup.waitForEvent('close'), press(popup, 'Allow')]);

    await opened.page.getByText('Connected').waitFor();
    assert.equal(opened.requests.filter((url) => url.startsWith(site.program.url)).length, 0);
    await opened.close();
  });

  it('a flow in a popup tells nothing to a page of another origin that opened it', async () => {
    const opened = await open(stranger, popupUrl(await nextUser()));

    await Promise.all([opened.popup.waitForEvent('close'), press(opened.popup, 'Allow')]);

    assert.deepEqual(await messagesTo(opened), []);
    assert.deepEqual([stranger.exchanged, stranger.callbacks], [[], []]);
    await opened.close();
  });

  it('a flow in a popup continues to the callback if its opener isolated itself', async () => {
    const userId = await nextUser();
    const from = applicationServer.callbacks.length;
    const opened = await open(applicationServer, popupUrl(userId), '/isolated');
    await press(opened.popup, 'Allow');

    await opened.popup.getByText('Back at the application').waitFor();

    const [callback] = applicationServer.callbacks.slice(from);
    assert.deepEqual(Object.fromEntries(callback?.searchParams ?? []), { code: userId, state: STATE });
    await opened.close();
  });

  it('a flow in a popup leads back by a link without JavaScript', async () => {
    const userId = await nextUser();
    const { page, close, complaints } = await openPage(browser, { javaScriptEnabled: false });
    await keepDevice(page.context(), popupUrl(userId));
    await page.goto(popupUrl(userId));
    await press(page, 'Allow');
    await page.getByRole('heading', { name: 'Access allowed' }).waitFor();

    await page.getByRole('link', { name: 'Back to Acme Planner' }).click();

    await page.getByText('Back at the application').waitFor();
    assert.equal(applicationServer.callbacks.at(-1)?.searchParams.get('code'), userId);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('a flow in a popup goes by keyboard alone, and its policy stands in no script’s way', async () => {
    const opened = await open(applicationServer, popupUrl(await nextUser()));
    const { page, popup } = opened;
    const complaints: string[] = [];
    popup.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await tabTo(popup, 'Allow');

    await Promise.all([popup.waitForEvent('close'), popup.keyboard.press('Enter')]);

    await page.getByText('Connected').waitFor();
    assert.deepEqual(complaints, []);
    await opened.close();
  });
});

/** An application's server: the page that opens popups, the codes that it was asked to exchange, and its callback. */
type ApplicationServer = {
  readonly origin: string;
  readonly exchanged: string[];
  readonly callbacks: URL[];
  close(): Promise<void>;
};

async function startApplication(kalends: string): Promise<ApplicationServer> {
  const exchanged: string[] = [];
  const callbacks: URL[] = [];
  const page = applicationPage(kalends);
  const respond = async (request: IncomingMessage): Promise<string> => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') {
      callbacks.push(url);
      return '<title>Back</title><p>Back at the application';
    }
    if (url.pathname !== '/calendars/connected') return page;
    exchanged.push(new URLSearchParams(await text(request)).get('code') ?? '');
    return 'done';
  };
  const server = createServer((request, response) => {
    if (request.url === '/isolated') response.setHeader('cross-origin-opener-policy', 'same-origin');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    respond(request).then(
      (body) => response.end(body),
      (reason: Error) => response.writeHead(500).end(reason.message),
    );
  });
  return { origin: await listen(server), exchanged, callbacks, close: () => close(server) };
}

/** Returns the example of the documentation in a complete page. */
const applicationPage = (kalends: string): string => `<!doctype html><title>Application</title>
<body><button>Connect calendars</button><p id="told"></p>
<script>
window.received = [];
addEventListener('message', ({ data }) => received.push(data));
${EXAMPLE.replace('https://connect.example.com', kalends)}
const say = (words) => { document.getElementById('told').textContent = words; };
const showCancelled = (why) => say('Cancelled: ' + why);
const fetched = window.fetch;
window.fetch = async (...request) => { await fetched(...request); say('Connected'); };
document.querySelector('button').onclick = () => connectCalendars(document.body.dataset.address, ${JSON.stringify(STATE)});
</script>`;
