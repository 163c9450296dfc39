/** The parameter `resource` (RFC 8707) at /authorize and in pushed requests. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Client } from '../../src/oauth/client.ts';
import { allow } from './approvals.ts';
import { ACME, Browser, type Harness, openConnect, transactionOf, unescaped } from './connect-harness.ts';
import { push } from './pushing.ts';

const BOUND: Client = { ...ACME, clientId: 'bound', resourceIndicators: 'on' };

let harness: Harness;
let known: string;
before(async () => {
  harness = await openConnect();
  known = harness.deps.publicUrl;
  await harness.clients.createClient(BOUND, 'unused', undefined);
});
after(() => harness.close());

const start = (browser: Browser, query: Readonly<Record<string, string>> = {}) =>
  browser.start({ client_id: 'bound', user_id: 'ada', ...query });
const requestOf = (page: Awaited<ReturnType<typeof start>>) =>
  harness.deps.requests.findRequest(transactionOf(page));
const redeem = async ({ clientId }: Client, code: string) =>
  harness.codes.redeemCode(
    {
      ...{ clientId, code, redirectUri: ACME.redirectUri, codeChallenge: undefined, approvedSince: 0 },
    },
    harness.deps.now(),
  );

describe('a requested resource', () => {
  it('stays with the request until its code is redeemed', async () => {
    const browser = new Browser(harness);
    await allow(browser, await browser.link(await start(browser, { user_id: 'bob', resource: known })));

    assert.equal((await redeem(BOUND, 'bob'))?.resource, known);
  });

  it('stays with a pushed request, and cannot be added to it in the browser', async () => {
    for (const [userId, pushed, beside, expected] of [
      ['eve', { resource: known }, {}, known],
      ['mia', {}, { resource: known }, undefined],
    ] as const) {
      const requestUri = await push(harness, { ...pushed, user_id: userId }, BOUND);
      const browser = new Browser(harness);
      const query = { client_id: 'bound', request_uri: requestUri, ...beside };
      const page = await browser.get(
        (await browser.get(`/authorize?${new URLSearchParams(query)}`)).location,
      );

      assert.equal((await requestOf(page))?.resource, expected);
    }
  });

  it('is an error of /authorize if it is unknown, also beside a known one', async () => {
    for (const resources of [['https://other.example'], [known, 'x'], [`${known}/`]]) {
      const query = new URLSearchParams({ client_id: 'bound', user_id: 'ada' });
      for (const resource of resources) query.append('resource', resource);

      const page = await new Browser(harness).get(`/authorize?${query}`);
      const json = await new Browser(harness).get(`/authorize?${query}`, {
        headers: { accept: 'application/json' },
      });

      assert.deepEqual([page.status, page.location, json.status], [400, '', 400]);
      assert.equal(JSON.parse(json.body).error, 'invalid_target');
      assert.match(page.body, /resource/);
    }
  });

  it('is part of the request that Start again repeats', async () => {
    const browser = new Browser(harness);
    const query = new URLSearchParams({ client_id: 'bound', user_id: 'ada', resource: known });
    const { location } = await browser.get(`/authorize?${query}`);

    const { body } = await new Browser(harness).get(location);

    const [, path = ''] = /href="(\/authorize\?[^"]+)"/.exec(body) ?? [];
    const again = new Browser(harness);
    const page = await again.get((await again.get(unescaped(path))).location);
    assert.equal((await requestOf(page))?.resource, known);
  });

  it('is an unknown parameter for an application without the switch', async () => {
    const browser = new Browser(harness);
    const page = await start(browser, { client_id: 'acme', user_id: 'dan', resource: 'x' });

    const request = await requestOf(page);
    assert.equal(request?.resource, undefined);
    assert.doesNotMatch(request?.query ?? '', /resource/);
    await allow(browser, await browser.link(page));
    const redeemed = await redeem(ACME, 'dan');
    assert.ok(redeemed !== undefined && !('resource' in redeemed));
  });
});
