/** Runs the shell snippets of documents: commands of Kalends in this process, everything else in a shell. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/config/config.ts';
import type { CommandLine } from '../cli/cli-run.ts';

export type Shell = {
  readonly commandLine: CommandLine;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
};

const KALENDS = /^((?:[A-Z_]+=\S+ )*)(?:kalends|npm run (?:--silent )?kalends --) (.*)$/s;
const SETTING = /^(KALENDS_[A-Z_]+)=("?)([^"#]*?)\2(?:\s+#.*)?$/;

/** Runs a whole snippet; throws if one of its commands fails. */
export async function typeSnippet(code: string, shell: Shell): Promise<void> {
  const lines = code
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.every((line) => SETTING.test(line))) checkSettings(lines);
  else if (lines.every((line) => KALENDS.test(line)))
    for (const line of lines) await typeCommand(line, shell);
  else await typeInShell(code, shell);
}

/** Checks that the settings are known and their values valid. */
function checkSettings(lines: readonly string[]): void {
  const env = Object.fromEntries(
    lines.map((line) => (SETTING.exec(line) ?? []).slice(1)).map(([name, , value]) => [name, value]),
  );
  assert.deepEqual(loadConfig(env).unknownNames, []);
}

async function typeCommand(line: string, { commandLine, folder, env }: Shell): Promise<void> {
  const [, variables = '', rest = ''] = KALENDS.exec(line) ?? [];
  // The output is returned, so pipes and redirections are cut off.
  const command = rest.replace(/ [>|] .*$/, '');
  const words = await wordsOf(command, { folder, env });
  const given = Object.fromEntries(
    variables
      .split(' ')
      .filter(Boolean)
      .map((pair) => pair.split('=')),
  );
  const { exitCode, stdout, stderr } = await commandLine.run(words, 'yes', given);
  assert.equal(exitCode, 0, `${line}: ${stdout}${stderr}`);
}

/** Lets a shell split and expand the words of a command. */
const wordsOf = async (command: string, shell: Pick<Shell, 'folder' | 'env'>): Promise<string[]> => {
  const printed = await inShell(`set -- ${command}\nprintf '%s\\0' "$@"`, shell);
  return printed.split('\0').slice(0, -1);
};

const typeInShell = (code: string, shell: Shell): Promise<string> =>
  inShell(`curl() { command curl --fail-with-body --silent --show-error "$@"; }\n${code}`, shell);

/** Runs a script asynchronously: it may call a server in this process, which must not be blocked. */
async function inShell(script: string, { folder, env }: Pick<Shell, 'folder' | 'env'>): Promise<string> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } };
  return (await promisify(execFile)('/bin/bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
}
