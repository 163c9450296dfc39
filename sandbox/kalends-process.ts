/** Kalends itself beside the sandbox's providers: the program as it is shipped, in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The repository's start, or the published package's. */
const MAIN = path.resolve(
  import.meta.dirname,
  path.extname(import.meta.filename) === '.ts' ? '../src/start.js' : '../src/main.js',
);
const START_MS = 30_000;
const STOP_MS = 10_000;

export type KalendsProcess = {
  /** The public origin. */
  readonly url: string;
  /** Where the dashboard's first owner is made, once and within half an hour. */
  readonly setupUrl: string | undefined;
  /** Makes an application known, by the command line. */
  createClient(options: NewClient): Promise<Credentials>;
  /** What it wrote to standard error, which is its log; the last of it. */
  log(): string;
  /** Resolves when it has ended by itself: nothing works without it. */
  readonly ended: Promise<void>;
  /** Ends it, and removes its data. */
  close(): Promise<void>;
};

export type NewClient = {
  readonly name: string;
  readonly displayName: string;
  readonly redirectUri: string;
  /** Where it is told of changes. */
  readonly webhookUrl: string;
};

export type Credentials = { readonly clientId: string; readonly clientSecret: string };

/** Starts it with new data and these KALENDS_* settings, and waits until it answers. */
export async function startKalends(
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<KalendsProcess> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kalends-sandbox-'));
  const url = `http://127.0.0.1:${port}`;
  // Nothing of the environment but the path: an operator's own settings would point at real providers.
  const env = {
    PATH: process.env.PATH ?? '',
    KALENDS_HOST: '127.0.0.1',
    KALENDS_PORT: String(port),
    KALENDS_URL: url,
    KALENDS_DATA_DIR: dataDir,
    ...settings,
  };
  const child = spawn(process.execPath, [MAIN, 'serve', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const log = lastOutput(child);
  const started = firstLine(child);
  // In a group of its own, Ctrl-C does not reach it before we end it; but it must not outlive us either.
  const killed = () => void child.kill('SIGKILL');
  process.once('exit', killed);
  const close = async () => {
    await end(child);
    process.off('exit', killed);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await healthy(url, child, log);
  } catch (failure) {
    await close();
    throw failure;
  }
  const { setupUrl } = await started;
  return {
    url,
    setupUrl,
    log,
    ended: once(child, 'exit').then(() => {}),
    close,
    async createClient({ name, displayName, redirectUri, webhookUrl }) {
      const look = ['--name', name, '--display-name', displayName];
      const addresses = ['--redirect-uri', redirectUri, '--webhook-url', webhookUrl];
      const made = await command(['client', 'create', ...look, ...addresses, '--json'], env);
      return { clientId: String(made.client_id), clientSecret: String(made.client_secret) };
    },
  };
}

async function command(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child, 'close');
  if (child.exitCode !== 0)
    throw new Error(`kalends ${args.join(' ')} ended with ${child.exitCode}: ${output}`);
  // With --json a command writes one object.
  return JSON.parse(output) as Record<string, unknown>;
}

/** What it says of itself once it listens. */
async function firstLine(child: ChildProcess): Promise<{ readonly setupUrl?: string }> {
  if (child.stdout === null) return {};
  const line = once(createInterface({ input: child.stdout }), 'line');
  const [text]: unknown[] = await Promise.race([line, once(child, 'exit')]);
  // `serve --json` writes one object. Without it the process has ended, which is told elsewhere.
  return typeof text === 'string' ? (JSON.parse(text) as { setupUrl?: string }) : {};
}

function lastOutput(child: ChildProcess): () => string {
  let last = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    last = (last + text).slice(-20_000);
  });
  return () => last;
}

async function healthy(url: string, child: ChildProcess, log: () => string): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`Kalends did not start: ${log()}`);
    // Until it listens the connection is refused: that is what is waited for.
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(50);
  }
  throw new Error(`Kalends did not answer within ${START_MS / 1000} s: ${log()}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}
