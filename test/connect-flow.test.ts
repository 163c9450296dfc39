/** The Connect pages from /authorize to the application's callback, over HTTP on SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());

describe('the way through the pages', () => {
  it('leads from /authorize over a linked account to the callback with code and state', async () => {
    const browser = new Browser(harness);

    const selection = await browser.link(await browser.start({ state: 'a b', user_id: 'flow-1' }));
    const consent = await browser.get(`/connect/consent?transaction=${transactionOf(selection)}`);
    const end = await browser.submit(consent, '/connect/approve');

    assert.equal(end.status, 303);
    assert.equal(end.location, 'https://app.example.com/callback?code=flow-1&state=a+b');
    const code = await harness.codes.findCode('acme', 'flow-1');
    assert.equal(code?.redirectUri, 'https://app.example.com/callback');
    assert.equal(code?.scope, 'read-write');
  });
});
