/** Debian's nginx on server blocks of the caller's. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { answeringFrom, type Running, run, temporaryFolder } from './process.ts';

export const NGINX = '/usr/sbin/nginx';

/** Starts nginx with these `server` blocks and waits until it answers at `url`. `folder` has their files. */
export async function startNginx(servers: string, url: string): Promise<Running> {
  const folder = temporaryFolder('nginx');
  const file = path.join(folder, 'nginx.conf');
  const main = `pid ${folder}/nginx.pid;\ndaemon off;\nmaster_process off;\nevents {}\n`;
  writeFileSync(file, `${main}http {\naccess_log off;\n${servers}}\n`);
  const server = run(NGINX, ['-p', folder, '-e', path.join(folder, 'error.log'), '-c', file]);
  return answeringFrom(folder, url, server);
}
