import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';

import type { SlotQueue } from '../lib/fair-slots/slot-queue.ts';
import { type HashingCaller, hashPassword, isPassword, passwordProblem, passwordSlots } from './password.ts';
import { PeopleRefusal } from './people-refusal.ts';

const CALLER = { member: undefined, address: '192.0.2.1', signal: new AbortController().signal };

describe('passwords', () => {
  const deps = { passwordSlots: passwordSlots() };
  const hashOf = (password: string) => hashPassword(password, CALLER, deps);
  const matches = (password: string, hash: string | undefined) =>
    isPassword({ password, hash }, CALLER, deps);

  it('accepts several words in any language', () => {
    for (const password of [
      'seven kettles sing at noon',
      'Dreiundzwanzig Störche',
      'サーバーの鍵を三回まわすこと',
      'x9#Lq2!vRt7@',
    ])
      assert.equal(passwordProblem(password, ['Ada Lovelace', 'ada@example.com']), undefined, password);
  });

  for (const [password, says] of [
    ['short', /12 characters/],
    ['x'.repeat(201), /longer than 200/],
    ['aaaaaaaaaaaaaa', /repeats itself/],
    ['abcabcabcabcabc', /repeats itself/],
    ['passwordpassword', /repeats itself/],
    ['abcdefghijklmnop', /repeats itself/],
    ['9876543210987654', /repeats itself/],
    ['1qaz2wsx3edc4rfv', /most common/],
    ['Administrator!', /most common/],
    ['unbelievable2026!', /most common/],
    ['AdaLovelace1', /your name/],
    ['ada@example.com', /your name/],
    ['kalendskalends!', /repeats itself|your name/],
  ] as const)
    it(`rejects ${password.slice(0, 20)}`, () => {
      assert.match(passwordProblem(password, ['Ada Lovelace', 'ada@example.com']) ?? '', says);
    });

  it('verifies a password by its salted Argon2id hash', async () => {
    const password = 'seven kettles sing at noon';
    const hash = await hashOf(password);
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(hash, await hashOf(password));
    assert.equal(await matches(password, hash), true);
    for (const other of ['', 'Seven kettles sing at noon', `${password} `, 'x'.repeat(100_000)])
      assert.equal(await matches(other, hash), false);
    assert.equal(await matches(password, undefined), false);
    assert.equal(await matches(password, 'no hash of ours'), false);
  });

  it('treats differently composed characters as the same password', async () => {
    assert.equal(await matches('Mu\u0308nchner Kindl 1158', await hashOf('M\u00fcnchner Kindl 1158')), true);
  });

  it('does not compare a password after the client has left', async () => {
    const slots = passwordSlots();
    const closed = new AbortController();
    const guesses = [
      guess(slots, '192.0.2.1'),
      guess(slots, '192.0.2.1', { signal: closed.signal }),
      guess(slots, '192.0.2.1'),
    ];
    closed.abort();
    assert.deepEqual(await Promise.all(guesses), [false, 'too_many', false]);
  });
});

/** Returns whether a password is right, or the kind of the refusal. */
const guess = (slots: SlotQueue, address: string, change: Partial<HashingCaller> = {}) =>
  isPassword(
    { password: 'guess', hash: undefined },
    { ...CALLER, address, ...change },
    { passwordSlots: slots },
  ).catch((reason) => reason instanceof PeopleRefusal && reason.kind);

describe('slots for hashing passwords', () => {
  const opened = () => {
    const slots = passwordSlots();
    const end = new AbortController();
    const done: string[] = [];
    const begun: Promise<unknown>[] = [];
    const begin = (name: string, address: string, member?: string) => {
      const outcome = guess(slots, address, { member, signal: end.signal });
      const noted = outcome.then((why) => done.push(why === false ? name : `${name} ${why}`));
      begun.push(noted);
      return noted;
    };
    const stop = () => {
      end.abort();
      return Promise.all(begun);
    };
    return { done, begin, stop };
  };

  it('give one slot to all strangers together and one to each member', async () => {
    const { done, begin, stop } = opened();
    for (const name of ['a', 'b', 'c', 'd']) begin(name, '192.0.2.1');
    await begin('member', '192.0.2.1', 'ada');
    assert.ok(!done.includes('c'), done.join());
    await stop();
  });

  it('let three requests of a member and fifty of all strangers wait', async () => {
    const { done, begin, stop } = opened();
    for (let at = 0; at < 6; at += 1) begin('member', '192.0.2.1', 'ada');
    for (let at = 0; at < 53; at += 1) begin('stranger', '192.0.2.1');
    await settled();
    assert.deepEqual(done.filter((name) => name.endsWith(' too_many')).toSorted(), [
      ...Array(2).fill('member too_many'),
      ...Array(2).fill('stranger too_many'),
    ]);
    await stop();
  });

  it('refuse the newest stranger of the largest network if too many wait, and let networks take turns', async () => {
    const { done, begin, stop } = opened();
    for (let at = 0; at <= 50; at += 1) begin(`crowd ${at}`, `2001:db8::${at}`);
    await begin('other', '2001:db9::1');
    assert.deepEqual(done, ['crowd 50 too_many', 'crowd 0', 'other']);
    await stop();
  });
});
