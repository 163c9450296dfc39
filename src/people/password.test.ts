import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { hashPassword, isPassword, passwordProblem } from './password.ts';
import { PeopleRefusal } from './people-refusal.ts';

describe('a password', () => {
  it('of several words is good, in any language', () => {
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
    it(`such as ${password.slice(0, 20)} is not taken`, () => {
      assert.match(passwordProblem(password, ['Ada Lovelace', 'ada@example.com']) ?? '', says);
    });

  it('is known by its hash, which nobody reads it from', async () => {
    const password = 'seven kettles sing at noon';
    const hash = await hashPassword(password);
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(hash, await hashPassword(password));
    assert.equal(await isPassword(password, hash), true);
    for (const other of ['', 'Seven kettles sing at noon', `${password} `, 'x'.repeat(100_000)])
      assert.equal(await isPassword(other, hash), false);
    assert.equal(await isPassword(password, undefined), false);
    assert.equal(await isPassword(password, 'no hash of ours'), false);
  });

  it('typed on another keyboard is the same', async () => {
    assert.equal(
      await isPassword('Mu\u0308nchner Kindl 1158', await hashPassword('M\u00fcnchner Kindl 1158')),
      true,
    );
  });

  it('is not compared for more at once than the machine has room for', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, () => isPassword('guess', undefined)),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 8);
    for (const outcome of refused)
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof PeopleRefusal);
    assert.equal(await isPassword('guess', undefined), false);
  });
});
