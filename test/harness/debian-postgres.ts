/** A PostgreSQL from Debian's package, with pg_dump and pg_restore of the same version. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePort } from './loopback.ts';

/** The folder of PostgreSQL's programs, in the newest installed version. */
export const POSTGRES_PROGRAMS: string =
  globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? '/usr/lib/postgresql/bin';

/** Starts a server in two seconds. If root starts it, it runs as the package's user, since PostgreSQL refuses root. */
export async function debianPostgres() {
  const server = await prepareServer();
  try {
    await server.run(
      'initdb',
      ...['--pgdata', server.data, '--auth=trust', '--username=kalends'],
      ...['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    );
    await server.start();
  } catch (reason) {
    await server.stop();
    throw reason;
  }
  return {
    port: server.port,
    urlOf: server.urlOf,
    /** Starts a hot standby, which follows this server until `promote` makes it a primary of its own. */
    async startStandby() {
      const standby = await prepareServer();
      try {
        const from = `host=127.0.0.1 port=${server.port} user=kalends`;
        const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
        await standby.run('pg_basebackup', '--pgdata', standby.data, '--dbname', from, ...options);
        await standby.start();
      } catch (reason) {
        await standby.stop();
        throw reason;
      }
      const promote = () => standby.run('pg_ctl', 'promote', '--wait', '--pgdata', standby.data);
      return { port: standby.port, urlOf: standby.urlOf, promote, stop: standby.stop };
    },
    stop: server.stop,
  };
}

/** Prepares a folder, a port and programs for a server. */
async function prepareServer() {
  const folder = await mkdtemp(path.join(tmpdir(), 'kalends-debian-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  const run = async (program: string, ...args: string[]): Promise<string> => {
    const [command = '', ...words] = [...asUser, path.join(POSTGRES_PROGRAMS, program), ...args];
    const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}`);
    return output;
  };
  // The package's user creates its data in this folder.
  if (isRoot) await chmod(folder, 0o777);
  const data = path.join(folder, 'data');
  const port = await freePort();
  const settings = `-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c port=${port} -c fsync=off`;
  const log = `--log=${path.join(folder, 'log')}`;
  return {
    data,
    port,
    run,
    urlOf: (database: string) => `postgres://kalends@127.0.0.1:${port}/${database}`,
    start: () => run('pg_ctl', 'start', '--wait', '--pgdata', data, log, `--options=${settings}`),
    async stop(): Promise<void> {
      await run('pg_ctl', 'stop', '--pgdata', data, '--mode=immediate').catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
