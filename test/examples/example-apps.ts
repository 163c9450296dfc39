/** The applications of examples/ as programs of their own, each in a copy of its folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = path.resolve(import.meta.dirname, '../..');

export type Example = {
  /** Its folder. */
  readonly name: string;
  /** What it is started with, as its README says. */
  readonly command: readonly string[];
  /** The packages that its folder has after `npm install`, besides the client. */
  readonly packages?: readonly string[];
  /** It reads tokens once, so that others in its storage count after a start. */
  readonly holdsTokens?: true;
  /** What has to be installed for it. */
  readonly programs?: readonly string[];
};

const START_MS = 60_000;
const NODE = process.execPath;
/** Debian's own, which has Debian's packages. */
const PYTHON = '/usr/bin/python3';

export const EXAMPLES: readonly Example[] = [
  { name: 'express', command: [NODE, 'app.js'], packages: ['express'], holdsTokens: true },
  { name: 'hono', command: [NODE, 'app.ts'], packages: ['hono', '@hono/node-server'], holdsTokens: true },
  {
    name: 'fastapi',
    command: [PYTHON, '-m', 'uvicorn', 'app:app', '--host', 'localhost', '--port', 'PORT'],
    programs: ['/usr/lib/python3/dist-packages/fastapi', '/usr/lib/python3/dist-packages/uvicorn'],
  },
  { name: 'php', command: ['/usr/bin/php', '-S', 'localhost:PORT', 'index.php'], programs: ['/usr/bin/php'] },
];

export type Settings = {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret: string;
  readonly port: number;
};

export type RunningExample = {
  readonly url: string;
  /** The file with its tokens. */
  readonly storage: string;
  /** What it has said. */
  output(): string;
  stop(): Promise<void>;
};

/** Makes `folder` what its README makes of the example's. */
export async function installExample({ name, packages = [] }: Example, folder: string): Promise<void> {
  await cp(path.join(ROOT, 'examples', name), folder, { recursive: true });
  if (packages.length > 0) await linkPackages(folder, packages);
}

/** Starts it where it is installed, and waits until it answers. */
export async function startExample(
  { command }: Example,
  { url, clientId, clientSecret, webhookSecret, port }: Settings,
  folder: string,
): Promise<RunningExample> {
  const storage = path.join(folder, 'storage.db');
  const [program = '', ...args] = command.map((word) => word.replace('PORT', String(port)));
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      PORT: String(port),
      STORAGE: storage,
      // A request that refreshes has to leave one worker for the other.
      PHP_CLI_SERVER_WORKERS: '3',
      KALENDS_URL: url,
      KALENDS_CLIENT_ID: clientId,
      KALENDS_CLIENT_SECRET: clientSecret,
      KALENDS_WEBHOOK_SECRET: webhookSecret,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: PHP's server has workers.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const address = `http://localhost:${port}`;
  await answering(address, child, () => output);
  return { url: address, storage, output: () => output, stop: () => stop(child) };
}

/** As `npm install` would, without a registry. */
async function linkPackages(folder: string, packages: readonly string[]): Promise<void> {
  for (const name of packages) {
    const place = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(place), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules', name), place);
  }
  const client = path.join(folder, 'node_modules/@kalends/client');
  await mkdir(client, { recursive: true });
  const manifest = { name: '@kalends/client', type: 'module', exports: './kalends.ts' };
  await writeFile(path.join(client, 'package.json'), JSON.stringify(manifest));
  await symlink(path.join(ROOT, 'packages/client/src/kalends.ts'), path.join(client, 'kalends.ts'));
}

async function answering(address: string, child: ChildProcess, output: () => string): Promise<void> {
  const late = Date.now() + START_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < late) {
    // Until it listens the connection is refused: that is what is waited for.
    const answer = await fetch(address).catch(() => undefined);
    if (answer !== undefined) return;
    await sleep(50);
  }
  throw new Error(`The example does not answer: ${output()}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
