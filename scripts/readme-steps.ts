/** README.md as a list of steps: its commands in order, and the values that a reader fills in between them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type StepOptions = {
  /** The folder of the README, where its commands are typed. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The user who runs the commands; undefined: the user of this process. */
  readonly identity?: { readonly uid: number; readonly gid: number } | undefined;
  /** Changes a command before it is typed, for example to replace a port with a free one. */
  readonly change: (command: string) => string;
};

export type Background = { readonly output: () => string; end(signal: NodeJS.Signals): Promise<void> };

/** An error response makes the command fail, as a reader would notice. */
const CURL = 'curl() { command curl --fail-with-body --silent --show-error "$@"; }\n';
const START_MS = 300_000;

/** Returns the blocks that are typed into a shell, in the page's order. */
export function commandsOf(readme: string): string[] {
  return [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block.trim());
}

/** Types the command and returns its output; throws with all of its output if it fails. */
export async function type(command: string, variables: string, options: StepOptions): Promise<string> {
  const child = start(`${CURL}${variables}${options.change(command)}`, options);
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const [code] = await once(child, 'close');
  if (code !== 0)
    throw new Error(`This of the README ended with ${code}:\n${command}\n${output}${complaints}`);
  return output;
}

/** Types a command that keeps running, and waits until it has printed its start message. */
export async function keep(
  command: string,
  said: RegExp,
  options: StepOptions & { readonly variables?: string },
): Promise<Background> {
  const child = start(`${CURL}${options.variables ?? ''}${options.change(command)}`, options);
  let output = '';
  const ended = once(child, 'close');
  const isSaid = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (said.test(output)) resolve();
      });
  });
  const late = AbortSignal.timeout(START_MS);
  const tooLate = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()));
  await Promise.race([isSaid, ended, tooLate]);
  const end = async (signal: NodeJS.Signals) => {
    endGroup(child.pid, signal);
    await ended;
  };
  if (said.test(output)) return { output: () => output, end };
  await end('SIGKILL');
  throw new Error(`This of the README did not get as far as ${said}:\n${command}\n${output}`);
}

/** Ends npm, its shell, and the processes that they started, which may outlive one that failed. */
function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (failure) {
    // No process of the group is left.
    if (!(failure instanceof Error && 'code' in failure && failure.code === 'ESRCH')) throw failure;
  }
}

function start(script: string, { folder, env, identity }: StepOptions) {
  const spawned = spawn('/bin/bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  });
  return spawned;
}
