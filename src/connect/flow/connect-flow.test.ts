import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { AuthorizationRequest } from './authorization-request-store.ts';
import { REQUEST_LIFETIME_MS, standingOf } from './connect-flow.ts';

const request: AuthorizationRequest = {
  transactionId: 'T1',
  clientId: 'acme',
  userId: 'ada',
  redirectUri: 'https://app.example.com/cb',
  scope: 'read',
  state: undefined,
  codeChallenge: undefined,
  language: 'en',
  theme: 'auto',
  display: 'page',
  providers: ['caldav'],
  query: '',
  formToken: 'secret',
  status: 'open',
  createdAt: 1000,
};
const cookie = { clientId: 'acme', userId: 'ada', transactionId: 'T1' };
const page = { transactionId: 'T1' };

describe('standingOf', () => {
  const cases = [
    ['goes on when page, cookie and store agree', page, cookie, request, 'current'],
    ['expires without a cookie', page, undefined, request, 'session_expired'],
    ['expires without a stored request', page, cookie, undefined, 'session_expired'],
    [
      'expires without a transaction in the address',
      { transactionId: undefined },
      cookie,
      request,
      'session_expired',
    ],
    [
      'says so when the cookie is of another transaction',
      page,
      { ...cookie, transactionId: 'T2' },
      request,
      'other_connection',
    ],
    [
      'expires when the cookie names another user',
      page,
      { ...cookie, userId: 'eve' },
      request,
      'session_expired',
    ],
    [
      'expires when the cookie names another application',
      page,
      { ...cookie, clientId: 'evil' },
      request,
      'session_expired',
    ],
    [
      'expires when the address names another user',
      { ...page, userId: 'eve' },
      cookie,
      request,
      'session_expired',
    ],
    [
      'expires when the address names another application',
      { ...page, clientId: 'evil' },
      cookie,
      request,
      'session_expired',
    ],
    ['is finished once approved', page, cookie, { ...request, status: 'approved' as const }, 'finished'],
    ['is finished once denied', page, cookie, { ...request, status: 'denied' as const }, 'finished'],
  ] as const;
  for (const [rule, address, carried, stored, standing] of cases) {
    it(`a Connect flow ${rule}`, () => {
      assert.equal(standingOf({ page: address, cookie: carried, request: stored }, 1001), standing);
    });
  }

  it('a Connect flow expires two hours after the start, not a millisecond before', () => {
    const end = request.createdAt + REQUEST_LIFETIME_MS;

    assert.equal(standingOf({ page, cookie, request }, end - 1), 'current');
    assert.equal(standingOf({ page, cookie, request }, end), 'session_expired');
  });
});
