/** The form that links a calendar by its address, at the real adapter with a web server. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { UNKNOWN_HOST } from '../harness/no-network.ts';
import { FeedServer, SECRET } from '../servers/feed-server.ts';
import { event } from '../servers/icalendar.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { allow, everyAccount, redeem } from './approvals.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { read, signInAgainPath } from './journeys.ts';

const HOLIDAYS = event('one', 'One').replace('VERSION:2.0', 'X-WR-CALNAME:Holidays');
const FORM = '/connect/caldav';

let harness: Harness;
let egress: Egress;
/** For whom the last request was. */
let owner: string | undefined;
const server = new FeedServer();
before(async () => {
  await server.start();
  egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const { log } = recordingLog();
  const feedKey = Buffer.alloc(32, 1);
  const noting: Egress = {
    ...egress,
    request(request) {
      owner = request.owner;
      return egress.request(request);
    },
  };
  harness = await openConnect({
    providers: { caldav: caldavProvider({ egress: noting, log, now: Date.now, feedKey }) },
  });
});
after(async () => {
  await harness.close();
  await egress.close();
  await server.stop();
});
let user = 0;
const userId = () => `feed-${user}`;
beforeEach(() => {
  user += 1;
  server.calls.length = 0;
  server.say(HOLIDAYS);
});

const inputOf = ({ body }: Answer, name: string): string =>
  new RegExp(`<input id="${name}"[^>]*>`).exec(body)?.[0] ?? '';
const wordsOf = (page: Answer): string => read(page).replaceAll(/<[^>]*>/g, '');
const linkTo = (page: Answer, words: string): string =>
  new RegExp(`href="([^"]*)">${words}<`).exec(read(page))?.[1] ?? '';
const labelsOf = ({ body }: Answer): string[] =>
  [...body.matchAll(/<label for="\w+">([^<]*)</g)].map(([, label = '']) => label);

/** A browser at the form, in a transaction of this test's user. */
async function openForm(by = 'address', browser = new Browser(harness)) {
  const selection = await browser.start({ user_id: userId() });
  const form = await browser.get(`${FORM}?transaction=${transactionOf(selection)}&by=${by}`);
  const send = (fields: Record<string, string>, page: Answer = form) => browser.submit(page, FORM, fields);
  return { browser, form, send };
}

/** A calendar that this test's user has linked and allowed. */
async function linked() {
  const { browser, send } = await openForm();
  await allow(browser, await browser.get((await send({ address: server.address })).location));
  await redeem(harness, userId());
  const [account] = await everyAccount(harness, userId());
  assert.ok(account);
  return { browser, account };
}

