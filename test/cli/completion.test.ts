/** The scripts of `kalends completion` in the shells that they are written for, and corrections of misspelled words. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { counterpart } from '../harness/counterpart.ts';
import { type CommandLine, openCommandLine } from './cli-run.ts';

const run = promisify(execFile);
let cli: CommandLine;
let folder: string;
before(async () => {
  [cli, folder] = await Promise.all([openCommandLine(), mkdtemp(path.join(tmpdir(), 'kalends-shell-'))]);
});
after(() => Promise.all([cli.close(), rm(folder, { recursive: true })]));

/** For each shell, how it is asked for what can follow the words. */
const SHELLS = {
  bash: (words: readonly string[]) =>
    `. "$0"; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _kalends; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words: readonly string[]) =>
    `compdef() { :; }; compadd() { shift; print -l -- \${(M)@:#$words[CURRENT]*}; }; . $0; words=(${words.join(' ')}); CURRENT=${words.length}; _kalends`,
  fish: (words: readonly string[]) => `source $argv[1]; complete -C "${words.join(' ')}"`,
};

for (const [shell, ask] of Object.entries(SHELLS))
  describe(`completion in ${shell}`, counterpart(shell, `/usr/bin/${shell}`), () => {
    const complete = async (...words: string[]) => {
      const { stdout } = await cli.run(['completion', shell]);
      const script = path.join(folder, shell);
      await writeFile(script, stdout);
      const answer = await run(`/usr/bin/${shell}`, ['-c', ask(words), script]);
      return answer.stdout.trim().split('\n').sort();
    };

    it('completes groups, their commands and the commands of a group within a group', async () => {
      assert.deepEqual(await complete('kalends', 'cl'), ['client']);
      assert.deepEqual(await complete('kalends', 'client', 'ro'), ['rotate-secret']);
      assert.deepEqual(await complete('kalends', 'client', 'verification', 'ca'), ['cancel']);
    });

    it('completes the options of a command, also after an argument', async () => {
      assert.deepEqual(await complete('kalends', 'client', 'update', 'acme', '--redirect'), [
        '--redirect-uri',
      ]);
    });
  });

describe('the command line', () => {
  it('refuses a shell that it has no script for', async () => {
    const { exitCode, stderr } = await cli.run(['completion', 'toString']);

    assert.equal(exitCode, 2);
    assert.match(stderr, /SHELL must be one of bash, zsh, fish/);
  });

  for (const [words, suggestion] of [
    [['clinet', 'create'], 'Did you mean "client create"?'],
    [['client', 'crate'], 'Did you mean "create"?'],
    [['client', 'create', '--nmae', 'x'], 'Did you mean "--name"?'],
    [['help', 'docter'], 'Did you mean "doctor"?'],
  ] as const)
    it(`suggests a correction of "${words.join(' ')}"`, async () => {
      const { exitCode, stderr } = await cli.run(words);

      assert.equal(exitCode, 2);
      assert.ok(stderr.includes(suggestion), stderr);
    });

  it('suggests nothing for a word that resembles no command', async () => {
    const { stderr } = await cli.run(['frobnicate']);

    assert.equal(stderr, 'kalends: "frobnicate" is not a command; "kalends help" lists them.\n');
  });
});
