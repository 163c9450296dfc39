/** Tests suspicious input to /authorize: any query gets a status below 500 and no redirect to a stranger. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import fc from 'fast-check';
import { rounds, scale } from '../harness/rounds.ts';
import { Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());

const NAMES = [
  ...['client_id', 'user_id', 'scope', 'state', 'lng', 'theme', 'providers', 'response_type', 'redirect_uri'],
  ...[
    'code_challenge',
    'code_challenge_method',
    'transaction',
    'happened',
    'display',
    'request_uri',
    'user_name',
    'login_hint',
    '__proto__',
    'constructor',
    '',
  ],
];
const byte = fc.integer({ min: 0, max: 255 });
const escaped = fc
  .array(byte, { maxLength: 12 })
  .map((bytes) => bytes.map((value) => `%${value.toString(16).padStart(2, '0')}`).join(''));
/** The characters that a request line may contain besides letters: no space, no control character. */
const raw = fc.array(fc.integer({ min: 0x21, max: 0xff }), { maxLength: 20 }).map((codes) =>
  codes
    .filter((code) => code < 0x7f || code > 0xa0)
    .map((code) => String.fromCharCode(code))
    .join(''),
);
const text = fc
  .string({ unit: 'binary', maxLength: 20 })
  .map((value) => encodeURIComponent(value.toWellFormed()));
const usualValue = fc.constantFrom(
  'acme',
  'ada',
  'read',
  'S256',
  'code',
  'caldav',
  'popup',
  'auto',
  'fr',
  'c'.repeat(43),
  'A'.repeat(22),
);
const value = fc.oneof(usualValue, escaped, raw, text, fc.constant('x'.repeat(3000)));
const parameter = fc.tuple(fc.constantFrom(...NAMES), value).map(([name, text]) => `${name}=${text}`);
const query = fc
  .tuple(fc.boolean(), fc.array(fc.oneof(parameter, raw), { maxLength: 8 }))
  .map(([valid, parts]) => [...(valid ? ['client_id=acme&user_id=ada'] : []), ...parts].join('&'));

describe('GET /authorize with any query', () => {
  it('GET /authorize with any query stays below 500 and redirects only to its own page, with the same state', async () => {
    const property = fc.asyncProperty(
      query,
      fc.constantFrom('/authorize', '/api/oauth/authorize'),
      async (sent, path) => {
        const answer = await new Browser(harness).get(`${path}?${sent}`);

        assert.ok(answer.status < 500, `${answer.status}: ${answer.body}`);
        assert.ok(answer.location === '' || answer.location.startsWith('/authorize?'), answer.location);
        if (answer.status !== 302) return;
        const page = await new Browser(harness).get(answer.location);
        assert.ok(page.status < 500, `${page.status}: ${page.body}`);
      },
    );

    await fc.assert(property, { numRuns: rounds(scale() < 20 ? 200 : 500) });
  });
});

describe('the forms with anything typed', () => {
  const typed = fc.oneof(
    fc.constantFrom(
      '',
      'right',
      'fastmail',
      'https://your-server.example/',
      'ada@fastmail.com',
      'abcd-efgh-ijkl-mnop',
    ),
    fc.constantFrom('https://', 'https://[::1', '//', '@', 'a@b@c', 'javascript:1', 'x'.repeat(3000)),
    fc.string({ unit: 'binary', maxLength: 30 }).map((chosen) => chosen.toWellFormed()),
  );
  const fields = fc.record({ server: typed, username: typed, password: typed, preset: typed });

  it('a form with anything typed gets a page with instructions or the next step, and shows no password', async () => {
    const property = fc.asyncProperty(fields, fc.constantFrom('apple', 'caldav'), async (sent, kind) => {
      const browser = new Browser(harness);
      const transaction = transactionOf(await browser.start({ user_id: 'fuzz' }));
      const preset = encodeURIComponent(sent.preset);
      const form = await browser.get(`/connect/${kind}?transaction=${transaction}&preset=${preset}`);
      assert.equal(form.status, 200);

      const answer = await browser.submit(form, `/connect/${kind}`, {
        ...sent,
        password: `canary${sent.password}`,
      });
      const right = await browser.submit(form, `/connect/${kind}`, sent);

      assert.equal(answer.status, 422);
      assert.match(answer.body, /role="alert"/);
      assert.doesNotMatch(answer.body, /canary/);
      assert.ok(right.status === 422 || right.location.startsWith('/authorize?'), String(right.status));
    });

    await fc.assert(property, { numRuns: rounds(60) });
  });
});

describe('the pages of a flow with anything in their addresses and forms', () => {
  const PLACES = [
    ...['approve', 'cancel', 'remove', 'disconnect', 'disconnect-all', 'calendars', 'consent', 'waiting'],
    ...['language', 'theme', 'apple', 'caldav', 'google', 'microsoft', 'progress', 'google/callback'],
  ];
  const NAMED = ['account', 'confirm', 'calendar', 'only_these', 'by', 'preset', 'language', 'theme', 'back'];
  const odd = fc.oneof(
    fc.constantFrom('', 'yes', 'email', 'server', 'fr', 'dark', 'fastmail', '__proto__', 'x'.repeat(3000)),
    fc.constantFrom(
      '/connect/consent',
      '//evil.example',
      '/\\\\evil.example',
      'https://evil.example',
      '/%00',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }).map((chosen) => chosen.toWellFormed()),
  );
  const sent = fc.dictionary(
    fc.constantFrom(...NAMED, 'state', 'code', 'error', 'client_id', 'user_id'),
    odd,
  );

  it('a page of a flow with anything in its address or form stays below 500, and leads only to Kalends or its application', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom('GET', 'POST'),
      fc.constantFrom(...PLACES),
      sent,
      async (method, place, fields) => {
        const browser = new Browser(harness);
        const selection = await browser.link(await browser.start({ user_id: 'fuzz' }));
        const transaction = transactionOf(selection);
        const token = /name="token" value="([\w-]+)"/.exec(selection.body)?.[1] ?? '';
        const query = new URLSearchParams({ transaction, ...fields });

        const answer =
          method === 'GET'
            ? await browser.get(`/connect/${place}?${query}`)
            : await browser.post(`/connect/${place}`, { transaction, token, ...fields });

        assert.ok(answer.status < 500, `${method} ${place} ${answer.status}: ${answer.body}`);
        const { origin } = new URL(answer.location, 'http://kalends.test');
        assert.ok(['http://kalends.test', 'https://app.example.com'].includes(origin), answer.location);
      },
    );

    await fc.assert(property, { numRuns: rounds(scale() < 20 ? 60 : 150) });
  });
});
