/** `reconnect` of pushed requests (docs/wire.md O4.6) for Apple, CalDAV and calendar links. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { createEgress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { FeedServer } from '../servers/feed-server.ts';
import { event } from '../servers/icalendar.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { codeOf, endsOf, everyAccount, readBy } from './approvals.ts';
import { APPLE_PASSWORD, Browser, type Harness, openConnect, passwordProvider } from './connect-harness.ts';
import { follow, read } from './journeys.ts';
import { push, pushedPath } from './pushing.ts';
import { connectByForm, stateOf } from './reconnect-links.ts';

const REFUSED = { state: 'reauth_required', reason: 'access_revoked', message: 'Refused' } as const;
const feeds = new FeedServer();
const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
const { log } = recordingLog();
const feedProvider = caldavProvider({ egress, log, now: Date.now, feedKey: Buffer.alloc(32, 1) });

const LOGIN = { server: 'dav.example.com', username: 'ada@example.com' };
const KINDS = [
  {
    name: 'an Apple account',
    kind: 'apple',
    provider: passwordProvider('apple'),
    typed: () => ({ ...LOGIN, password: APPLE_PASSWORD }),
    another: () => ({ ...LOGIN, username: 'eve@example.com', password: APPLE_PASSWORD }),
    form: /name="username" value="ada@example\.com"/,
    isProved: true,
  },
  {
    name: 'a CalDAV account',
    kind: 'caldav',
    provider: passwordProvider('caldav'),
    typed: () => ({ ...LOGIN, password: 'right' }),
    another: () => ({ ...LOGIN, username: 'eve@example.com', password: 'right' }),
    form: /name="username" value="ada@example\.com"/,
    isProved: true,
  },
  {
    name: 'a calendar link',
    kind: 'caldav',
    provider: feedProvider,
    typed: () => ({ address: feeds.address }),
    another: () => ({ address: `${feeds.address}?another` }),
    form: /name="address" value=""/,
    isProved: false,
  },
] as const;

before(async () => {
  await feeds.start();
  feeds.say(event('one', 'One'));
});
after(async () => {
  await egress.close();
  await feeds.stop();
});

for (const { name, kind, provider, typed, another, form: prefilled, isProved } of KINDS)
  describe(`reconnect in a pushed request, for ${name}`, () => {
    let harness: Harness;
    let users = 0;
    const userId = () => `pushed-${users}`;
    before(async () => {
      harness = await openConnect({ providers: { [kind]: provider } });
    });
    after(() => harness.close());
    beforeEach(() => {
      users += 1;
    });

    /** Opens the form for the user's broken account, in the browser that connected it or in a new one. */
    async function openForm({ scope = 'read', isKnown = false } = {}) {
      const connectedBy = await connectByForm(harness, { userId: userId(), kind, typed: typed() });
      const { account, grant } = connectedBy;
      await harness.accounts.setHealth(account, REFUSED, 5);
      const reconnect = `${kind}:${account.accountId}`;
      const uri = await push(harness, { user_id: userId(), scope, reconnect, state: 'mine%2F' });
      const browser = isKnown ? connectedBy.browser : new Browser(harness);
      const form = await browser.get((await browser.get(pushedPath(uri))).location);
      const before = await stateOf(harness, account);
      const send = (fields: Record<string, string>) => browser.submit(form, `/connect/${kind}`, fields);
      return { account, grant, before, browser, form, send };
    }

    for (const isKnown of isProved ? [true, false] : [true])
      it(`the browser returns with code and state if nothing needs consent; known before: ${isKnown}`, async () => {
        const { account, grant, browser, form, send } = await openForm({ isKnown });

        const end = await follow(browser, await send(typed()));

        assert.match(read(form), prefilled);
        const expected = `https://app.example.com/callback?code=${userId()}&state=mine%252F`;
        assert.deepEqual([end.status, end.location], [303, expected]);
        const covered = (await readBy(harness, grant)).map((one) => [one.accountKey, one.health.state]);
        assert.deepEqual(covered, [[account.accountKey, 'active']]);
        assert.equal((await everyAccount(harness, userId())).length, 1);
      });

    it('the selection page follows without a code if consent is needed', async () => {
      const { account, before, browser, send } = await openForm({ scope: 'read-write', isKnown: true });

      const page = await follow(browser, await send(typed()));

      assert.deepEqual(endsOf(page), ['Allow', 'Cancel']);
      const { accounts: _, ...state } = await stateOf(harness, account);
      const { accounts: __, ...unchanged } = before;
      assert.deepEqual(state, unchanged);
    });

    it('after a sign-in to another account, the selection page follows without a code', async () => {
      const { account, browser, send } = await openForm();

      const page = await follow(browser, await send(another()));

      assert.equal(page.status, 200);
      assert.equal(await codeOf(harness, userId()), undefined);
      assert.equal((await stateOf(harness, account)).health, 'reauth_required');
    });

    if (!isProved)
      it('in a new browser it proves nothing: the selection page asks for consent', async () => {
        const { account, browser, send } = await openForm();

        const page = await follow(browser, await send(typed()));

        assert.ok(endsOf(page).includes('Continue'));
        assert.equal(await codeOf(harness, userId()), undefined);
        assert.equal((await stateOf(harness, account)).health, 'reauth_required');
      });
  });
