/** Debian's pgbouncer on a configuration of the caller's. */
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Running, removeFolder, run, temporaryFolder } from './process.ts';

export const PGBOUNCER = '/usr/sbin/pgbouncer';

/** `configuration` gets its folder, where the user `kalends` with the password `kalends` is in `userlist.txt`. */
export async function startPgbouncer(
  port: number,
  configuration: (folder: string) => string,
): Promise<Running> {
  const folder = temporaryFolder('pgbouncer');
  // Root may not run it: then it becomes another user, who reads these.
  chmodSync(folder, 0o755);
  writeFileSync(path.join(folder, 'userlist.txt'), '"kalends" "kalends"\n');
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(file, configuration(folder));
  const server = run(PGBOUNCER, [...(process.getuid?.() === 0 ? ['-u', 'postgres'] : []), file]);
  const stop = async () => {
    await server.stop();
    removeFolder(folder);
  };
  for (let attempt = 0; !(await accepts(port)); attempt += 1) {
    if (attempt === 1200) {
      await stop();
      throw new Error(`pgbouncer did not start. It said:\n${server.output()}`);
    }
    await sleep(50);
  }
  return { ...server, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
