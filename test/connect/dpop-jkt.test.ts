/** The DPoP key of an authorization request (RFC 9449 §10) at /authorize, pushed or not. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allow } from './approvals.ts';
import { ACME, Browser, type Harness, openConnect, transactionOf, unescaped } from './connect-harness.ts';
import { push, pushedPath } from './pushing.ts';

const JKT = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I';
const BOUND = { ...ACME, clientId: 'bound', senderConstraint: 'accepted' } as const;

describe('dpop_jkt', () => {
  let harness: Harness;
  before(async () => {
    harness = await openConnect();
    await harness.clients.createClient(BOUND, 'unused', undefined);
  });
  after(() => harness.close());

  async function approvedKey(browser: Browser, start: string, clientId: string) {
    const page = await browser.get((await browser.get(start)).location);
    await allow(browser, await browser.link(page));
    const transaction = await harness.deps.requests.findRequest(transactionOf(page));
    const [code] = await harness.codes.findCodes(clientId, transaction?.userId ?? '');
    assert.ok(code);
    return code.dpopJkt;
  }
  const pathOf = (query: Record<string, string>) => `/authorize?${new URLSearchParams(query)}`;

  it('binds the code of an application with a sender constraint, and of no other', async () => {
    const query = { user_id: 'ada', dpop_jkt: JKT };

    assert.equal(
      await approvedKey(new Browser(harness), pathOf({ client_id: 'bound', ...query }), 'bound'),
      JKT,
    );
    assert.equal(
      await approvedKey(new Browser(harness), pathOf({ client_id: 'acme', ...query }), 'acme'),
      undefined,
    );
  });

  it('counts as pushed, whatever somebody writes beside the pushed request', async () => {
    const requestUri = await push(harness, { user_id: 'bob', dpop_jkt: JKT }, BOUND);
    const path = pushedPath(requestUri, { client_id: 'bound', dpop_jkt: 'x'.repeat(43) });

    assert.equal(await approvedKey(new Browser(harness), path, 'bound'), JKT);
  });

  it('that is no thumbprint is an error of the page, unless it is ignored', async () => {
    const start = (clientId: string) =>
      new Browser(harness).get(pathOf({ client_id: clientId, user_id: 'ada', dpop_jkt: 'x' }));

    const page = await start('bound');
    assert.equal(page.status, 400);
    assert.match(page.body, /dpop_jkt/);
    assert.equal((await start('acme')).status, 302);
  });

  it('stays with Start again', async () => {
    const { location } = await new Browser(harness).get(
      pathOf({ client_id: 'bound', user_id: 'ada', dpop_jkt: JKT }),
    );

    for (const path of [
      location,
      location.replace(/transaction=[\w-]{22}/, `transaction=${'x'.repeat(22)}`),
    ]) {
      const { body } = await new Browser(harness).get(path);
      const [, again = ''] = /href="(\/authorize\?[^"]+)"/.exec(body) ?? [];
      assert.equal(new URL(unescaped(again), 'http://x').searchParams.get('dpop_jkt'), JKT, path);
    }
  });
});
