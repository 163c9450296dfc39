/** Kalends beside the sandbox's providers: the program as it is shipped, in a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The start file of the repository, or of the published package. */
const MAIN = path.resolve(
  import.meta.dirname,
  path.extname(import.meta.filename) === '.ts' ? '../src/start.js' : '../src/main.js',
);
/**
 * The module that ends Kalends with its parent: the channel closes when the sandbox ends, even by SIGKILL, so that
 * Kalends does not keep the port. Node imports this in threads too, which have no channel.
 */
const END_WITH_PARENT = `data:text/javascript,${encodeURIComponent(
  "process.on('disconnect', () => process.kill(process.pid, 'SIGTERM')).channel?.unref();",
)}`;
const START_MS = 120_000;
const STOP_MS = 10_000;

export type KalendsProcess = {
  /** The public origin. */
  readonly url: string;
  /** The address for creating the dashboard's first owner, once and within half an hour. */
  readonly setupUrl: string | undefined;
  /** Returns the end of its log, which goes to standard error. */
  log(): string;
  /** Resolves if the process ends unexpectedly: nothing works without it. */
  readonly ended: Promise<void>;
  /** Ends the process. */
  close(): Promise<void>;
};

/** Returns the environment of a Kalends for this machine alone, with its data in `dataDir`. */
export const kalendsSettings = (
  port: number,
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Record<string, string> => ({
  // Only the path is inherited: an operator's own settings would point at real providers.
  PATH: process.env.PATH ?? '',
  KALENDS_HOST: '127.0.0.1',
  KALENDS_PORT: String(port),
  KALENDS_URL: `http://127.0.0.1:${port}`,
  KALENDS_DATA_DIR: dataDir,
  ...settings,
});

/** Starts Kalends with these settings, and waits until it responds. */
export async function startKalends(env: Readonly<Record<string, string>>): Promise<KalendsProcess> {
  const url = env.KALENDS_URL ?? '';
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN, 'serve', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const log = lastOutput(child);
  const started = firstLine(child);
  // In a separate process group, Ctrl-C does not reach it before this process ends it; but it must not outlive this
  // process.
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

/** Reads the object that Kalends writes once it listens. */
async function firstLine(child: ChildProcess): Promise<{ readonly setupUrl?: string }> {
  if (child.stdout === null) return {};
  const line = once(createInterface({ input: child.stdout }), 'line');
  const [text]: unknown[] = await Promise.race([line, once(child, 'exit')]);
  // `serve --json` writes one object. Without it the process has ended, which is reported elsewhere.
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
    // The connection is refused until the server listens.
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
