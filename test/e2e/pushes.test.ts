/** Google and Microsoft notify the shipped program of changes, and it delivers them to the application. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { completeSignIn } from '../../sandbox/microsoft/complete-sign-in.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { walk } from '../sandbox/google/google-client.ts';
import { openReceiver, type Received, type Receiver } from '../webhooks/receiver.ts';
import { openBrowser } from './browser.ts';
import { type Application, allow, authorizeUrl, exchange, jsonOf, read, tokensOf } from './flow.ts';

const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
const APP = { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'canary-app-secret' };
/** Far less than the five minutes after which these providers are polled. */
const PATIENCE_MS = 40_000;

type Kind = 'google' | 'microsoft';

describe('push notifications from providers', () => {
  let sandboxes: { google: GoogleSandbox; microsoft: MicrosoftSandbox };
  let program: Program;
  let application: Application;
  let receiver: Receiver;
  const calendars: Record<Kind, string> = { google: '', microsoft: '' };
  const tokens: Record<Kind, string> = { google: '', microsoft: '' };

  before(async () => {
    const deps = { clock: sandboxClock(), faults: faultBoard() };
    sandboxes = { google: await googleSandbox(deps), microsoft: await microsoftSandbox(deps) };
    program = await startProgram({
      env: { ...settingsOf('GOOGLE', sandboxes.google), ...settingsOf('MICROSOFT', sandboxes.microsoft) },
    });
    receiver = await openReceiver();
    application = { ...(await program.createClient()), url: program.url };
    await program.command('client', 'update', application.clientId, '--webhook-url', receiver.url);
    for (const kind of ['google', 'microsoft'] as const) {
      const sandbox = sandboxes[kind];
      sandbox.registerApp({ ...APP, redirectUris: [`${program.url}/connect/${kind}/callback`] });
      await sandbox.manual.addPerson(ADA);
      calendars[kind] = await sandbox.manual.addCalendar(ADA.email, {
        title: 'Work',
        timeZone: 'Europe/Paris',
      });
      tokens[kind] = await connect(kind);
      await read(application, '/events', tokens[kind]);
    }
  });
  after(async () => {
    receiver?.close();
    await program?.dispose();
    for (const sandbox of Object.values(sandboxes ?? {})) await sandbox.close();
  });

  const settingsOf = (name: string, { issuer, apiUrl }: GoogleSandbox | MicrosoftSandbox) => ({
    [`KALENDS_${name}_CLIENT_ID`]: APP.clientId,
    [`KALENDS_${name}_CLIENT_SECRET`]: APP.clientSecret,
    [`KALENDS_${name}_ISSUER`]: issuer,
    [`KALENDS_${name}_API_URL`]: apiUrl,
  });
  const connect = async (kind: Kind): Promise<string> => {
    const browser = openBrowser();
    await browser.open(authorizeUrl(application, { userId: kind, parameters: { scope: 'read' } }));
    const { destination } = await browser.press(`Connect ${kind === 'google' ? 'Google' : 'Microsoft'}`);
    assert.ok(destination);
    const back =
      kind === 'google'
        ? walk(destination, { email: ADA.email })
        : completeSignIn(destination, { account: ADA.email });
    await browser.open(await back);
    await allow(browser);
    return (await tokensOf(await exchange(application, kind))).accessToken;
  };
  const until = async <T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(50)) {
      const found = await look();
      if (found !== undefined) return found;
    }
    throw new Error(
      `${what}: ${JSON.stringify(receiver.received.map(({ body }) => body))} ${program.output().stderr}`,
    );
  };
  const updatesOf = async (kind: Kind) => {
    const { connections } = await jsonOf(await read(application, '/connection-status', tokens[kind]));
    return Object(connections)[kind][0];
  };
  const pushed = (kind: Kind) =>
    until(`${kind} is not watched`, async () =>
      (await updatesOf(kind)).updates === 'push' ? true : undefined,
    );
  const put = (kind: Kind, title: string) =>
    sandboxes[kind].manual.createEvent(ADA.email, calendars[kind], {
      title,
      start: { dateTime: '2026-12-01T09:00:00', timeZone: 'Europe/Paris' },
      end: { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Paris' },
    });
  const told = (title: string): Promise<Received> =>
    until(`${title} is not told`, () =>
      receiver.received.findLast(({ body }) => body.events.some((event) => event.title === title)),
    );

  for (const kind of ['google', 'microsoft'] as const) {
    it(`a change at ${kind} is pushed, read, and delivered`, async (t) => {
      await pushed(kind);
      await put(kind, `warm ${kind}`);
      await told(`warm ${kind}`);

      const startedAt = performance.now();
      await put(kind, `pushed ${kind}`);
      const { body } = await told(`pushed ${kind}`);

      t.diagnostic(`from the change to its delivery: ${Math.round(performance.now() - startedAt)} ms`);
      assert.equal(body.provider, kind);
      assert.equal(body.userId, kind);
      const { lastSyncedAt } = await updatesOf(kind);
      assert.ok(Math.abs(Date.now() - Date.parse(lastSyncedAt)) < 600_000);
    });
  }

  it('doctor counts the calendars with push notifications', async () => {
    const { checks } = await program.command('doctor');
    const check = [checks].flat().find((one) => Object(one).name === 'pushes');
    assert.match(
      JSON.stringify(check),
      /\d of Google with push notifications.*\d of Microsoft with push notifications/,
    );
  });

  it('a notice without the right token makes nobody ask Google', async () => {
    await pushed('google');
    const before = sandboxes.google.requests('events.list');
    for (const mount of ['', '/api'])
      for (const token of ['', 'wrong']) {
        const headers = { 'x-goog-channel-id': 'A'.repeat(22), 'x-goog-channel-token': token };
        const answer = await fetch(`${program.url}${mount}/webhook-receiver/google`, {
          method: 'POST',
          headers,
        });
        assert.equal(answer.status, 404);
      }
    await sleep(500);
    assert.equal(sandboxes.google.requests('events.list'), before);
  });

  it('Microsoft’s handshake is answered as text, and forged notices with 202 and nothing else', async () => {
    const url = `${program.url}/api/webhook-receiver/microsoft`;
    const markup = '<b>Validation: Testing client application</b>';
    const answer = await fetch(`${url}?validationToken=${encodeURIComponent(markup)}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(await answer.text(), markup);

    const before = sandboxes.microsoft.requests('calendarView.delta');
    const send = (body: string) =>
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const entry = { subscriptionId: 'x', clientState: `${'A'.repeat(22)}.wrong`, changeType: 'updated' };
    assert.equal((await send(JSON.stringify({ value: [entry, null, 7, {}] }))).status, 202);
    for (const bad of ['{}', '[]', 'null', '"a"', '{"value":1}', '{'])
      assert.equal((await send(bad)).status, 400);
    await sleep(500);
    assert.equal(sandboxes.microsoft.requests('calendarView.delta'), before);
  });

  it('unknown providers, and providers without push notifications, are refused', async () => {
    const statusOf = async (provider: string) =>
      (await fetch(`${program.url}/webhook-receiver/${provider}`, { method: 'POST' })).status;
    assert.deepEqual(await Promise.all(['apple', 'caldav', 'other'].map(statusOf)), [404, 404, 400]);
  });

  it('a subscription that Microsoft removes is created again, and changes in the meantime are delivered', async () => {
    await pushed('microsoft');
    const before = sandboxes.microsoft.requests('subscriptions.create');
    await sandboxes.microsoft.manual.sendLifecycle(ADA.email, 'subscriptionRemoved');
    await put('microsoft', 'meanwhile');
    await told('meanwhile');
    await until('made anew', () =>
      sandboxes.microsoft.requests('subscriptions.create') > before ? true : undefined,
    );
    await pushed('microsoft');

    await put('microsoft', 'after that');
    await told('after that');
  });
});
