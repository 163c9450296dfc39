/**
 * The shipped program in its own process: `src/start.js serve` on a free port with its own data folder, and its command
 * line. The test that started it ends it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './loopback.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
/** Two instances may share two slow cores with other work: only a start that hangs takes longer. */
const START_MS = 120_000;
const STOP_MS = 20_000;

export type ProgramOptions = {
  /** A PostgreSQL URL; SQLite in the data folder otherwise. */
  readonly databaseUrl?: string | undefined;
  /** Further KALENDS_* settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** A free port by default. */
  readonly port?: number;
  /** The folder of another version of the program. */
  readonly checkout?: string | undefined;
  /** Whether it may use only one processor. */
  readonly isPinned?: boolean;
};

export type Registration = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
};

export type Program = {
  /** The public origin. */
  readonly url: string;
  readonly dataDir: string;
  /** Returns everything that all its runs have written so far. */
  output(): { stdout: string; stderr: string };
  /** Runs a command with --json in this process; throws its output unless it exits with 0. */
  command(...words: string[]): Promise<Record<string, unknown>>;
  createClient(options?: {
    redirectUri?: string;
    displayName?: string;
    name?: string;
  }): Promise<Registration>;
  /** Sends SIGTERM; throws unless it exits with 0. */
  stop(): Promise<void>;
  /** Sends a signal and waits for nothing. */
  signal(signal: NodeJS.Signals): void;
  /** SIGKILL, at once. */
  kill(): Promise<void>;
  /** Resolves with the exit code once it has ended by itself; `null` if a signal ended it. */
  ended(): Promise<number | null>;
  /** Starts it again on the same port and data, after `stop` or `kill`. */
  start(): Promise<void>;
  /** Ends it in any state and removes its data folder. */
  dispose(): Promise<void>;
};

export const REDIRECT_URI = 'http://localhost:9/callback';

/** Starts the program and waits until /health responds. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const program = await prepareProgram(options);
  try {
    await program.start();
  } catch (reason) {
    await program.dispose();
    throw reason;
  }
  return program;
}

/** Prepares the program without starting it. */
export async function prepareProgram(options: ProgramOptions = {}): Promise<Program> {
  const { databaseUrl, env = {}, checkout = CHECKOUT, isPinned = false } = options;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kalends-program-'));
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    PATH: process.env.PATH ?? '',
    TZ: 'UTC',
    KALENDS_PORT: String(port),
    KALENDS_DATA_DIR: path.join(dataDir, 'data'),
    ...(databaseUrl === undefined
      ? {}
      : { KALENDS_DATABASE_URL: databaseUrl, KALENDS_MASTER_KEY: 'generate' }),
    // Draining has its own tests.
    KALENDS_DRAIN_SECONDS: '0',
    // The limits have their own tests; here they would reject load from one address.
    ...limits(1_000_000),
    ...env,
  };
  const output = { stdout: '', stderr: '' };
  let child: ChildProcess | undefined;
  const command: Program['command'] = async (...args) => {
    const { code, stdout, stderr } = await runCommand([...args, '--json'], { checkout, settings });
    if (code !== 0) throw new Error(`kalends ${args.join(' ')} exited ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  };

  return {
    url,
    dataDir: settings.KALENDS_DATA_DIR,
    output: () => ({ ...output }),
    command,
    async createClient({ redirectUri = REDIRECT_URI, displayName, name = 'Acme' } = {}) {
      const display = displayName === undefined ? [] : ['--display-name', displayName];
      const args = ['client', 'create', '--name', name, '--redirect-uri', redirectUri, ...display];
      const made = await command(...args);
      return { clientId: String(made.client_id), clientSecret: String(made.client_secret), redirectUri };
    },
    async start() {
      const command = programCommand(checkout, ['serve']);
      child = spawnProgram(isPinned ? ['taskset', '-c', '0', ...command] : command, settings);
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
      await healthy(url, child, () => lastOf(output));
    },
    async stop() {
      const code = await end(child, 'SIGTERM');
      if (code !== 0) throw new Error(`The program exited ${code} on SIGTERM: ${lastOf(output)}`);
    },
    signal(signal) {
      child?.kill(signal);
    },
    async ended() {
      if (child?.exitCode === null && child.signalCode === null) await once(child, 'close');
      return child?.exitCode ?? null;
    },
    async kill() {
      await end(child, 'SIGKILL');
    },
    async dispose() {
      await end(child, 'SIGKILL');
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Runs the program where it should refuse to start; returns its exit code and output. */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return run(CHECKOUT, args, { PATH: process.env.PATH ?? '', ...env });
}

function limits(most: number): Record<string, string> {
  return {
    KALENDS_LIMIT_WRONG_SECRETS: String(most),
    KALENDS_LIMIT_WRONG_CODES: String(most),
    KALENDS_LIMIT_WRONG_CODES_OF_USER: String(most),
    KALENDS_LIMIT_AUTHORIZE: String(most),
    KALENDS_LIMIT_NEW_USERS: String(most),
    KALENDS_LIMIT_PASSWORDS_PER_TRANSACTION: String(most),
    KALENDS_LIMIT_PASSWORDS_PER_ADDRESS: String(most),
    KALENDS_LIMIT_PASSWORDS_PER_ACCOUNT: String(most),
    KALENDS_LIMIT_CONNECTIONS: String(most),
    KALENDS_LIMIT_CONNECTIONS_PER_ADDRESS: String(most),
  };
}

const programCommand = (checkout: string, args: readonly string[]): readonly string[] => [
  process.execPath,
  path.join(checkout, 'src/start.js'),
  ...args,
];

/** Passes only the given variables to the program, and none of the tests' environment. */
function spawnProgram([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a command in this process, or with the program of another version. */
async function runCommand(
  args: readonly string[],
  { checkout, settings }: { readonly checkout: string; readonly settings: NodeJS.ProcessEnv },
) {
  if (checkout !== CHECKOUT) return run(checkout, args, settings);
  // Half of what the program is: loaded by the files that run commands.
  const { runHere } = await import('./command-here.ts');
  const { exitCode: code, ...texts } = await runHere(args, { env: settings });
  return { code, ...texts };
}

async function run(checkout: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawnProgram(programCommand(checkout, args), env);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  const [code]: [number | null] = (await once(child, 'close')) as [number | null]; // the event's first argument
  clearTimeout(timer);
  return { code, stdout, stderr };
}

/** Returns the end of the output, which says what happened: a program that was started often has written a lot. */
const lastOf = ({ stdout, stderr }: { stdout: string; stderr: string }): string =>
  `${stdout.slice(-1000)}${stderr.slice(-3000)}`;

async function healthy(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The program ended with ${child.exitCode ?? child.signalCode}: ${output()}`);
    }
    // The connection is refused until the program listens.
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(25);
  }
  throw new Error(`The program did not answer /health within ${START_MS / 1000} s: ${output()}`);
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<number | null> {
  if (child === undefined) return null;
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await closed;
    clearTimeout(timer);
  }
  return child.exitCode;
}
