/** Debian's etcd, one member on loopback. */
import path from 'node:path';

import { freePort } from '../harness/loopback.ts';
import { answeringFrom, type Running, run, temporaryFolder } from './process.ts';

export const ETCD = '/usr/bin/etcd';

/** Starts it with both versions of its interface. */
export async function startEtcd(): Promise<Running & { readonly port: number }> {
  const folder = temporaryFolder('etcd');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const server = run(ETCD, [
    ...['--name', 'one', '--data-dir', path.join(folder, 'data'), '--enable-v2'],
    ...['--listen-client-urls', url, '--advertise-client-urls', url],
    ...[
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `one=${peer}`,
    ],
  ]);
  return { ...(await answeringFrom(folder, `${url}/health`, server)), port };
}
