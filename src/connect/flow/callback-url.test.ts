import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openRequest } from '../../../test/harness/authorization-requests.ts';
import { createSealer } from '../../lib/sealing.ts';
import { loadResponse } from './authorization-response.ts';
import { displayDomain, formTargetsOf, responseUrl, toFormSource, webOriginOf } from './paths.ts';

const request = openRequest;

type Changes = Parameters<typeof openRequest>[0] & { readonly code?: string };

describe('the redirect of an approval', () => {
  const cases: readonly (readonly [rule: string, changes: Changes, url: string])[] = [
    ['has no state when none came', {}, 'https://app.example.com/cb?code=ada'],
    [
      'keeps the spelling of the state',
      { state: 'a+b%20c%FF' },
      'https://app.example.com/cb?code=ada&state=a+b%20c%FF',
    ],
    [
      'goes behind a query that is there',
      { redirectUri: 'https://a.example/?t=1' },
      'https://a.example/?t=1&code=ada',
    ],
    [
      'goes behind a query that ends open',
      { redirectUri: 'https://a.example/?t=1&' },
      'https://a.example/?t=1&code=ada',
    ],
    ['goes behind an empty query', { redirectUri: 'https://a.example/?' }, 'https://a.example/?code=ada'],
    [
      'encodes whatever a user id has',
      { code: "a b&c=d/é#?+'" },
      "https://app.example.com/cb?code=a%20b%26c%3Dd%2F%C3%A9%23%3F%2B'",
    ],
    ['serves private-use schemes', { redirectUri: 'com.example.app:/cb' }, 'com.example.app:/cb?code=ada'],
  ];
  for (const [rule, { code = 'ada', ...changes }, url] of cases) {
    it(`the redirect of an approval ${rule}`, () => {
      assert.equal(responseUrl(request(changes), { code }), url);
    });
  }
});

describe('the redirect of a denial', () => {
  it('has access_denied with a description and the state, but no code', async () => {
    const sealer = createSealer(Buffer.alloc(32, 1));
    const deps = { clients: { findClient: async () => undefined }, sealer, publicUrl: 'https://k.example' };
    const denied = request({ state: 'xyz' });

    const url = new URL(responseUrl(denied, await loadResponse(denied, 'denied', deps)));

    assert.deepEqual([...url.searchParams.keys()], ['error', 'error_description', 'state']);
    assert.equal(url.searchParams.get('error'), 'access_denied');
    assert.equal(url.searchParams.get('state'), 'xyz');
  });
});

describe('the domain and form targets of a redirect URI', () => {
  const cases = [
    ['https://app.example.com/cb?x=1', 'app.example.com', 'https://app.example.com'],
    ['http://127.0.0.1:3000/cb', '127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://localhost:3000/cb', 'localhost:3000', 'http://localhost:3000'],
    ['http://[::1]:3000/cb', '[::1]:3000', 'http:'],
    ['https://203.0.113.9/cb', '203.0.113.9', 'https:'],
    ['com.example.app:/cb', 'com.example.app', 'com.example.app:'],
    ['com.example.app://done/cb', 'com.example.app', 'com.example.app:'],
  ] as const;
  for (const [redirectUri, domain, target] of cases) {
    it(`a Connect page shows ${domain} for ${redirectUri} and lets forms lead to ${target}`, () => {
      assert.equal(displayDomain(redirectUri), domain);
      assert.deepEqual(formTargetsOf(redirectUri).slice(0, 1), [target]);
    });
  }

  it('a Connect page lets a callback redirect to other origins over https, and on this machine', () => {
    assert.deepEqual(formTargetsOf('https://api.example.com/cb'), ['https://api.example.com', 'https:']);
    assert.deepEqual(formTargetsOf('https://203.0.113.9/cb'), ['https:']);
    assert.deepEqual(formTargetsOf('com.example.app:/cb'), ['com.example.app:']);
    const loopback = ['http://localhost:3000', 'https:', 'http://localhost:*', 'http://127.0.0.1:*'];
    assert.deepEqual(formTargetsOf('http://localhost:3000/cb'), loopback);
  });
});

describe('a stored host that is not a host name', () => {
  for (const host of ['app;x.example', 'app,x.example', "app'x.example", '*.example', '*']) {
    it(`the stored host ${host} is not part of a Content-Security-Policy`, () => {
      assert.deepEqual(formTargetsOf(`https://${host}/cb`), []);
      assert.equal(toFormSource(`https://${host}`), 'https:');
    });
  }
});

describe('the web origin of a redirect URI', () => {
  for (const [redirectUri, origin] of [
    ['https://app.example.com/cb?x=1', 'https://app.example.com'],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1:3000'],
    ['https://app.example.com:8443/', 'https://app.example.com:8443'],
    ['com.example.app:/cb', undefined],
    ['com.example.app://host/cb', undefined],
    ['not an address', undefined],
  ] as const) {
    it(`is ${origin ?? 'none'} for ${redirectUri}`, () => {
      assert.equal(webOriginOf(redirectUri), origin);
    });
  }
});
