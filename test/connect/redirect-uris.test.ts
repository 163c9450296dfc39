/** Applications with several redirect URIs (RFC 9700 §2.1), at /authorize and /par. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { registeredUris } from '../../src/oauth/client.ts';
import { allow } from './approvals.ts';
import {
  ACME,
  type Answer,
  Browser,
  type Harness,
  openConnect,
  transactionOf,
  unescaped,
} from './connect-harness.ts';
import { push, pushedPath } from './pushing.ts';

const SECOND = 'http://127.0.0.1:4101/callback?from=staging';
const THIRD = 'com.example.acme:/callback';
const SEVERAL = { ...ACME, clientId: 'several', furtherRedirectUris: [SECOND, THIRD] };

let harness: Harness;
before(async () => {
  harness = await openConnect();
  await harness.clients.createClient(SEVERAL, 'unused', undefined);
});
after(() => harness.close());

type Query = Readonly<Record<string, string>>;
const start = (browser: Browser, query: Query = {}) =>
  browser.start({ client_id: 'several', user_id: 'ada', ...query });
const redirectUriOf = async (page: Answer) =>
  (await harness.deps.requests.findRequest(transactionOf(page)))?.redirectUri;

describe('several redirect URIs', () => {
  it('a flow ends at the redirect URI that its request named, and its code belongs to it', async () => {
    const browser = new Browser(harness);
    const page = await start(browser, { user_id: 'bob', redirect_uri: SECOND });
    const end = await allow(browser, await browser.link(page));

    assert.equal(end.location, `${SECOND}&code=bob`);
    const [code] = await harness.codes.findCodes('several', 'bob');
    assert.equal(code?.redirectUri, SECOND);
  });

  it('a request without redirect_uri uses the default', async () => {
    assert.equal(await redirectUriOf(await start(new Browser(harness))), ACME.redirectUri);
    assert.equal(
      await redirectUriOf(await start(new Browser(harness), { redirect_uri: '' })),
      ACME.redirectUri,
    );
  });

  it('/authorize shows an error for an unregistered redirect URI and never redirects to it', async () => {
    for (const uri of [
      'https://evil.example/',
      `${SECOND}&x=1`,
      SECOND.toUpperCase(),
      `${THIRD}/`,
      `${THIRD} ${SECOND}`,
    ]) {
      const query = new URLSearchParams({ client_id: 'several', user_id: 'ada', redirect_uri: uri });
      const page = await new Browser(harness).get(`/authorize?${query}`);
      const json = await new Browser(harness).get(`/authorize?${query}`, {
        headers: { accept: 'application/json' },
      });

      assert.deepEqual([page.status, page.location, json.status], [400, '', 400], uri);
      assert.equal(JSON.parse(json.body).error, 'invalid_request');
      assert.match(JSON.parse(json.body).message, /redirect_uri is not registered/);
    }
  });

  it('an application with one redirect URI ignores redirect_uri', async () => {
    const page = await start(new Browser(harness), {
      client_id: 'acme',
      redirect_uri: 'https://evil.example/',
    });

    assert.equal(await redirectUriOf(page), ACME.redirectUri);
    assert.doesNotMatch(page.body, /evil\.example/);
  });

  it('Start again uses the same redirect URI, with and without the transaction', async () => {
    const browser = new Browser(harness);
    const query = new URLSearchParams({ client_id: 'several', user_id: 'ada', redirect_uri: THIRD });
    const { location } = await browser.get(`/authorize?${query}`);

    const elsewhere = await new Browser(harness).get(location);
    const unknown = await new Browser(harness).get(
      location.replace(/transaction=[\w-]{22}/, `transaction=${'x'.repeat(22)}`),
    );

    assert.equal(location.match(/redirect_uri=/g)?.length, 1);
    for (const { body } of [elsewhere, unknown]) {
      const [, path = ''] = /href="(\/authorize\?[^"]+)"/.exec(body) ?? [];
      const again = new Browser(harness);
      const page = await again.get((await again.get(unescaped(path))).location);
      assert.equal(await redirectUriOf(page), THIRD);
    }
  });
});

describe('several redirect URIs at /par', () => {
  it('a pushed request uses the redirect URI that it names, or the default', async () => {
    for (const [query, uri] of [
      [{ redirect_uri: THIRD }, THIRD],
      [{}, ACME.redirectUri],
    ] as const) {
      const requestUri = await push(harness, query, SEVERAL);
      const browser = new Browser(harness);
      const started = await browser.get(
        pushedPath(requestUri, { client_id: 'several', redirect_uri: SECOND }),
      );
      assert.equal(await redirectUriOf(await browser.get(started.location)), uri);
    }
  });

  it('/par refuses an unregistered redirect URI with invalid_request', async () => {
    await assert.rejects(push(harness, { redirect_uri: `${THIRD}/` }, SEVERAL), {
      message: 'redirect_uri is not registered for this application',
      status: 400,
    });
  });

  it('a pushed redirect URI that was removed since is refused', async () => {
    const requestUri = await push(harness, { redirect_uri: SECOND }, SEVERAL);
    const [all, without] = [registeredUris(SEVERAL), [ACME.redirectUri, THIRD]];
    const register = (uris: readonly string[]) =>
      harness.clients.updateClient('several', { redirectUris: () => uris }, { now: 1, by: undefined });
    await register(without);

    const page = await new Browser(harness).get(pushedPath(requestUri, { client_id: 'several' }));

    await register(all);
    assert.deepEqual([page.status, page.location], [400, '']);
  });
});
