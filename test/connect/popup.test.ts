/** `display=popup`: the last page of a flow in a window of its own (OpenID Connect Core 1.0 §3.1.2.1). On SQLite. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { codeOf } from './approvals.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { read } from './journeys.ts';

const INSTALLED = 'installed';
let harness: Harness;
before(async () => {
  harness = await openConnect();
  const app = {
    clientId: INSTALLED,
    name: 'app',
    displayName: undefined,
    webhookUrl: undefined,
    createdAt: 1,
  };
  await harness.clients.createClient({ ...app, redirectUri: 'com.example.app:/cb' }, 'unused', undefined);
});
after(() => harness.close());

let user = 0;
/** Returns the consent page of a user who has linked two accounts. */
async function atConsent(
  query: Record<string, string> = {},
  display: Record<string, string> = { display: 'popup' },
) {
  user += 1;
  const browser = new Browser(harness);
  const selection = await browser.start({ user_id: `popup-${user}`, ...display, ...query });
  await browser.link(await browser.link(selection), 'bob@example.com');
  const consent = await browser.get(`/connect/consent?transaction=${transactionOf(selection)}`);
  const press = (name: 'approve' | 'cancel') => browser.submit(consent, `/connect/${name}`);
  return { browser, consent, press, userId: `popup-${user}`, transaction: transactionOf(selection) };
}

/** Returns the link, origin and message that the result page passes to its script. */
function messageOf(page: Answer) {
  const way = /<a class="button primary" id="return" [^>]*>/.exec(page.body)?.[0] ?? '';
  const attribute = (name: string) => {
    const value = new RegExp(` ${name}="([^"]*)"`).exec(way)?.[1];
    return value === undefined ? undefined : read({ ...page, body: value });
  };
  const message = attribute('data-message');
  return {
    href: attribute('href'),
    origin: attribute('data-origin'),
    message: message === undefined ? undefined : JSON.parse(message),
  };
}

describe('a flow in a popup', () => {
  it('a flow in a popup ends on a page that tells the registered origin what a redirect would carry', async () => {
    const { press, userId } = await atConsent({ state: 'a "b"</script>&é' });

    const page = await press('approve');

    assert.equal(page.status, 200);
    assert.equal(page.location, '');
    const state = 'a+%22b%22%3C%2Fscript%3E%26%C3%A9';
    const url = `https://app.example.com/callback?code=${userId}&state=${state}`;
    assert.deepEqual(messageOf(page), {
      href: url,
      origin: 'https://app.example.com',
      message: { type: 'kalends:authorization', code: userId, state: 'a "b"</script>&é', redirect_uri: url },
    });
    assert.match(read(page), /Access allowed.*Back to <bdi>Acme Planner<\/bdi>/s);
  });

  it('a flow in a popup reports a cancellation in the same way, from either page', async () => {
    for (const from of ['consent', 'selection']) {
      const { browser, press } = await atConsent();
      const page =
        from === 'consent'
          ? await press('cancel')
          : await browser.submit(await browser.start({ display: 'popup' }), '/connect/cancel');

      const { message, href } = messageOf(page);
      assert.equal(page.status, 200);
      assert.deepEqual(message, {
        type: 'kalends:authorization',
        error: 'access_denied',
        error_description: 'The user did not allow the access',
        redirect_uri: href,
      });
      assert.match(read(page), /Cancelled/);
    }
  });

  it('a flow in a popup keeps the spelling of a state that is no text in its address', async () => {
    const browser = new Browser(harness);
    const started = await browser.get('/authorize?client_id=acme&user_id=odd&display=popup&state=%FF+%20x');
    const selection = await browser.get(started.location);

    const page = await browser.submit(selection, '/connect/cancel');

    const { href, message } = messageOf(page);
    assert.ok(href?.endsWith('&state=%FF+%20x'));
    assert.equal(message.state, new URL(href ?? '').searchParams.get('state'));
  });

  it('a flow in a popup runs only Kalends’ two scripts, by their hashes, and every page keeps its opener', async () => {
    const { consent, press } = await atConsent();

    const page = await press('approve');

    const policy = String(page.headers['content-security-policy']);
    const scripts = [...page.body.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text);
    const sources = /script-src ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? [];
    assert.deepEqual(
      sources.sort(),
      scripts.map((text) => `'sha256-${hash('sha256', text, 'base64')}'`).sort(),
    );
    assert.match(policy, /^default-src 'none'/);
    for (const { headers } of [consent, page]) assert.equal(headers['cross-origin-opener-policy'], undefined);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
  });

  it('a flow in a popup answers a repeated Allow alike and writes one code, and refuses the other answer', async () => {
    const { press, userId } = await atConsent();

    const first = await press('approve');
    const code = await codeOf(harness, userId);
    const again = await press('approve');
    const other = await press('cancel');

    assert.deepEqual(messageOf(again), messageOf(first));
    assert.deepEqual(await codeOf(harness, userId), code);
    assert.equal(other.status, 400);
    assert.equal(messageOf(other).message, undefined);
  });

  it('a flow in a popup leads an installed app’s user back by a link, and tells no page', async () => {
    const { press, userId } = await atConsent({ client_id: INSTALLED });

    const page = await press('approve');

    assert.deepEqual(messageOf(page), {
      href: `com.example.app:/cb?code=${userId}`,
      origin: undefined,
      message: undefined,
    });
    assert.match(read(page), /Back to the application/);
  });

  it('a flow in a popup stays one when it is started again', async () => {
    const { browser, press } = await atConsent();
    await press('approve');

    const over = await browser.submit(await browser.start({ display: 'popup' }), '/connect/cancel');
    const expired = await browser.get(
      `/authorize?client_id=acme&user_id=ada&display=popup&transaction=${'A'.repeat(22)}`,
    );
    const again = /href="(\/authorize\?[^"]*)"/.exec(read(expired))?.[1] ?? '';

    assert.ok(messageOf(over).message);
    assert.match(again, /display=popup/);
  });

  for (const display of ['page', 'touch', 'wap', '', 'popup2', 'POPUP x']) {
    it(`a flow in a popup is none for display=${display}: the answer is a redirect`, async () => {
      const { press } = await atConsent({}, { display });

      const answer = await press('approve');

      assert.equal(answer.status, 303);
      assert.match(answer.location, /^https:\/\/app\.example\.com\/callback\?code=popup-\d+$/);
    });
  }

  it('a flow in a popup shows errors before the request is known on Kalends’ own pages', async () => {
    const browser = new Browser(harness);

    const page = await browser.get('/authorize?client_id=nobody&user_id=ada&display=popup');

    assert.equal(page.status, 401);
    assert.equal(messageOf(page).message, undefined);
  });
});
