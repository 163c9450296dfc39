/** Access at Google and Microsoft over two instances of the shipped program, on one PostgreSQL. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { type SandboxClock, sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { completeSignIn } from '../../sandbox/microsoft/complete-sign-in.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { walk } from '../sandbox/google/google-client.ts';
import { type Browser, openBrowser } from './browser.ts';
import { type Application, allow, authorizeUrl, exchange, jsonOf, read, tokensOf } from './flow.ts';

const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
const APP = { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'canary-app-secret' };
const READS = 200;
/** Younger data is returned without a request to the provider. */
const FRESH_MS = 10_000;

/** Starts two instances with one master key, and the sandbox's Google and Microsoft. */
async function openSite(databaseUrl: string | undefined) {
  const clock = sandboxClock();
  const deps = { clock, faults: faultBoard() };
  const sandboxes = { google: await googleSandbox(deps), microsoft: await microsoftSandbox(deps) };
  const env = {
    KALENDS_MASTER_KEY: randomBytes(32).toString('base64'),
    ...settingsOf('GOOGLE', sandboxes.google),
    ...settingsOf('MICROSOFT', sandboxes.microsoft),
  };
  const programs = [
    await startProgram({ databaseUrl, env }),
    await startProgram({ databaseUrl, env }),
  ] as const;
  for (const [kind, sandbox] of Object.entries(sandboxes)) {
    const redirectUris = programs.map(({ url }) => `${url}/connect/${kind}/callback`);
    sandbox.registerApp({ ...APP, redirectUris });
    await sandbox.manual.addPerson(ADA);
    await sandbox.manual.addCalendar(ADA.email, { title: 'Work', timeZone: 'Europe/Paris' });
  }
  const registration = await programs[0].createClient();
  const applications = programs.map(({ url }): Application => ({ ...registration, url }));
  const close = async () => {
    for (const program of programs) await program.dispose();
    for (const sandbox of Object.values(sandboxes)) await sandbox.close();
  };
  return { clock, sandboxes, programs, applications, close };
}

const settingsOf = (name: string, { issuer, apiUrl }: GoogleSandbox | MicrosoftSandbox) => ({
  [`KALENDS_${name}_CLIENT_ID`]: APP.clientId,
  [`KALENDS_${name}_CLIENT_SECRET`]: APP.clientSecret,
  [`KALENDS_${name}_ISSUER`]: issuer,
  [`KALENDS_${name}_API_URL`]: apiUrl,
});

/** Connects one account of a user; returns the browser and the application's access token. */
async function connect(
  application: Application,
  userId: string,
  kind: 'google' | 'microsoft',
): Promise<{ readonly browser: Browser; readonly token: string }> {
  const browser = openBrowser();
  await browser.open(authorizeUrl(application, { userId, parameters: { scope: 'read' } }));
  const { destination } = await browser.press(`Connect ${kind === 'google' ? 'Google' : 'Microsoft'}`);
  assert.ok(destination, 'the browser is sent to the provider');
  await browser.open(
    kind === 'google'
      ? await walk(destination, { email: ADA.email })
      : await completeSignIn(destination, { account: ADA.email }),
  );
  await allow(browser);
  const { accessToken } = await tokensOf(await exchange(application, userId));
  return { browser, token: accessToken };
}

/** Returns an access token of a user whose account this browser has linked already. */
async function tokenOf(application: Application, userId: string, browser: Browser): Promise<string> {
  await browser.open(authorizeUrl(application, { userId, parameters: { scope: 'read' } }));
  await allow(browser);
  return (await tokensOf(await exchange(application, userId))).accessToken;
}

async function disconnect({ url }: Application, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/disconnect?provider=google`, { method: 'POST', headers });
  assert.equal(answer.status, 200);
}

onEachDatabase((database, _open, place) => {
  if (database !== 'PostgreSQL') return;
  describe('access at a provider over two instances', () => {
    let site: Awaited<ReturnType<typeof openSite>>;
    let clock: SandboxClock;
    let programs: readonly Program[];
    const browsers: { google?: Browser; microsoft?: Browser } = {};
    before(async () => {
      site = await openSite((await place()).databaseUrl);
      ({ clock, programs } = site);
    });
    after(() => site?.close());

    for (const kind of ['google', 'microsoft'] as const) {
      it(`access at a provider is renewed at ${kind} exactly once for ${READS} reads at once with an expired token`, async () => {
        const sandbox = site.sandboxes[kind];
        const [first, second] = site.applications;
        assert.ok(first && second);
        clock.reset();
        const { browser, token } = await connect(first, `ada-${kind}`, kind);
        browsers[kind] = browser;
        assert.equal((await read(first, '/events', token)).status, 200);
        clock.turn(2 * 3_600_000);
        await sleep(FRESH_MS + 500);
        // Without the user, the checks of the alerts would count: they send a made-up code.
        const before = sandbox.requests('token', ADA.email);

        const answers = await Promise.all(
          Array.from({ length: READS }, (_, i) => read(i % 2 ? first : second, '/events', token)),
        );
        const bodies = await Promise.all(answers.map(jsonOf));

        await until('access was renewed', () => sandbox.requests('token', ADA.email) > before);
        assert.equal(sandbox.requests('token', ADA.email) - before, 1);
        assert.ok(answers.every(({ status }) => status === 200));
        assert.ok(bodies.every(({ errors }) => errors === undefined));
        const status = await jsonOf(await read(second, '/connection-status', token));
        assert.match(JSON.stringify(status), /"health":\{"state":"active"/);
      });
    }

    it('access at a provider is ended at Google by the disconnect of the last account that lives on it, soon after', async () => {
      const [first, second] = site.applications;
      assert.ok(first && second);
      clock.reset();
      const { google } = site.sandboxes;
      await google.manual.revokeAccess(ADA.email);
      const { token: leaving } = await connect(first, 'ada-leaves', 'google');
      const { token: staying } = await connect(second, 'ada-stays', 'google');
      const before = google.requests('revoke');

      await disconnect(first, await tokenOf(first, 'ada-google', browsers.google ?? assert.fail()));
      await disconnect(first, leaving);
      await sleep(3_000);
      const whileOneStays = google.requests('revoke') - before;
      const works = await read(second, '/calendars', staying);
      await disconnect(second, staying);
      for (let i = 0; i < 600 && google.requests('revoke') === before; i += 1) await sleep(100);

      assert.deepEqual([whileOneStays, works.status], [0, 200]);
      assert.equal(google.requests('revoke') - before, 1);
    });

    it('access at a provider stands in no log: no token, no code and no secret of the providers', () => {
      for (const program of programs) {
        const { stdout, stderr } = program.output();
        assert.doesNotMatch(`${stdout}${stderr}`, /canary|refresh_token|access_token|ya29\.|1\/\/|Bearer /);
      }
    });
  });
});
