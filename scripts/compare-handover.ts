/**
 * Hands a running installation from one program to another, as an upgrade and its reverse do: sessions of browsers,
 * tokens, cursors, page tokens, idempotency keys and an open split must continue.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import { endedWithBench, nodeOf } from '../bench/against/side-process.ts';
import { type Browser, openBrowser } from '../test/e2e/browser.ts';
import { type Application, authorizeUrl, exchange, refresh, tokensOf } from '../test/e2e/flow.ts';
import { connectAtGoogle } from '../test/e2e/sandbox-google.ts';
import { freePort } from '../test/harness/loopback.ts';

const REDIRECT_URI = 'http://localhost:9/callback';
const PASSWORD = 'seven kettles sing at noon';
const SPLIT_MS = 90_000;
const WINDOW = '/events?start=2031-03-01T00:00:00Z&end=2031-03-08T00:00:00Z&pageSize=2';
const SERIES = { start: '2031-03-01T09:00:00Z', end: '2031-03-01T10:00:00Z', timeZone: 'UTC' };
const SINGLE = { start: '2031-03-02T12:00:00Z', end: '2031-03-02T13:00:00Z', title: 'Once' };

type Sandbox = Application & {
  readonly child: ChildProcess;
  readonly controlUrl: string;
  readonly setupUrl: string;
};
/** The fields that this file uses, of a response of any operation. */
type Body = {
  readonly id?: string;
  readonly events?: readonly { readonly id: string; readonly title: string }[];
  readonly cursor?: string;
  readonly nextPageToken?: string;
};
type Answer<T = Body> = { readonly status: number; readonly body: T };
/** The state that the first program created. */
type State = {
  readonly connected: Browser;
  readonly open: Browser;
  readonly dashboard: Browser;
  readonly refreshToken: string;
  readonly calendarId: string;
  readonly cursor: string;
  readonly pageToken: string;
  /** The id of the event that an idempotency key created. */
  readonly created: string | undefined;
};

/** Runs `from`, stops it within a split, and runs `to` on its data. Throws an AssertionError for what did not continue. */
export async function handOver(from: string, to: string): Promise<void> {
  const folder = await mkdtemp(`${from}-handover-`);
  const options = ['--redirect-uri', REDIRECT_URI, '--json', '--keep', path.join(folder, 'kept')];
  options.push('--port', String(await freePort()));
  const first = await startSandbox(from, options);
  const state = await begin(first).finally(() => stop(first.child));
  const second = await startSandbox(to, options);
  await proceed(second, state).finally(() => stop(second.child));
}

async function startSandbox(checkout: string, options: readonly string[]): Promise<Sandbox> {
  const args = [path.join(checkout, 'src/start.js'), 'sandbox', ...options];
  const child = endedWithBench(
    spawn(nodeOf(checkout), args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: checkout }),
  );
  let output = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.endsWith('}\n')) break;
  }
  child.stdout.resume();
  const document = JSON.parse(output);
  return {
    child,
    url: document.url,
    clientId: document.client_id,
    clientSecret: document.client_secret,
    redirectUri: document.redirect_uri,
    controlUrl: document.control_url,
    setupUrl: document.setup_url,
  };
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill();
  if (child.exitCode === null) await once(child, 'exit');
}

const connectUrl = (sandbox: Sandbox, userId: string): string =>
  authorizeUrl(sandbox, { userId, parameters: { scope: 'read-write', state: 's' } });

async function begin(sandbox: Sandbox): Promise<State> {
  const dashboard = openBrowser();
  await dashboard.open(sandbox.setupUrl);
  await dashboard.press('Set up and sign in', {
    'Your name': 'Ada',
    'E-mail address': 'ada@example.com',
    Password: PASSWORD,
  });
  const [connected, open] = [openBrowser(), openBrowser()];
  await connected.open(connectUrl(sandbox, 'ada'));
  await connectAtGoogle(connected);
  const { accessToken, refreshToken } = await tokensOf(await exchange(sandbox, 'ada'));
  await open.open(connectUrl(sandbox, 'ben'));

  const call = caller(sandbox, accessToken);
  const calendars = await call<{ readonly id: string; readonly access: string }[]>('GET', '/calendars');
  const calendarId = calendars.body.find(({ access }) => access === 'write')?.id ?? '';
  const target = { provider: 'google', calendarId };
  const created = await call('POST', '/event', { ...target, ...SINGLE }, { 'idempotency-key': 'handover' });
  const recurrence = { frequency: 'daily', count: 6 };
  const series = await call('POST', '/event', { ...target, ...SERIES, title: 'Daily', recurrence });
  assert.deepEqual([created.status, series.status], [200, 200], JSON.stringify([created, series]));
  const page = await call('GET', WINDOW);
  const changes = await call('GET', '/events/changes?initial=true');
  const later = page.body.events?.at(-1)?.id;

  // The new series is created, and nothing after it.
  const fault = { provider: 'google', operation: 'write', skip: 1, times: 1000 };
  const status = await fetch(`${sandbox.controlUrl}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...fault, effect: { kind: 'status', status: 503 } }),
  });
  assert.ok(status.ok, await status.text());
  const split = { ...target, eventId: later, updateMode: 'following', title: 'Later' };
  const failed = await call('PUT', '/event', split);
  assert.ok(failed.status >= 500, JSON.stringify(failed));
  const { cursor = '' } = changes.body;
  const { nextPageToken: pageToken = '' } = page.body;
  assert.ok(cursor !== '' && pageToken !== '', JSON.stringify([page.body, changes.body]));
  return {
    ...{ connected, open, dashboard, refreshToken, calendarId, cursor, pageToken },
    created: created.body.id,
  };
}

async function proceed(sandbox: Sandbox, state: State): Promise<void> {
  const { accessToken } = await tokensOf(await refresh(sandbox, state.refreshToken));
  const call = caller(sandbox, accessToken);
  const page = await call('GET', `${WINDOW}&nextPageToken=${encodeURIComponent(state.pageToken)}`);
  assert.equal(page.status, 200, `page token: ${JSON.stringify(page.body)}`);
  const changes = await call('GET', `/events/changes?cursor=${encodeURIComponent(state.cursor)}`);
  assert.equal(changes.status, 200, `cursor: ${JSON.stringify(changes.body)}`);
  const target = { provider: 'google', calendarId: state.calendarId };
  const again = await call('POST', '/event', { ...target, ...SINGLE }, { 'idempotency-key': 'handover' });
  assert.deepEqual([again.status, again.body.id], [200, state.created], 'idempotency key');

  const overview = await state.dashboard.open(`${sandbox.url}/dashboard`);
  assert.match(overview.body, /ada@example\.com|Sign out/, 'session of the dashboard');
  await connectAtGoogle(state.open);
  await tokensOf(await exchange(sandbox, 'ben'));
  const returning = await state.connected.open(connectUrl(sandbox, 'ada'));
  assert.match(returning.body, /mara@gmail\.example/, 'known browser');

  const titles = async () => {
    const { body } = await call('GET', WINDOW.replace('pageSize=2', 'pageSize=50'));
    return (body.events ?? []).map(({ title }) => title);
  };
  const deadline = performance.now() + SPLIT_MS;
  let listed: string[] = [];
  while (performance.now() < deadline) {
    listed = await titles();
    if (listed.includes('Later') && listed.length === 7) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  assert.fail(`The split was not finished: ${listed.join(', ')}`);
}

/** Returns a function that calls the REST interface. */
const caller =
  ({ url }: Sandbox, accessToken: string) =>
  async <T = Body>(
    method: string,
    at: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> => {
    const response = await fetch(url + at, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${accessToken}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
