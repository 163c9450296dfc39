/** The checker of histories: it accepts what a correct server can do, and rejects the rest. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { MUTATIONS, possibleHistory, randomFrom } from './grant-history.ts';
import { findOrder, findViolations, type Operation } from './linearizable.ts';

const HISTORIES = 500;

describe('The checker of histories', () => {
  it('accepts 500 possible histories and rejects each after one mutation', () => {
    const used: Record<string, number> = {};
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const random = randomFrom(seed);
      const history = possibleHistory(random);
      assert.ok(findOrder(history) !== undefined, `history ${seed}: ${JSON.stringify(history)}`);

      const mutants = Object.entries(MUTATIONS).flatMap(([name, mutate]) =>
        mutate(history).map((mutant) => ({ name, mutant })),
      );
      const { name, mutant } = mutants[Math.floor(random() * mutants.length)] ?? assert.fail();
      assert.equal(findOrder(mutant), undefined, `history ${seed}, ${name}: ${JSON.stringify(mutant)}`);
      used[name] = (used[name] ?? 0) + 1;
    }
    assert.deepEqual(Object.keys(used).sort(), Object.keys(MUTATIONS).sort());
  });

  const call = (
    operation: Operation['operation'],
    [start, end]: readonly [number, number?],
    { token, output }: { token?: string; output?: Operation['output'] },
  ): Operation => ({
    ...{ client: 'one', object: 'code', operation, start },
    input: token === undefined ? {} : { token, windowMs: 0 },
    ...(output === undefined ? {} : { output }),
    ...(end === undefined ? {} : { end }),
  });
  const EXCHANGED = call('exchange', [0, 1], { output: { status: 200, token: 'a' } });
  const lostRefresh = call('refresh', [2], { token: 'a' });

  it('lets an operation without an end take effect later or never', () => {
    const accepted = call('refresh', [3, 4], { token: 'a', output: { status: 200, token: 'b' } });
    const refused = call('refresh', [3, 4], { token: 'a', output: { status: 400 } });

    assert.ok(findOrder([EXCHANGED, lostRefresh, accepted]) !== undefined);
    assert.ok(findOrder([EXCHANGED, lostRefresh, refused]) !== undefined);
    assert.equal(findOrder([EXCHANGED, refused]), undefined);
  });

  it('names the grants whose acknowledged operations were lost', () => {
    const rotated = call('refresh', [2, 3], { token: 'a', output: { status: 200, token: 'b' } });
    const lost = call('refresh', [4, 5], { token: 'b', output: { status: 400 } });
    const other = [EXCHANGED, rotated].map((one) => ({ ...one, object: 'another code' }));

    assert.deepEqual([...findViolations([EXCHANGED, rotated, lost, ...other]).keys()], ['code']);
  });
});
