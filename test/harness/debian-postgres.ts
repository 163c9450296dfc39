/** A PostgreSQL of Debian's package, whose pg_dump and pg_restore are of its version. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePort } from './loopback.ts';

/** Where its programs are: the newest version that is installed. */
export const POSTGRES_PROGRAMS: string =
  globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? '/usr/lib/postgresql/bin';

/** Takes two seconds. Started by root it runs as the package's user, since it refuses to be root. */
export async function debianPostgres() {
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
  // The package's user makes its data in it.
  if (isRoot) await chmod(folder, 0o777);
  const data = path.join(folder, 'data');
  const port = await freePort();
  const stop = async () => {
    await run('pg_ctl', 'stop', '--pgdata', data, '--mode=immediate').catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await run(
      'initdb',
      '--pgdata',
      data,
      '--auth=trust',
      '--username=kalends',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    );
    const options = `-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c port=${port} -c fsync=off`;
    await run(
      'pg_ctl',
      'start',
      '--wait',
      '--pgdata',
      data,
      `--log=${path.join(folder, 'log')}`,
      `--options=${options}`,
    );
  } catch (reason) {
    await stop();
    throw reason;
  }
  return { urlOf: (database: string) => `postgres://kalends@127.0.0.1:${port}/${database}`, stop };
}