describe('the form for a calendar’s address', () => {
  it('both CalDAV forms lead to it, and it leads back', async () => {
    for (const by of ['email', 'server']) {
      const { browser, form } = await openForm(by);
      const byAddress = await browser.get(linkTo(form, 'Enter the address of one calendar'));
      const back = await browser.get(linkTo(byAddress, 'Sign in to a calendar account instead'));

      assert.deepEqual(labelsOf(byAddress), ['Calendar address']);
      assert.match(wordsOf(byAddress), /Acme Planner can read it, but never sees its address/);
      assert.deepEqual(labelsOf(back), ['E-mail address', 'Password']);
    }
  });

  it('it links the calendar at an address, which is named by its title and host from then on', async () => {
    const { browser, send } = await openForm();
    const sent = await send({ address: ` ${server.address} ` });
    const selection = await browser.get(sent.location);

    assert.equal(sent.status, 303);
    assert.equal(owner, `acme ${userId()}`);
    assert.match(read(selection), /Holidays \(127\.0\.0\.1\)<\/bdi> is connected\./);
    assert.match(wordsOf(selection), /Calendar link · Read-only/);
    const [account] = await everyAccount(harness, userId());
    assert.deepEqual([account?.provider, account?.provesOwner], ['caldav', false]);
    const shown = JSON.stringify([sent, selection, harness.logged, account]);
    assert.ok(!shown.includes(SECRET), 'the address is nowhere to be seen');
  });

  it('a button on the selection page leads to it', async () => {
    const browser = new Browser(harness);
    const { body } = await browser.start({ user_id: userId() });
    const [, button = ''] = /(<form(?:(?!<form).)*)Connect calendar link \(\.ics\)/s.exec(body) ?? [];
    const fields = [...button.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);

    const form = await browser.get(`${FORM}?${new URLSearchParams(fields)}`);

    assert.match(button, /action="\/connect\/caldav"/);
    assert.deepEqual(labelsOf(form), ['Calendar address']);
  });

  it('consent to it offers no changes, whatever the application asks for', async () => {
    const browser = new Browser(harness);
    const start = await browser.start({ user_id: userId(), scope: 'read-write' });
    const form = await browser.get(`${FORM}?transaction=${transactionOf(start)}&by=address`);
    const sent = await browser.submit(form, FORM, { address: server.address });

    const consent = wordsOf(await browser.get(sent.location));

    assert.match(consent, /It will not be able to\s+Create, change or delete anything/);
    assert.doesNotMatch(consent, /Create, change and delete events/);
  });

  it('the address is sealed where it is kept', async () => {
    const { account } = await linked();
    const rows = JSON.stringify(await harness.db.all('SELECT * FROM account', {}));

    assert.ok(rows.includes(account.accountId));
    assert.ok(!rows.includes(SECRET));
    assert.equal((await harness.accounts.credentialsOf(account.accountKey))?.feed, server.address);
  });

  const refusals: [RegExp, string, FeedServer['answer']][] = [
    [/not the address of a calendar/, 'ada@example.com', {}],
    [/has a username or password in it/, 'https://ada:secret@cal.example/a.ics', {}],
    [/responds at this address, but not with a calendar/, SECRET, { body: '<!doctype html>' }],
    [/requires a sign-in/, SECRET, { status: 401 }],
    [/requires a sign-in/, SECRET, { status: 403 }],
    [/no longer public/, SECRET, { status: 404 }],
    [/no longer public/, SECRET, { status: 410 }],
    [/too large/, SECRET, { body: 'x'.repeat(10_000_001) }],
    [/private network/, 'https://10.0.0.1/a.ics', {}],
    [/cannot be reached/, SECRET, { status: 500 }],
    [/no server with this name/, `https://${UNKNOWN_HOST}/a.ics`, {}],
  ];
  for (const [sentence, typed, answer] of refusals) {
    it(`it says ${sentence.source} of ${typed} that answers ${JSON.stringify(answer).slice(0, 30)}`, async () => {
      server.answer = answer;
      const address = typed === SECRET ? server.address : typed;
      const { send } = await openForm();

      const page = await send({ address });

      assert.equal(page.status, 422);
      assert.match(read(page), new RegExp(`role="alert".*${sentence.source}`, 's'));
      assert.match(inputOf(page, 'address'), /aria-invalid="true" autofocus/);
      assert.ok(inputOf(page, 'address').includes(`value="${address}"`), 'what was typed stays');
      assert.deepEqual(labelsOf(page), ['Calendar address']);
      assert.match(read(page), /Sign in to a calendar account instead/);
    });
  }

  it('it asks for the address where none was typed, and asks no server', async () => {
    const { send } = await openForm();
    const page = await send({ address: ' ' });

    assert.match(read(page), /Fill in this field/);
    assert.equal(server.calls.length, 0);
  });

  it('the language can be changed without losing what was typed', async () => {
    const { send } = await openForm();
    const page = await send({ address: server.address, language: 'de' });

    assert.deepEqual(labelsOf(page), ['Adresse des Kalenders']);
    assert.ok(inputOf(page, 'address').includes(server.address));
  });

  it('an address of a calendar that was typed for a server’s goes where it belongs', async () => {
    const webcal = 'webcal://cal.example/a.ics';
    const file = 'https://127.0.0.1:1/a.ics';
    const typings = [
      ['email', { username: webcal, password: 'x' }, webcal],
      ['email', { username: file, password: 'x' }, file],
      ['server', { server: webcal, username: 'ada', password: 'x' }, webcal],
      ['server', { server: file, username: 'ada', password: 'x' }, file],
    ] as const;
    for (const [by, typed, address] of typings) {
      const { send } = await openForm(by);
      const page = await send(typed);

      assert.equal(page.status, 422);
      assert.match(read(page), /This is the address of one calendar/);
      assert.ok(inputOf(page, 'address').includes(`value="${address}"`), by);
      assert.match(page.body, /name="by" value="address"/);
    }
  });

  it('two users can link the same calendar, and neither sees or becomes the other', async () => {
    const { account } = await linked();
    const first = userId();
    user += 1;
    const { account: other } = await linked();

    assert.equal(other.accountId, account.accountId);
    assert.notEqual(other.accountKey, account.accountKey);
    assert.equal((await everyAccount(harness, first)).length, 1);
  });

  it('linking the same calendar from another browser proves nothing about who its user is', async () => {
    const { account } = await linked();
    const stranger = await openForm();
    const selection = await stranger.browser.get((await stranger.send({ address: server.address })).location);

    assert.equal((await everyAccount(harness, userId())).length, 2, 'it is an account of its own');
    assert.match(read(selection), /Other accounts.*H•••/s, 'the first is masked as before');
    assert.notEqual(account.accountKey, '');
  });

  it('it confirms no account, not even that of the same address', async () => {
    const { account } = await linked();
    const browser = new Browser(harness);
    const selection = await browser.start({ user_id: userId() });
    const query = `transaction=${transactionOf(selection)}&confirm=${account.accountKey}`;
    const offered = await browser.get(`${FORM}?${query}`);
    const form = await browser.get(`${FORM}?${query}&by=address`);

    const page = await browser.submit(form, FORM, { address: server.address });

    assert.equal(linkTo(offered, 'Enter the address of one calendar'), '');
    assert.equal(page.status, 422);
    assert.match(read(page), /does not show whose account it is/);
  });

  it('a calendar that is to be connected again is asked for by its address, which is not shown', async () => {
    const { browser, account } = await linked();
    const gone = { state: 'reauth_required', reason: 'calendar_gone', message: 'Gone' } as const;
    await harness.accounts.setHealth(account, gone, 5);
    const selection = await browser.start({ user_id: userId() });

    const form = await browser.get(signInAgainPath(selection, 'Reconnect') ?? '');
    const again = await browser.submit(form, FORM, { address: server.address });
    await allow(browser, await browser.get(again.location));
    await redeem(harness, userId());

    assert.deepEqual(labelsOf(form), ['Calendar address']);
    assert.ok(!form.body.includes(SECRET));
    const [mended, ...others] = await everyAccount(harness, userId());
    assert.deepEqual([mended?.accountKey, mended?.health.state, others], [account.accountKey, 'active', []]);
  });
});
