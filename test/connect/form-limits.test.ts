/** Limits how many forms check a login at once, and how long a check may take (docs/security.md T13). On SQLite. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it, mock } from 'node:test';

import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import type { ConnectDeps } from '../../src/connect/flow/connect-deps.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { everyAccount } from './approvals.ts';
import { Browser, type Harness, openConnect, passwordProvider, transactionOf } from './connect-harness.ts';

let harness: Harness;
afterEach(async () => {
  mock.restoreAll();
  await harness.close();
});

const TYPED = { server: 'https://dav.example.com', username: 'ada@example.com', password: 'right' };

/** Opens the pages with a CalDAV server that answers when `release` is called. */
async function openSlow(changes: Partial<Pick<ConnectDeps, 'formSlots' | 'attempts'>> = {}) {
  const released = Promise.withResolvers<void>();
  const checks: (AbortSignal | undefined)[] = [];
  let noteCheck = Promise.withResolvers<void>();
  const caldav = passwordProvider('caldav');
  const verify: typeof caldav.signIn.verify = async (login, user) => {
    checks.push(user?.signal);
    noteCheck.resolve();
    await released.promise;
    return caldav.signIn.verify(login, user);
  };
  const slow = { ...caldav, signIn: { ...caldav.signIn, verify } };
  harness = await openConnect({ providers: { caldav: slow }, ...changes });
  /** Resolves when `count` checks have begun. */
  const begun = async (count: number) => {
    while (checks.length < count) {
      noteCheck = Promise.withResolvers();
      await noteCheck.promise;
    }
  };
  return { checks, begun, release: released.resolve };
}

async function openForm(userId: string) {
  const browser = new Browser(harness);
  const selection = await browser.start({ user_id: userId });
  const form = await browser.get(`/connect/caldav?transaction=${transactionOf(selection)}&by=server`);
  return { browser, form, send: () => browser.submit(form, '/connect/caldav', TYPED) };
}

describe('a form whose server does not answer', () => {
  it('ends after a minute like one whose server cannot be reached, and saves nothing', async () => {
    const { checks, begun, release } = await openSlow();
    const { send } = await openForm('late');
    const deadline = new AbortController();
    const timeout = mock.method(AbortSignal, 'timeout', () => deadline.signal);
    const sent = send();
    await begun(1);
    deadline.abort();
    const answer = await sent;
    release();

    assert.equal(answer.status, 422);
    assert.match(answer.body, /The server cannot be reached/);
    assert.deepEqual([timeout.mock.calls[0]?.arguments, checks[0]?.aborted], [[60_000], true]);
    assert.deepEqual(await everyAccount(harness, 'late'), []);
  });

  it('ends when the browser closes its connection, and saves nothing', async () => {
    const left = Promise.withResolvers<void>();
    const { checks, begun, release } = await openSlow({
      formSlots: { seconds: 60, enter: async () => left.resolve },
    });
    const { browser, form } = await openForm('closed');
    await harness.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = harness.app.server.address() as AddressInfo; // it listens on TCP
    const token = /name="token" value="([\w-]+)"/.exec(form.body)?.[1] ?? '';
    const fields = { ...TYPED, transaction: transactionOf(form), token, by: 'server' };
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const closing = new AbortController();
    const sent = fetch(`http://127.0.0.1:${port}/connect/caldav`, {
      ...{ method: 'POST', headers: { cookie }, body: new URLSearchParams(fields) },
      signal: closing.signal,
    });
    await begun(1);
    const [check] = checks;
    assert.ok(check !== undefined && !check.aborted);

    closing.abort();
    await assert.rejects(sent);
    if (!check.aborted) await once(check, 'abort');
    release();
    await left.promise;

    assert.deepEqual(await everyAccount(harness, 'closed'), []);
  });
});

describe('forms of one address', () => {
  it('get 429 while ten others run, which sends nothing to a server and counts as no attempt', async () => {
    const attempts = connectAttempts({ ...GENEROUS, passwordsPerTransaction: 1 });
    const { checks, begun, release } = await openSlow({ attempts });
    const forms = await Promise.all(Array.from({ length: 11 }, (_, at) => openForm(`user-${at}`)));
    const last = forms.pop();
    const sent = forms.map(({ send }) => send());
    await begun(10);

    const refused = await last?.send();
    release();
    const answers = await Promise.all(sent);
    const again = await last?.send();

    assert.equal(refused?.status, 429);
    assert.equal(refused.headers['retry-after'], '60');
    assert.match(refused.body, /Too many attempts. Try again in a minute/);
    assert.deepEqual(
      [...answers, again].map((answer) => answer?.status),
      Array(11).fill(303),
    );
    assert.equal(checks.length, 11);
  });
});
