/** The Connect pages from /authorize to the application's callback, over HTTP on SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { allow, codeOf, endsOf, everyAccount } from './approvals.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());

const HOURS = 3600 * 1000;

/** Opens the selection page with a linked account, where it can be allowed. */
async function linked(userId: string, query: Record<string, string> = {}) {
  const browser = new Browser(harness);
  const selection = await browser.link(await browser.start({ user_id: userId, ...query }));
  return { browser, selection, transaction: transactionOf(selection) };
}

/** Opens the consent page of two accounts. */
async function atConsent(userId: string, query: Record<string, string> = {}) {
  const { browser, selection, transaction } = await linked(userId, query);
  const both = await browser.link(selection, 'bob@example.com');
  return { browser, selection: both, transaction, consent: await consentOf(browser, transaction) };
}

const consentOf = (browser: Browser, transaction: string): Promise<Answer> =>
  browser.get(`/connect/consent?transaction=${transaction}`);

describe('the way through the pages', () => {
  it('the Connect flow leads from /authorize over a linked account to the callback with code and state', async () => {
    const { browser, selection } = await linked('flow-1', { state: 'a b', scope: 'read' });

    const end = await browser.submit(selection, '/connect/approve');

    assert.equal(end.status, 303);
    assert.equal(end.location, 'https://app.example.com/callback?code=flow-1&state=a+b');
    const code = await codeOf(harness, 'flow-1');
    assert.equal(code?.redirectUri, 'https://app.example.com/callback');
    assert.equal(code?.scope, 'read');
  });

  it('the Connect flow asks for consent on the selection page for one account, and on its own page for two', async () => {
    const { browser, selection, transaction } = await linked('counted');
    const skipped = await consentOf(browser, transaction);
    const two = await browser.link(selection, 'bob@example.com');
    const consent = await consentOf(browser, transaction);
    const end = await browser.submit(consent, '/connect/approve');

    assert.deepEqual([selection, two, consent].map(endsOf), [
      ['Allow', 'Cancel'],
      ['Continue', 'Cancel'],
      ['Allow', 'Cancel'],
    ]);
    assert.match(skipped.location, /^\/authorize\?.*&transaction=/);
    assert.match(end.location, /[?&]code=counted$/);
  });

  it('the Connect flow redirects a second click on Allow like the first, without a new code', async () => {
    const { browser, selection } = await linked('twice');
    const first = await browser.submit(selection, '/connect/approve');
    const code = await codeOf(harness, 'twice');
    harness.pass(1000);

    const second = await browser.submit(selection, '/connect/approve');

    assert.deepEqual([second.status, second.location], [first.status, first.location]);
    assert.ok(code);
    assert.deepEqual(await codeOf(harness, 'twice'), code);
  });

  it('the Connect flow shows after its end only that it is finished, with a way to start again', async () => {
    const { browser, selection, transaction } = await linked('back-button');
    await browser.submit(selection, '/connect/approve');

    for (const page of [
      await consentOf(browser, transaction),
      await browser.submit(selection, '/connect/cancel'),
    ]) {
      assert.equal(page.status, 400);
      assert.match(page.body, /Already finished/);
      assert.match(page.body, /href="\/authorize\?client_id&#61;acme&#38;user_id&#61;back-button"/);
    }
  });

  it('the Connect flow responds to Cancel on either page with access_denied and the state, and no code', async () => {
    const { browser, consent } = await atConsent('shy', { state: 's' });
    const onConsent = await browser.submit(consent, '/connect/cancel');
    const onSelection = await browser.submit(await browser.start({ user_id: 'shy' }), '/connect/cancel');

    assert.deepEqual([onConsent.status, onSelection.status], [303, 303]);
    assert.match(
      onConsent.location,
      /^https:\/\/app\.example\.com\/callback\?error=access_denied&error_description=[^&]+&state=s$/,
    );
    assert.doesNotMatch(onSelection.location, /state=/);
    assert.equal(await codeOf(harness, 'shy'), undefined);
  });

  it('the Connect flow refuses an approval after a cancellation', async () => {
    const { browser, consent } = await atConsent('wavering');
    await browser.submit(consent, '/connect/cancel');

    const late = await browser.submit(consent, '/connect/approve');

    assert.equal(late.status, 400);
    assert.equal(await codeOf(harness, 'wavering'), undefined);
  });

  it('the Connect flow leads nowhere without an account: neither to consent nor to a code', async () => {
    const browser = new Browser(harness);
    const selection = await browser.start({ user_id: 'empty' });
    const transaction = transactionOf(selection);

    const consent = await consentOf(browser, transaction);
    const token = /name="token" value="([\w-]+)"/.exec(selection.body)?.[1] ?? '';
    const approved = await browser.post('/connect/approve', { transaction, token });

    assert.deepEqual(endsOf(selection), ['Cancel']);
    for (const answer of [consent, approved]) {
      assert.equal(answer.status, 303);
      assert.match(answer.location, /^\/authorize\?/);
    }
    assert.equal(await codeOf(harness, 'empty'), undefined);
  });

  it('the Connect flow names application, domain, user, accounts and scope on every page for consent', async () => {
    const { selection } = await linked('one<b>&@users.example', { scope: 'free-busy' });
    const { consent } = await atConsent('two<b>&@users.example', { scope: 'free-busy' });

    for (const { body } of [selection, consent]) {
      for (const part of ['Acme Planner', 'app.example.com', 'ada@example.com', 'See when you are busy']) {
        assert.ok(body.includes(part), part);
      }
      assert.match(body, /<bdi>(one|two)&#60;b&#62;&#38;@users\.example<\/bdi>/);
      assert.doesNotMatch(body, /acme internal/);
    }
  });

  it('the Connect flow names application, domain and user on each page for login, removal or consent', async () => {
    const { browser, transaction } = await atConsent('named@users.example');
    const [account] = await everyAccount(harness, 'named@users.example');
    const paths = [
      '/connect/apple?',
      '/connect/caldav?',
      '/connect/caldav?by=server&',
      `/connect/disconnect?account=${account?.accountKey}&`,
      '/connect/disconnect-all?',
      '/connect/consent?',
    ];
    for (const path of paths) {
      const { status, body } = await browser.get(`${path}transaction=${transaction}`);

      assert.equal(status, 200, path);
      assert.match(
        body,
        /<bdi>Acme Planner<\/bdi>.*<bdi>app\.example\.com<\/bdi>.*<bdi>named@users\.example<\/bdi>/s,
        path,
      );
    }
  });

  it('the Connect flow reports a linked account only if it was linked', async () => {
    const { browser, selection } = await linked('noticed');
    const forged = await browser.get(`/authorize?transaction=${transactionOf(selection)}&happened=apple`);

    assert.match(selection.body, /<bdi>ada@example\.com<\/bdi> is connected/);
    assert.doesNotMatch(forged.body, /is connected/);
  });

  it('the Connect flow offers what the request restricts it to, in order, and greys what is not set up', async () => {
    const { body } = await new Browser(harness).start({ providers: 'caldav,google' });

    const buttons = [...body.matchAll(/Connect (Google|Microsoft|Apple|CalDAV)</g)].map(([, name]) => name);
    assert.deepEqual(buttons, ['Google', 'CalDAV']);
    assert.match(body, /disabled aria-describedby="google-about"/);
  });

  it('the Connect flow shows no form for what is not offered or not set up', async () => {
    const browser = new Browser(harness);
    const transaction = transactionOf(await browser.start({ providers: 'google,caldav' }));

    for (const provider of ['apple', 'google', 'unknown', '__proto__']) {
      const page = await browser.get(`/connect/${provider}?transaction=${transaction}`);

      assert.equal(page.status, 404, provider);
    }
  });
});

describe('the pages’ headers', () => {
  it('the pages’ headers close everything but forms to this origin and the application’s', async () => {
    const { browser, transaction } = await atConsent('headers');

    for (const page of [
      await consentOf(browser, transaction),
      await browser.get('/authorize?transaction=x'),
    ]) {
      const policy = String(page.headers['content-security-policy']);
      assert.match(
        policy,
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; img-src data:; form-action 'self'/,
      );
      assert.equal(policy.includes('https://app.example.com'), page.status === 200);
      assert.match(policy, /frame-ancestors 'none'; base-uri 'none'$/);
      assert.equal(page.headers['cache-control'], 'no-store');
      assert.equal(page.headers['referrer-policy'], 'no-referrer');
      assert.equal(page.headers['x-content-type-options'], 'nosniff');
    }
  });
});

describe('page, cookie and stored request', () => {
  it('page, cookie and stored request must agree: another browser, an unknown transaction and another user see only the error', async () => {
    const browser = new Browser(harness);
    const { location } = await browser.get('/authorize?client_id=acme&user_id=mine&state=x');
    const swapped = location.replace('user_id=mine', 'user_id=theirs');

    const asJson = { headers: { accept: 'application/json' } };
    const elsewhere = await new Browser(harness).get(location);
    const other = await browser.get(swapped);
    const program = await new Browser(harness).get(location, asJson);

    for (const page of [elsewhere, other]) {
      assert.equal(page.status, 400);
      assert.match(page.body, /This page has expired/);
    }
    assert.match(
      elsewhere.body,
      /href="\/authorize\?client_id&#61;acme&#38;user_id&#61;mine&#38;state&#61;x"/,
    );
    assert.equal(JSON.parse(program.body).error, 'session_expired');
  });

  it('page, cookie and stored request of two tabs stand side by side, each for its own user', async () => {
    const browser = new Browser(harness);
    const earlier = await browser.link(
      await browser.start({ user_id: 'tab-1', lng: 'fr' }),
      'one@example.com',
    );
    const later = await browser.link(await browser.start({ user_id: 'tab-2' }), 'two@example.com');

    const ends = [await allow(browser, earlier), await allow(browser, later)];

    assert.deepEqual(
      ends.map(({ location }) => new URL(location).searchParams.get('code')),
      ['tab-1', 'tab-2'],
    );
    for (const [userId, name] of [
      ['tab-1', 'one@example.com'],
      ['tab-2', 'two@example.com'],
    ] as const) {
      assert.deepEqual(
        (await everyAccount(harness, userId)).map(({ display }) => display),
        [name],
      );
    }
  });

  it('page, cookie and stored request end after two hours, with a way to start again', async () => {
    const { browser, selection, transaction } = await linked('slow');
    harness.pass(2 * HOURS);

    const consent = await consentOf(browser, transaction);
    const cancel = await browser.submit(selection, '/connect/cancel');

    for (const page of [consent, cancel]) {
      assert.equal(page.status, 400);
      assert.match(page.body, /Start again/);
    }
  });

  it('page, cookie and stored request know no way back when nothing is known', async () => {
    const page = await new Browser(harness).get('/connect/consent');

    assert.equal(page.status, 400);
    assert.doesNotMatch(page.body, /Start again/);
    assert.match(page.body, /Contact the people behind the application/);
  });
});

/** The actions of all forms of a request. */
const ACTIONS = [
  ...['approve', 'cancel', 'remove', 'disconnect', 'disconnect-all'],
  ...['calendars', 'language', 'apple', 'caldav'],
];

describe('forms', () => {
  const refused: [rule: string, fields: Record<string, string>, headers: Record<string, string>][] = [
    ['without the token', { token: '' }, {}],
    ['with another token', { token: 'x'.repeat(43) }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling domain', {}, { 'sec-fetch-site': 'same-site' }],
    ['from a foreign origin', {}, { origin: 'https://evil.example' }],
  ];
  for (const [rule, fields, headers] of refused) {
    it(`Connect forms are refused ${rule}, whatever they would do`, async () => {
      const { browser, selection, transaction } = await atConsent(`guarded ${rule}`);
      const token = /name="token" value="([\w-]+)"/.exec(selection.body)?.[1] ?? '';
      const [account] = await everyAccount(harness, `guarded ${rule}`);
      const sent = { transaction, token, account: account?.accountKey ?? '', ...fields };

      const answers: Answer[] = [];
      for (const action of ACTIONS) {
        answers.push(await browser.post(`/connect/${action}`, { ...sent, language: 'fr' }, { headers }));
      }

      for (const { status, location } of answers) assert.deepEqual([status, location], [403, '']);
      assert.equal((await everyAccount(harness, `guarded ${rule}`)).length, 2);
      assert.equal(await codeOf(harness, `guarded ${rule}`), undefined);
    });
  }

  it('Connect forms are taken with Origin: null, which these pages’ own referrer policy makes browsers send', async () => {
    const { browser, selection } = await linked('null-origin');
    const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' };

    const end = await browser.submit(selection, '/connect/approve', {}, { headers });

    assert.equal(end.status, 303);
  });

  it('Connect forms that cannot be read get a page, not an internal error', async () => {
    const { app } = harness;
    for (const [type, payload] of [
      ['text/plain', 'x'],
      ['application/json', '{"transaction":{"a":1}}'],
      ['application/json', '{'],
      ['application/json', 'null'],
      ['application/x-www-form-urlencoded', 'transaction=a&transaction=b&token[]=x&__proto__=1'],
    ] as const) {
      const headers = { 'content-type': type, accept: 'text/html' };
      const answer = await app.inject({ method: 'POST', url: '/connect/approve', headers, payload });

      assert.ok(answer.statusCode >= 400 && answer.statusCode < 500, `${type} ${payload}`);
      assert.match(answer.body, /<h1>/);
    }
  });
});
