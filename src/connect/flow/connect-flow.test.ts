import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openRequest, SECRET } from '../../../test/harness/authorization-requests.ts';
import { REQUEST_LIFETIME_MS, standingOf } from './connect-flow.ts';

const request = openRequest();
const page = { transactionId: 'T1' };

describe('standingOf', () => {
  const cases = [
    ['goes on when page, secret and store agree', page, SECRET, request, 'current'],
    ['expires without the secret', page, undefined, request, 'session_expired'],
    ['expires with another secret', page, `${SECRET}x`, request, 'session_expired'],
    ['expires without a stored request', page, SECRET, undefined, 'session_expired'],
    [
      'expires without a transaction in the address',
      { transactionId: undefined },
      SECRET,
      request,
      'session_expired',
    ],
    [
      'expires when the address names another transaction',
      { transactionId: 'T2' },
      SECRET,
      request,
      'session_expired',
    ],
    [
      'expires when the address names another user',
      { ...page, userId: 'eve' },
      SECRET,
      request,
      'session_expired',
    ],
    [
      'expires when the address names another application',
      { ...page, clientId: 'evil' },
      SECRET,
      request,
      'session_expired',
    ],
    ['is finished once approved', page, SECRET, openRequest({ status: 'approved' }), 'finished'],
    ['is finished once denied', page, SECRET, openRequest({ status: 'denied' }), 'finished'],
  ] as const;
  for (const [rule, address, secret, stored, standing] of cases) {
    it(`a Connect flow ${rule}`, () => {
      assert.equal(standingOf({ page: address, secret, request: stored }, 1001), standing);
    });
  }

  it('a Connect flow expires two hours after the start, not a millisecond before', () => {
    const end = request.createdAt + REQUEST_LIFETIME_MS;

    assert.equal(standingOf({ page, secret: SECRET, request }, end - 1), 'current');
    assert.equal(standingOf({ page, secret: SECRET, request }, end), 'session_expired');
  });
});
