import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Command } from './command.ts';
import { parseInput } from './parse.ts';

const COMMAND: Command = {
  name: 'admin withdraw',
  summary: 'Withdraws an invitation',
  positionals: [{ name: 'INVITATION_ID', doc: 'The invitation.' }],
  options: [{ name: 'by', value: 'LOGIN', doc: 'The member.' }],
  run: async () => undefined,
};

describe('the parser of commands', () => {
  for (const id of ['-zU0a-_b3', '-', '-b=c', 'a--json'])
    it(`takes the id ${id} as it is`, () => {
      assert.deepEqual(parseInput(COMMAND, [id]).positionals, { INVITATION_ID: id });
    });

  it('takes an id that begins with two hyphens after --', () => {
    assert.deepEqual(parseInput(COMMAND, ['--', '--json']).positionals, { INVITATION_ID: '--json' });
  });

  it('takes an option whose value begins with a hyphen, before and after an id that does', () => {
    const expected = { positionals: { INVITATION_ID: '-id' }, options: { by: '-ada' }, lists: {} };

    assert.deepEqual(parseInput(COMMAND, ['--by', '-ada', '-id']), expected);
    assert.deepEqual(parseInput(COMMAND, ['-id', '--by=-ada']), expected);
  });

  it('refuses a second word that begins with a hyphen', () => {
    assert.throws(() => parseInput(COMMAND, ['id', '-x']), /"-x" is one argument too many/);
  });
});
