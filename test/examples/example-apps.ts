/** The applications of examples/ as separate programs, each in a copy of its folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOT = path.resolve(import.meta.dirname, '../..');

export type Example = {
  /** The name of its folder. */
  readonly name: string;
  /** The command that starts it, from its README. */
  readonly command: readonly string[];
  /** The packages that its folder has after `npm install`, besides the client. */
  readonly packages?: readonly string[];
  /** The command that builds it before it is started. Its packages must be in its own node_modules. */
  readonly build?: readonly string[];
  /** It reads tokens only once, so changes in its storage take effect at the next start. */
  readonly holdsTokens?: true;
  /** Files that must be installed for it. */
  readonly programs?: readonly string[];
};

const START_MS = 60_000;
const BUILD_MS = 180_000;
const NODE = process.execPath;
/** Debian's own Python has Debian's Python packages. */
const PYTHON = '/usr/bin/python3';
const NEXT = 'node_modules/next/dist/bin/next';
/** Files that arise from using the example, and are not copied. */
const NOT_COPIED = /^(node_modules|\.next|next-env\.d\.ts|package-lock\.json|storage\.db.*)$/;

export const EXAMPLES: readonly Example[] = [
  { name: 'express', command: [NODE, 'app.js'], packages: ['express'], holdsTokens: true },
  { name: 'hono', command: [NODE, 'app.ts'], packages: ['hono', '@hono/node-server'], holdsTokens: true },
  {
    name: 'next',
    build: [NODE, NEXT, 'build'],
    command: [NODE, NEXT, 'start', '--hostname', 'localhost'],
    holdsTokens: true,
    programs: [path.join(ROOT, 'examples/next/node_modules/next')],
  },
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
  /** Returns its output so far. */
  output(): string;
  stop(): Promise<void>;
};

/**
 * Returns the folder to install it in: inside `folder`, or for an example with a build a new folder in the checkout, as
 * deep as in examples/, because Next.js follows no link out of the checkout.
 */
export async function placeFor({ name, build }: Example, folder: string): Promise<string> {
  if (build === undefined) return path.join(folder, name);
  const artefacts = path.join(ROOT, 'artefacts');
  await mkdir(artefacts, { recursive: true });
  return mkdtemp(path.join(artefacts, `example-${name}-`));
}

/** Installs the example in `folder`, as its README says. */
export async function installExample({ name, packages = [], build }: Example, folder: string): Promise<void> {
  const example = path.join(ROOT, 'examples', name);
  const filter = (file: string) => !NOT_COPIED.test(path.basename(file));
  await cp(example, folder, { recursive: true, filter });
  if (packages.length > 0) await linkPackages(folder, packages);
  if (build === undefined) return;
  await linkOwnPackages(folder, path.join(example, 'node_modules'));
  const [program = '', ...args] = build;
  const env = { PATH: process.env.PATH ?? '', NEXT_TELEMETRY_DISABLED: '1' };
  await run(program, args, { cwd: folder, env, timeout: BUILD_MS }).catch((failure) => {
    throw new Error(`The example ${name} is not built: ${failure.stdout}${failure.stderr}`, {
      cause: failure,
    });
  });
}

/** Starts an installed example and waits until it responds. */
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
      NEXT_TELEMETRY_DISABLED: '1',
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

/** Links the packages as `npm install` would install them, without a registry. */
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

/** Links the packages that `npm install` put into `installed`, and builds the client from its current sources. */
async function linkOwnPackages(folder: string, installed: string): Promise<void> {
  const modules = path.join(folder, 'node_modules');
  await mkdir(modules);
  for (const name of await readdir(installed))
    if (!/^\.|^@kalends$/.test(name)) await symlink(path.join(installed, name), path.join(modules, name));
  const source = path.join(ROOT, 'packages/client');
  const client = path.join(modules, '@kalends/client');
  await cp(path.join(source, 'package.json'), path.join(client, 'package.json'));
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(NODE, [tsc, '-p', source, '--outDir', path.join(client, 'dist')], { timeout: BUILD_MS });
}

async function answering(address: string, child: ChildProcess, output: () => string): Promise<void> {
  const late = Date.now() + START_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < late) {
    // The connection is refused until the program listens.
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
