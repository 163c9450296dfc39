import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  chooseRedirectUri,
  planRedirectUris,
  type RedirectUriChange,
  redirectUriProblem,
  redirectUrisProblems,
  webhookUrlProblem,
} from './redirect-uri.ts';

describe('a redirect URI', () => {
  const accepted = [
    'https://app.example.com/callback',
    'https://app.example.com/callback?tenant=7',
    'https://oauth.pstmn.io/v1/callback',
    'http://localhost:3000/callback',
    'http://127.0.0.1:3000/',
    'http://127.8.9.10/callback',
    'http://[::1]:3000/callback',
    'https://xn--bcher-kva.example/callback',
    'https://my_app.example.com:8443/callback',
    'https://203.0.113.9/callback',
    'https://[2001:db8::7]/callback',
    'https://app.example.com./callback',
    'com.example.app:/callback',
    'com.example.app://callback',
    `https://app.example.com/${'a'.repeat(2048 - 24)}`,
  ];
  for (const uri of accepted) {
    it(`a redirect URI may be ${uri.slice(0, 60)}`, () => assert.equal(redirectUriProblem(uri), undefined));
  }

  const refused: [string, RegExp][] = [
    ['', /must not be empty/],
    ['/callback', /absolute/],
    ['app.example.com/callback', /absolute/],
    ['https://app.example.com/callback#', /no fragment/],
    ['https://app.example.com/callback#part', /no fragment/],
    ['http://app.example.com/callback', /must be https/],
    ['http://192.168.0.7/callback', /must be https/],
    ['http://localhost.example.com/callback', /must be https/],
    ['https:app.example.com/callback', /two slashes/],
    ['https:/app.example.com/callback', /two slashes/],
    ['https:///app.example.com/callback', /two slashes/],
    ['https://user:secret@app.example.com/', /no user name/],
    ['https://*.example.com/callback', /no wildcards/],
    ['https://app;x.example.com/callback', /name or an address/],
    ['https://app,x.example.com/callback', /name or an address/],
    ["https://app'x.example.com/callback", /name or an address/],
    ['https://app%3Bx.example.com/callback', /name or an address/],
    ['https://app%2A.example.com/callback', /no wildcards/],
    ['https://app(x).example.com/callback', /name or an address/],
    ['https://app..example.com/callback', /name or an address/],
    ['https://app+x.example.com/callback', /name or an address/],
    ['com.example;app.x:/callback', /must be/],
    ["com.example.app',*:/callback", /must be/],
    ['https://app.example.com/call back', /characters URLs have/],
    ['https://app.example.com/\ncallback', /characters URLs have/],
    ['https://app.example.com\\callback', /characters URLs have/],
    ['https://bücher.example/callback', /characters URLs have/],
    ['https://app.example.com/callback?code=1', /parameter "code"/],
    ['com.example.app:/callback?state=1', /parameter "state"/],
    ['javascript:alert(1)', /must be https/],
    ['JavaScript:alert(1)', /must be https/],
    ['data:text/html,hello', /must be https/],
    ['file:///etc/passwd', /must be https/],
    ['vbscript:x', /must be https/],
    ['myapp:/callback', /must be https/],
    [`https://app.example.com/${'a'.repeat(2049 - 24)}`, /longer than 2048/],
  ];
  for (const [uri, problem] of refused) {
    it(`a redirect URI must not be ${uri.slice(0, 60) || 'empty'}`, () =>
      assert.match(redirectUriProblem(uri) ?? '', problem));
  }
});

describe('a webhook URL', () => {
  for (const url of ['https://app.example.com/hook?code=1', 'http://localhost:9000/hook']) {
    it(`a webhook URL may be ${url}`, () => assert.equal(webhookUrlProblem(url), undefined));
  }
  for (const url of [
    'http://app.example.com/hook',
    'com.example.app:/hook',
    'https://a.example/#x',
    'hook',
  ]) {
    it(`a webhook URL must not be ${url}`, () => assert.notEqual(webhookUrlProblem(url), undefined));
  }
});

const [A, B, C] = ['https://a.example/', 'https://b.example/', 'https://c.example/'] as const;

describe('the redirect URI of a request', () => {
  const single = { redirectUri: A, furtherRedirectUris: [] };
  const several = { redirectUri: A, furtherRedirectUris: [B, C] };
  const cases: readonly (readonly [string, Parameters<typeof chooseRedirectUri>, string | undefined])[] = [
    ['the only one', [undefined, single, { isStrict: false }], A],
    ['the only one, whatever is requested', [C, single, { isStrict: false }], A],
    ['the default of several', [undefined, several, { isStrict: false }], A],
    ['the requested one of several', [C, several, { isStrict: false }], C],
    [
      'none if another one than several is requested',
      ['https://d.example/', several, { isStrict: false }],
      undefined,
    ],
    ['none if a strict issuer receives none', [undefined, single, { isStrict: true }], undefined],
    ['none if a strict issuer receives another one', [C, single, { isStrict: true }], undefined],
    ['the requested one at a strict issuer', [A, single, { isStrict: true }], A],
  ];
  for (const [title, sent, chosen] of cases)
    it(`is ${title}`, () => assert.equal(chooseRedirectUri(...sent), chosen));
});

describe('a change of the redirect URIs', () => {
  const plans: readonly (readonly [RedirectUriChange, readonly string[], readonly string[]])[] = [
    [{}, [A, B], []],
    [{ all: [C] }, [C], []],
    [{ default: C }, [C, B], []],
    [{ removed: [A] }, [B], []],
    [{ added: [C] }, [A, B, C], []],
    [{ removed: [A, B], added: [C] }, [C], []],
    [{ removed: [C] }, [A, B], [`The redirect URI "${C}" is not registered`]],
    [{ added: [A] }, [A, B, A], [`The redirect URI "${A}" occurs twice`]],
    [
      { all: ['/cb'] },
      ['/cb'],
      ['The redirect URI must be an absolute URL, such as https://app.example.com/callback'],
    ],
  ];
  for (const [change, uris, problems] of plans)
    it(`can be ${JSON.stringify(change)}`, () =>
      assert.deepEqual(planRedirectUris([A, B], change), { uris, problems }));

  it('can be the first one, but must leave one', () => {
    assert.deepEqual(planRedirectUris([], { added: [A] }), { uris: [A], problems: [] });
    for (const change of [{ removed: [A] }, { all: [] }])
      assert.throws(() => planRedirectUris([A], change), { status: 409 });
  });

  it('allows 20 redirect URIs and shortens a long one in its problem', () => {
    const many = Array.from({ length: 21 }, (_, i) => `https://app.example/${i}`);
    const [exact, longer] = [100, 101].map((length) => `x:${'y'.repeat(length - 2)}`);
    const quoted = (uri = '') => redirectUrisProblems([uri, A])[0]?.split('"')[1];

    assert.deepEqual(redirectUrisProblems(many.slice(1)), []);
    assert.deepEqual(redirectUrisProblems(many), ['An application can have at most 20 redirect URIs']);
    assert.equal(quoted(exact), exact);
    assert.equal(quoted(longer), `${longer?.slice(0, 99)}…`);
  });
});
