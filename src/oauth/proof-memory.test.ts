import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proofMemory } from './proof-memory.ts';

const remember = (isNew: ReturnType<typeof proofMemory>, clientId: string, id: string, now = 0) =>
  isNew({ clientId, id, expiresAt: now + 90 }, now);

describe('the memory of proofs', () => {
  it('accepts a proof once until it expires', () => {
    const isNew = proofMemory();

    const results = [0, 0, 89, 90].map((now) => remember(isNew, 'acme', 'a', now));

    assert.deepEqual(results, [true, false, false, true]);
  });

  it('remembers the last proof of an application when the others expire', () => {
    const isNew = proofMemory();
    for (const now of [0, 50]) remember(isNew, 'acme', `at ${now}`, now);

    const results = [90, 139, 140].map((now) => remember(isNew, 'acme', 'at 50', now));

    assert.deepEqual(results, [false, false, true]);
  });

  it('drops the oldest proof of the application with the most when it is full', () => {
    const isNew = proofMemory(4);
    for (const id of ['a', 'b', 'c']) remember(isNew, 'loud', id);
    remember(isNew, 'quiet', 'a');

    assert.equal(remember(isNew, 'loud', 'd'), true);

    assert.equal(remember(isNew, 'quiet', 'a'), false);
    assert.equal(remember(isNew, 'loud', 'b'), false);
    assert.equal(remember(isNew, 'loud', 'a'), true);
  });

  it('is full with 100,000 proofs', () => {
    const isNew = proofMemory();
    for (let i = 0; i < 100_000; i += 1) remember(isNew, 'acme', String(i));

    assert.equal(remember(isNew, 'acme', '0'), false);
    assert.equal(remember(isNew, 'acme', 'more'), true);
    assert.deepEqual(
      ['1', '0'].map((id) => remember(isNew, 'acme', id)),
      [false, true],
    );
  });

  it('drops expired proofs of all applications before others', () => {
    const isNew = proofMemory(3);
    remember(isNew, 'one', 'a', 0);
    remember(isNew, 'two', 'a', 50);
    remember(isNew, 'two', 'b', 50);

    assert.equal(remember(isNew, 'two', 'c', 90), true);

    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => remember(isNew, 'two', id, 90)),
      [false, false, false],
    );
  });
});
