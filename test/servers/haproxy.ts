/** Debian's HAProxy on a configuration of the caller's. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { answeringFrom, type Running, run, temporaryFolder } from './process.ts';

export const HAPROXY = '/usr/sbin/haproxy';

/** Starts HAProxy and waits for a response at `url`, whatever its backend. */
export async function startHaproxy(configuration: string, url: string): Promise<Running> {
  const folder = temporaryFolder('haproxy');
  const file = path.join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration);
  return answeringFrom(folder, url, run(HAPROXY, ['-db', '-f', file]));
}
