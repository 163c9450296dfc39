/**
 * Runs commands of the program in this process, in a fiftieth of a second; in a process of their own they take half a
 * second.
 */
import { PassThrough, Readable } from 'node:stream';

import { runCommand } from '../../src/cli/cli.ts';
import type { CommandDeps, Io } from '../../src/cli/command.ts';
import { inspectStorage, migrateStorage, openStorage, prepareRestore } from '../../src/start/open-storage.ts';
import { requestedScope } from '../../src/start/requested-scope.ts';

export type Run = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

export type CommandOptions = {
  /** All settings of the command. */
  readonly env: Io['env'];
  /** By default there is no terminal and no input. */
  readonly stdin?: Io['stdin'];
  /** Used instead of commands that run until they are stopped. */
  readonly serve?: CommandDeps['serve'];
  readonly runSandbox?: CommandDeps['runSandbox'];
};

const inItsOwnProcess = (): never => {
  throw new Error('What goes on until it is stopped runs in a process of its own');
};

/** Runs a command that ends by itself. */
export async function runHere(
  args: readonly string[],
  { env, stdin, serve, runSandbox }: CommandOptions,
): Promise<Run> {
  const texts = { stdout: '', stderr: '' };
  const stderr = new PassThrough();
  stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr += text;
  });
  const stdout = { write: (text: string) => (texts.stdout += text) };
  const nobody = Object.assign(Readable.from([]), { isTTY: false });
  const exitCode = await runCommand(
    args,
    { env, stdin: stdin ?? nobody, stdout, stderr },
    {
      openStorage,
      inspectStorage,
      migrateStorage,
      prepareRestore,
      requestedScope,
      now: Date.now,
      serve: serve ?? inItsOwnProcess,
      runSandbox: runSandbox ?? inItsOwnProcess,
    },
  );
  stderr.end();
  return { exitCode, ...texts };
}
