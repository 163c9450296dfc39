import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownLimits } from '../http/shared-attempts.ts';
import { invalidGrant } from './oauth-error.ts';
import { limitWrongCodes, wrongCodeLimits } from './wrong-codes.ts';

const LIMITS = { wrongCodesPerMinute: 2, wrongCodesOfUserPerMinute: 1 };
const wrong = invalidGrant('Invalid authorization code');

describe('the limits of wrong codes', () => {
  it('are for a minute, that of a user shared by all instances', async () => {
    const created: unknown[] = [];
    const limits = wrongCodeLimits(LIMITS, (...of) => {
      created.push(of);
      return ownLimits(...of);
    });
    const waits = [];
    for (let i = 0; i < 3; i += 1) waits.push(await limits.ofClient('acme'));

    assert.deepEqual(created, [['wrong_code', { attempts: 1, seconds: 60 }]]);
    assert.deepEqual(waits, [undefined, undefined, 60]);
  });

  it('count the codes of an application, then each code by its hash', async () => {
    const counted: string[] = [];
    const wait = { client: undefined as number | undefined, user: undefined as number | undefined };
    const counting = (kind: keyof typeof wait) => async (key: string) => {
      counted.push(key);
      return wait[kind];
    };
    const limits = { ofClient: counting('client'), ofUser: counting('user') };
    const present = () =>
      limitWrongCodes(() => Promise.reject(wrong), { clientId: 'acme', code: 'ada' }, limits);

    await assert.rejects(present(), wrong);
    wait.user = 7;
    await assert.rejects(present(), { status: 429, headers: { 'retry-after': '7' } });
    wait.client = 9;
    await assert.rejects(present(), { code: 'temporarily_unavailable', headers: { 'retry-after': '9' } });

    assert.equal(counted.length, 5);
    assert.deepEqual([counted[0], counted[2], counted[4]], ['acme', 'acme', 'acme']);
    assert.equal(counted[1], counted[3]);
    assert.match(counted[1] ?? '', /^acme [\w-]{43}$/);
  });

  it('count neither right codes nor internal errors', async () => {
    const limits = { ofClient: () => assert.fail('counted'), ofUser: () => assert.fail('counted') };
    const presented = { clientId: 'acme', code: 'ada' };
    const failure = new Error('no database');

    assert.equal(await limitWrongCodes(async () => 'tokens', presented, limits), 'tokens');
    await assert.rejects(
      limitWrongCodes(() => Promise.reject(failure), presented, limits),
      failure,
    );
  });
});
