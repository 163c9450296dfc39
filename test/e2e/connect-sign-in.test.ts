/** Signing in at Google and Microsoft in a real browser: the program as shipped, and the sandbox's providers. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { Browser as Chromium, Page } from 'playwright-core';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { type Faults, faultBoard } from '../../sandbox/core/faults.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { launchChromium, openPage, type Watched, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import { type Application, authorizeUrl, exchange, tokensOf } from './flow.ts';

const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
/** Members of her organization cannot consent alone. */
const EVE = { email: 'eve@corp.example', name: 'Eve' };
const APPS = {
  google: { clientId: 'g.apps.example', clientSecret: 'GOCSPX-canary' },
  microsoft: { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'm~canary' },
};
/** Not on this machine, so that the page's policy does not have to allow plain http for it. */
const REDIRECT_URI = 'https://app.example/callback';

describe('signing in at Google and Microsoft in Chromium', { skip: WITHOUT_CHROMIUM }, () => {
  let faults: Faults;
  let google: GoogleSandbox;
  let microsoft: MicrosoftSandbox;
  let program: Program;
  let browser: Chromium;
  let application: Application;
  before(async () => {
    const deps = { clock: sandboxClock(), faults: faultBoard() };
    faults = deps.faults;
    google = await googleSandbox(deps);
    microsoft = await microsoftSandbox(deps);
    browser = await launchChromium();
    for (const { manual } of [google, microsoft]) await manual.addPerson(ADA);
    await microsoft.manual.addPerson(EVE);
    await microsoft.manual.demandAdminConsent(EVE.email);
    program = await startProgram({
      env: { ...settingsOf('google', google), ...settingsOf('microsoft', microsoft) },
    });
    for (const sandbox of [google, microsoft]) register(sandbox);
    const made = await program.createClient({ displayName: 'Acme Planner', redirectUri: REDIRECT_URI });
    application = { ...made, url: program.url };
  });
  after(async () => {
    await browser?.close();
    await program?.dispose();
    await google?.close();
    await microsoft?.close();
  });
  let user = 0;
  beforeEach(() => {
    user += 1;
    faults.clear();
  });

  const register = (
    sandbox: GoogleSandbox | MicrosoftSandbox,
    clientSecret = APPS[sandbox.kind].clientSecret,
  ) =>
    sandbox.registerApp({
      ...APPS[sandbox.kind],
      clientSecret,
      redirectUris: [`${program.url}/connect/${sandbox.kind}/callback`],
    });
  const open = async (parameters = {}, options = {}): Promise<Watched> => {
    const watched = await openPage(browser, { javaScriptEnabled: false, ...options });
    const query = { scope: 'read', ...parameters };
    await watched.page.goto(authorizeUrl(application, { userId: `user-${user}`, parameters: query }));
    return watched;
  };
  const press = (page: Page, name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' }).click();

  for (const [kind, provider, accept] of [
    ['google', 'Google', 'Continue'],
    ['microsoft', 'Microsoft', 'Accept'],
  ] as const) {
    it(`signing in at a provider links a ${provider} account without JavaScript, and the policy of no page stands in the way`, async () => {
      await (kind === 'google' ? google : microsoft).manual.revokeAccess(ADA.email);
      const watched = await open();
      const { page } = watched;

      await press(page, `Connect ${provider}`);
      await press(page, ADA.email);
      await press(page, accept);

      await page.getByText(`${ADA.email} is connected`).waitFor();
      await page.getByText(ADA.email).first().waitFor();
      assert.deepEqual(watched.complaints, []);
      await watched.close();
    });
  }

  for (const [kind, provider, steps] of [
    ['google', 'Google', ['Continue']],
    ['microsoft', 'Microsoft', [ADA.email, 'Accept']],
  ] as const) {
    it(`signing in at a provider repairs a ${provider} account from a reconnect link, without JavaScript and a code`, async () => {
      const { manual } = kind === 'google' ? google : microsoft;
      await manual.revokeAccess(ADA.email);
      const watched = await open();
      const { page } = watched;
      const names = [`Connect ${provider}`, ADA.email, steps.at(-1) ?? '', 'Allow'];
      for (const name of names) await press(page, name);
      // Nothing responds at the callback. The browser's error page would interrupt the next navigation.
      await until('the error page is shown', () => page.url().startsWith('chrome-error:'));
      await tokensOf(await exchange(application, `user-${user}`));
      await manual.revokeAccess(ADA.email);
      const words = [application.clientId, `user-${user}`, ADA.email] as const;
      const { url } = await program.command('user', 'reconnect-link', ...words);

      await page.goto(String(url));
      for (const name of steps) await press(page, name);

      await page.getByRole('heading', { name: `${ADA.email} is connected again` }).waitFor();
      assert.equal((await exchange(application, `user-${user}`)).status, 400, 'it gave no code');
      assert.deepEqual(watched.complaints, []);
      await watched.close();
    });
  }

  it('signing in at a provider goes back with a word from a user who cancelled, and on from there', async () => {
    await google.manual.revokeAccess(ADA.email);
    const { page, close } = await open();
    await press(page, 'Connect Google');
    await press(page, ADA.email);

    await press(page, 'Cancel');

    await page.getByText('You cancelled at Google').waitFor();
    await press(page, 'Connect Google');
    await page.getByText('Choose an account').first().waitFor();
    await close();
  });

  it('signing in at a provider informs a user who unticked the calendars, and Reconnect repairs the account', async () => {
    await google.manual.revokeAccess(ADA.email);
    const { page, close } = await open();
    await press(page, 'Connect Google');
    await press(page, ADA.email);
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
    await press(page, 'Continue');
    await page.getByText('did not allow access to your calendars').waitFor();

    // The hint tells Google which account to use.
    await press(page, `Reconnect ${ADA.email}`);
    await press(page, 'Continue');

    await page.getByText(`${ADA.email} is connected`).waitFor();
    assert.equal(await page.getByText('You have not allowed access to its calendars').count(), 0);
    await close();
  });

  it('signing in at a provider takes the browser’s Back and the address of the return again without a second account or a fault', async () => {
    const { page, close } = await open({}, { javaScriptEnabled: true });
    await press(page, 'Connect Google');
    await press(page, ADA.email);
    const [returned] = await Promise.all([
      page.waitForRequest((request) => request.url().includes('/connect/google/callback')),
      press(page, 'Continue'),
    ]);
    await page.getByText(`${ADA.email} is connected`).waitFor();

    await page.goto(returned.url());

    await page.getByText(`${ADA.email} is connected`).waitFor();
    assert.equal(await page.getByLabel(/^Options for /).count(), 1);
    await close();
  });

  it('signing in at a provider writes no secret, code or state into its log', async () => {
    register(google, 'another');
    await google.manual.revokeAccess(ADA.email);
    const { page, close } = await open();
    await press(page, 'Connect Google');
    await press(page, ADA.email);
    await press(page, 'Continue');
    await page.getByText('Google could not be connected').waitFor();
    await close();

    const { stdout, stderr } = program.output();

    assert.match(stderr, /app_credentials_refused/);
    assert.doesNotMatch(stdout + stderr, /canary|code=|state=|refresh_token|access_token/);
  });
});

function settingsOf(kind: 'google' | 'microsoft', { issuer, apiUrl }: GoogleSandbox | MicrosoftSandbox) {
  const name = `KALENDS_${kind.toUpperCase()}`;
  return {
    [`${name}_CLIENT_ID`]: APPS[kind].clientId,
    [`${name}_CLIENT_SECRET`]: APPS[kind].clientSecret,
    [`${name}_ISSUER`]: issuer,
    [`${name}_API_URL`]: apiUrl,
  };
}
