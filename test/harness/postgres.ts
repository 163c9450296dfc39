/** A real PostgreSQL 18, started from an npm package on a free port of the loopback address. */
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { errorCode } from '../../src/lib/error-code.ts';
import { freePort } from './loopback.ts';
import { postgresProgram } from './postgres-program.ts';

export type Postgres = {
  /** The URL of a superuser, on the database `postgres`. */
  readonly url: string;
  /** Ends every connection and starts again on the same data, as an upgrade of the server does. */
  restart(): Promise<void>;
  /** Stops the server and keeps its data, until `restart`. */
  halt(): Promise<void>;
  /** Suspends all its processes, so that calls are neither refused nor completed. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
};

/**
 * Starts a server in about a second. It is not durable against a power cut, which no test causes; otherwise it works as
 * in production. `closed`: see postgresProgram.
 */
export async function startPostgres(options: { readonly closed?: boolean } = {}): Promise<Postgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kalends-postgres-'));
  // If root starts it, the server runs as its own user, which needs access to its data.
  await chmod(folder, 0o755);
  const port = await freePort();
  const lines: string[] = [];
  const EmbeddedPostgres = await postgresProgram(folder, options);
  const server = new EmbeddedPostgres({
    databaseDir: path.join(folder, 'data'),
    port,
    user: 'kalends',
    password: 'kalends',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', 'fsync=off', '-c', 'max_connections=500'],
    ],
    onLog: (line) => lines.push(String(line)),
    onError: (line) => lines.push(String(line)),
  });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
  } catch (reason) {
    await stop();
    throw new Error(`PostgreSQL did not start:\n${lines.join('')}`, { cause: reason });
  }
  return {
    url: `postgres://kalends:kalends@127.0.0.1:${port}/postgres`,
    async restart() {
      await server.stop();
      await server.start();
    },
    halt: () => server.stop(),
    pause: () => signalAll(path.join(folder, 'data'), 'SIGSTOP'),
    resume: () => signalAll(path.join(folder, 'data'), 'SIGCONT'),
    stop,
  };
}

/** Signals the postmaster first, so that it starts no process while the others are signalled. */
function signalAll(dataDir: string, signal: NodeJS.Signals): void {
  const postmaster = Number(readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(postmaster, signal);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  for (const child of children.split(' ').filter((id) => id.trim() !== ''))
    try {
      process.kill(Number(child), signal);
    } catch (reason) {
      // A process may have ended since it was listed.
      if (errorCode(reason) !== 'ESRCH') throw reason;
    }
}
