/**
 * Processes on a core of their own: servers on the first, the load (this process, and PostgreSQL, its
 * child) on the second. Without taskset or a second core nothing is pinned, and the bench says so.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

const SERVER_CORE = '0';
const LOAD_CORE = '1';
const canPin = availableParallelism() >= 2 && spawnSync('taskset', ['--version']).status === 0;

/**
 * Moves this process, and so every unpinned process that it starts, to the load's core. Returns whether that worked.
 */
export function pinToLoadCore(): boolean {
  return canPin && spawnSync('taskset', ['-a', '-cp', LOAD_CORE, String(process.pid)]).status === 0;
}

/** The running servers; none outlives the bench, however it ends. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export type ServerProcess = {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The text that the process has written to standard error so far. */
  errors(): string;
  /** Sends SIGTERM, and SIGKILL if the process has not ended after five seconds. */
  stop(): Promise<void>;
};

/** Starts `node FILE …` on the servers' core, with an IPC channel when `ipc` is set. */
export function startNode(
  args: readonly string[],
  { env, ipc = false }: { env: NodeJS.ProcessEnv; ipc?: boolean },
): ServerProcess {
  const command = [process.execPath, ...args];
  const [program = '', ...rest] = canPin ? ['taskset', '-c', SERVER_CORE, ...command] : command;
  const child = spawn(program, rest, {
    env,
    stdio: ipc ? ['ignore', 'ignore', 'pipe', 'ipc'] : ['ignore', 'ignore', 'pipe'],
  });
  // taskset becomes the program it starts: the process id stays.
  const { pid } = child;
  if (pid === undefined) throw new Error(`Could not start ${program}`);
  running.add(child);
  child.once('exit', () => running.delete(child));
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  return { pid, child, errors: () => errors, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await closed;
  clearTimeout(timer);
}
