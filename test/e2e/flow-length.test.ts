/**
 * The number of Kalends' pages that a user sees and of clicks on them, on the running program with the sandbox's
 * Google.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { type Browser, buttonsOf, openBrowser, type Page, textOf } from './browser.ts';
import { authorizeUrl, exchange, tokensOf } from './flow.ts';
import { ADA, type GoogleSite, openGoogleSite, passGoogle } from './google-site.ts';

describe('the length of the flow', () => {
  let site: GoogleSite;
  let browser: Browser;
  /** Kalends' own pages: the heading of each page that was shown, and each button that was pressed. */
  let pages: string[];
  let clicks: string[];
  let users = 0;
  before(async () => {
    site = await openGoogleSite();
  });
  after(() => site?.close());
  beforeEach(() => {
    browser = openBrowser();
    [pages, clicks] = [[], []];
    users += 1;
  });

  const userId = () => `user-${users}`;
  const see = (page: Page): Page => {
    const [, heading = ''] = /<h1[^>]*>(.*?)<\/h1>/s.exec(page.body) ?? [];
    if (page.status === 200) pages.push(textOf(heading));
    return page;
  };
  const start = async (parameters: Record<string, string> = {}) =>
    see(await browser.open(authorizeUrl(site.application, { userId: userId(), parameters })));
  const press = async (button: string) => {
    clicks.push(button);
    return see(await browser.press(button));
  };
  const signIn = async () => see(await passGoogle(browser, ADA.email));
  const codeOf = ({ destination }: Page) => destination?.searchParams.get('code');
  const finish = async (page: Page) => {
    assert.equal(codeOf(page), userId());
    await tokensOf(await exchange(site.application, userId()));
  };

  it('the length of the flow with providers=google is one page and one click beside Google’s own', async () => {
    const sent = await start({ providers: 'google' });
    assert.equal(sent.destination?.origin, site.google.origin, 'straight to Google');
    await signIn();
    await finish(await press('Allow'));

    assert.deepEqual(pages, ['Allow access to your calendars?']);
    assert.deepEqual(clicks, ['Allow']);
  });

  it('the length of the flow with several providers is two pages and two clicks beside Google’s own', async () => {
    await start();
    await press('Connect Google');
    await signIn();
    await finish(await press('Allow'));

    assert.deepEqual(pages, ['Connect your calendars', 'Allow access to your calendars?']);
    assert.deepEqual(clicks, ['Connect Google', 'Allow']);
  });

  it('the length of the flow for who returns in the same browser is one page with "Done"', async () => {
    await start({ providers: 'google' });
    await signIn();
    await finish(await press('Allow'));
    [pages, clicks] = [[], []];

    const page = await start({ providers: 'google' });
    const endings = buttonsOf(page.body).filter((label) => /^(Continue|Allow|Done|Cancel)$/.test(label));
    await finish(await press('Done'));

    assert.deepEqual(endings, ['Done']);
    assert.deepEqual([pages.length, clicks], [1, ['Done']]);
  });

  it('the length of the flow after a cancel at Google is not endless: the selection page stands then', async () => {
    const { destination } = await start({ providers: 'google' });
    const back = new URL(`${site.program.url}/connect/google/callback`);
    back.searchParams.set('error', 'access_denied');
    back.searchParams.set('state', destination?.searchParams.get('state') ?? '');

    back.searchParams.set('iss', site.google.issuer);
    see(await browser.open(back));
    const again = see(await browser.open(browser.page().url));

    assert.deepEqual(pages, ['Connect your calendars', 'Connect your calendars']);
    assert.equal(again.destination, undefined);
    await press('Connect Google');
    await signIn();
    await finish(await press('Allow'));
  });
});
