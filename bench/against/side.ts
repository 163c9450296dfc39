/**
 * One side of a comparison, in a process of its own: the server of the checkout in the first argument, started and seeded
 * by that checkout's `bench/kalends.ts` and `bench/mirror-seed.ts`. The bench drives it over IPC, a request at a time.
 */
import path from 'node:path';

import type { Kalends, KalendsOptions } from '../kalends.ts';
import type { Application } from '../load/oauth-calls.ts';
import type { ServerProcess } from '../pinned-process.ts';

export type Scenario = {
  /** Removed by the caller. */
  readonly folder: string;
  /** Runs the program of the row `bearer` in place of the shipped one. */
  readonly isBearer?: boolean;
  /** A PostgreSQL URL; SQLite in the folder if absent. */
  readonly databaseUrl?: string;
  /** Users whose calendar is mirrored with 100 events. */
  readonly mirrored?: number;
};

export type SideRequest =
  | { readonly start: Scenario }
  | { readonly seedCodes: number }
  | { readonly restart: true }
  | { readonly stop: true };

/** `milliseconds`: from the start of the process to the first 200 of /health; of a restart alone. */
export type SideReply =
  | {
      readonly pid: number;
      readonly port: number;
      readonly application: Application;
      readonly milliseconds?: number;
    }
  | { readonly codes: readonly string[] }
  | { readonly stopped: true }
  | { readonly failed: string };

const EVENTS_OF_EACH = 100;
const SEEDED_AT_ONCE = 50;
const [checkout = ''] = process.argv.slice(2);
const inBench = (file: string) => path.join(checkout, 'bench', file);
// Every commit that can be compared has these modules with these exports.
const bench = (await import(inBench('kalends.ts'))) as typeof import('../kalends.ts');
const mirror = (await import(inBench('mirror-seed.ts'))) as typeof import('../mirror-seed.ts');

let folder = '';
let kalends: Kalends | undefined;
/** In the place of `kalends.process` after a restart. */
let restarted: ServerProcess | undefined;

process.on('disconnect', () => process.exit());
process.on('message', (request: SideRequest) => {
  answer(request)
    .catch(
      (reason): SideReply => ({ failed: reason instanceof Error ? String(reason.stack) : String(reason) }),
    )
    .then((reply) => process.send?.(reply));
});

async function answer(request: SideRequest): Promise<SideReply> {
  if ('start' in request) return start(request.start);
  if (kalends === undefined) throw new Error('No server was started');
  if ('seedCodes' in request) return { codes: await kalends.seedCodes(request.seedCodes) };
  await (restarted ?? kalends.process).stop();
  if ('restart' in request) {
    const began = performance.now();
    const { port, process: server } = await bench.startBeside(kalends, folder);
    restarted = server;
    const milliseconds = performance.now() - began;
    return { pid: server.pid, port, application: kalends.application, milliseconds };
  }
  await kalends.stop();
  kalends = undefined;
  restarted = undefined;
  return { stopped: true };
}

async function start({ folder: parent, databaseUrl, isBearer, mirrored = 0 }: Scenario): Promise<SideReply> {
  folder = parent;
  const seed: KalendsOptions['seed'] = async (stores, { clientId }) => {
    const users = Array.from({ length: mirrored }, (_, i) => `user-${i}`);
    const events = () => Array.from({ length: EVENTS_OF_EACH }, (_, i) => mirror.meeting(i));
    while (users.length > 0)
      await Promise.all(
        users
          .splice(0, SEEDED_AT_ONCE)
          .map((userId) => mirror.seedUser(stores, { clientId, userId }, events())),
      );
    // No calendar server exists to sync with.
    await stores.db.write('DELETE FROM job');
  };
  const program = isBearer ? { program: inBench('peers/kalends-bearer.ts') } : {};
  kalends = await bench.startKalends({ folder, databaseUrl, seed, ...program });
  const { process: server, port, application } = kalends;
  return { pid: server.pid, port, application };
}
