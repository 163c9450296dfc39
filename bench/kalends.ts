/** Kalends as it is shipped, under load: `src/start.js serve`, seeded through its own stores. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import { loadConfig } from '../src/config/config.ts';
import { openStorage, type Stores } from '../src/start/open-storage.ts';
import { freePort } from '../test/harness/loopback.ts';
import { sendOnce } from './load/http-load.ts';
import { type Application, REDIRECT_URI } from './load/oauth-calls.ts';
import { seedCodes } from './load/seed-codes.ts';
import { type ServerProcess, startNode } from './pinned-process.ts';

export const MAIN = path.resolve(import.meta.dirname, '../src/start.js');
/** The same in the package, once `buildPackage` has built it. */
export const PACKAGE_MAIN = path.resolve(import.meta.dirname, '../dist/src/main.js');
const START_SECONDS = 30;

export type Kalends = {
  readonly process: ServerProcess;
  readonly port: number;
  readonly application: Application;
  /** Its database, opened by the bench beside the server. */
  readonly stores: Stores;
  /** Writes the records of `count` grants and returns their codes. */
  seedCodes(count: number): Promise<string[]>;
  stop(): Promise<void>;
};

export type KalendsOptions = {
  readonly folder: string;
  /** A PostgreSQL URL; SQLite in the folder otherwise. */
  readonly databaseUrl?: string | undefined;
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before the server starts. */
  readonly seed?: (stores: Stores, application: Application) => Promise<void>;
  /** Arguments of node; those of `npm start` when absent. */
  readonly nodeArguments?: readonly string[];
  /** Another program that runs on the same configuration instead of `src/start.js serve`. */
  readonly program?: string;
  /** The file that `serve` starts; `src/start.js` by default. */
  readonly main?: string | undefined;
};

/** The arguments that package.json's start script gives node: see docs/performance.md. */
export const AS_NPM_START = ['--max-semi-space-size=4', '--no-concurrent-recompilation'];
const ALLOCATOR_AS_NPM_START = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** Makes an application by the command line, starts the server and waits for /health. */
export async function startKalends(options: KalendsOptions): Promise<Kalends> {
  const { folder, databaseUrl, seed, nodeArguments = AS_NPM_START, program, main = MAIN } = options;
  const port = await freePort();
  const env = {
    ...kalendsEnvironment(path.join(folder, `kalends-${port}`), port, databaseUrl),
    ...options.env,
  };
  const application = await createApplication(env);
  const stores = await openStorage(loadConfig(env));
  await seed?.(stores, application);
  const words = [...nodeArguments, ...(program === undefined ? [main, 'serve'] : [program])];
  const server = await startServer(words, env, port);
  let users = 0;
  return {
    process: server,
    port,
    application,
    stores,
    seedCodes(count) {
      const from = users;
      users += count;
      return seedCodes(stores, application.clientId, { from, count });
    },
    async stop() {
      await server.stop();
      await stores.close();
    },
  };
}

/** Starts `node WORDS` as `npm start` does, and waits until it is healthy. */
async function startServer(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  port: number,
): Promise<ServerProcess> {
  // `src/start.js` sets this for the program itself. Another program must not carry the type stripper either.
  const cache = path.resolve(import.meta.dirname, '../node_modules/.cache/bench');
  const server = startNode(words, { env: { ...env, ...ALLOCATOR_AS_NPM_START, NODE_COMPILE_CACHE: cache } });
  await untilHealthy(server, port);
  return server;
}

/**
 * Starts another instance on its database (SQLite in its folder if absent), with its folder, which has the master key.
 */
export async function startBeside({ port: first }: Kalends, folder: string, databaseUrl?: string) {
  const port = await freePort();
  const env = kalendsEnvironment(path.join(folder, `kalends-${first}`), port, databaseUrl);
  return { port, process: await startServer([...AS_NPM_START, MAIN, 'serve'], env, port) };
}

export async function buildPackage(): Promise<void> {
  await promisify(execFile)(process.execPath, [path.resolve(import.meta.dirname, '../scripts/build.ts')]);
}

/** Only what is named reaches the program. */
export function kalendsEnvironment(
  dataDir: string,
  port: number,
  databaseUrl?: string,
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    TZ: 'UTC',
    KALENDS_PORT: String(port),
    KALENDS_DATA_DIR: dataDir,
    KALENDS_DRAIN_SECONDS: '0',
    ...(databaseUrl === undefined
      ? {}
      : { KALENDS_DATABASE_URL: databaseUrl, KALENDS_MASTER_KEY: 'generate' }),
  };
}

/** Registers an application, which also creates the database and its keys if they do not exist. */
export async function createApplication(env: Record<string, string>): Promise<Application> {
  const args = ['client', 'create', '--name', 'Bench', '--redirect-uri', REDIRECT_URI, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env });
  const made: { client_id: string; client_secret: string } = JSON.parse(stdout);
  return { clientId: made.client_id, clientSecret: made.client_secret };
}

/** Resolves at the first 200 of /health; throws with the server's output if none comes. */
export async function untilHealthy(server: ServerProcess, port: number): Promise<void> {
  const deadline = performance.now() + START_SECONDS * 1000;
  const request = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  for (;;) {
    try {
      await sendOnce(port, request);
      return;
    } catch (reason) {
      if (server.child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`A server did not start: ${server.errors()}`, { cause: reason });
      }
      // The connection is refused until the server listens.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}
