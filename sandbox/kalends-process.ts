/** Kalends itself beside the sandbox's providers: the program as it is shipped, in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The repository's start, or the published package's. */
const MAIN = path.resolve(
  import.meta.dirname,
  path.extname(import.meta.filename) === '.ts' ? '../src/start.js' : '../src/main.js',
);
/**
 * The channel closes when the sandbox ends, even by SIGKILL: its Kalends must not stay and hold the port. Node imports
 * this in threads too, which have no channel.
 */
const END_WITH_PARENT = `data:text/javascript,${encodeURIComponent(
  "process.on('disconnect', () => process.kill(process.pid, 'SIGTERM')).channel?.unref();",
)}`;
const START_MS = 30_000;
const STOP_MS = 10_000;

export type KalendsProcess = {
  /** The public origin. */
  readonly url: string;
  /** Where the dashboard's first owner is made, once and within half an hour. */
  readonly setupUrl: string | undefined;
  /** What it wrote to standard error, which is its log; the last of it. */
  log(): string;
  /** Resolves when it has ended by itself: nothing works without it. */
  readonly ended: Promise<void>;
  /** Ends it. */
  close(): Promise<void>;
};

/** The environment of a Kalends for this machine alone, with its data there. */
export const kalendsSettings = (
  port: number,
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Record<string, string> => ({
  // Nothing of the environment but the path: an operator's own settings would point at real providers.
  PATH: process.env.PATH ?? '',
  KALENDS_HOST: '127.0.0.1',
  KALENDS_PORT: String(port),
  KALENDS_URL: `http://127.0.0.1:${port}`,
  KALENDS_DATA_DIR: dataDir,
  ...settings,
});

/** Starts it with these settings, and waits until it answers. */
export async function startKalends(env: Readonly<Record<string, string>>): Promise<KalendsProcess> {
  const url = env.KALENDS_URL ?? '';
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN, 'serve', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
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
  };
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
