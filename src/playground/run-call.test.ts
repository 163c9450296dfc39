import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Person } from '../people/person.ts';
import { type RunCall, runCall, type SentCall } from './run-call.ts';

const TOKENS = { accessToken: 'an access token', refreshToken: 'a refresh token', expiresAt: 3_600_000 };
// A call needs only these of a person and of an operation.
const PERSON = { personId: 'ada', role: 'owner', clientIds: [] } as unknown as Person;
const FORM = { id: 'any', method: 'POST' } as RunCall['form'];

/** Returns the body that a call of a test user sends. */
async function sentBody(path: string, body: unknown): Promise<unknown> {
  const sent: SentCall[] = [];
  const call = { method: 'POST', path, headers: {}, body, credentials: 'user' } as const;
  const user = { clientId: 'acme', userId: 'test' };
  const testUsers = { tokensOf: async () => TOKENS, renewTokens: async () => true, noteCall: async () => {} };
  const send = async (one: SentCall) => {
    sent.push(one);
    return undefined;
  };
  // The tokens are current and not bound, so nothing else is used.
  const deps = { testUsers, send, now: () => 0, clients: { findClient: async () => undefined } } as never;
  await runCall(PERSON, { clientId: 'acme', user, form: FORM, call, clientSecret: '' }, deps);
  return JSON.parse(sent[0]?.body ?? '');
}

describe('a call of the playground', () => {
  it('has the tokens of the test user in requests that take one, and in no other', async () => {
    const placeholders = { refresh_token: 'REFRESH_TOKEN', token: 'ACCESS_TOKEN' };

    for (const path of ['/token', '/revoke', '/introspect'])
      assert.deepEqual(await sentBody(path, placeholders), {
        refresh_token: 'a refresh token',
        token: 'an access token',
      });
    for (const path of ['/event', '/webhooks/subscribe'])
      assert.deepEqual(await sentBody(path, { title: 'ACCESS_TOKEN', ...placeholders }), {
        title: 'ACCESS_TOKEN',
        ...placeholders,
      });
  });
});
