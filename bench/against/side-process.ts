/** Starts a side of a comparison (bench/against/side.ts) and sends it requests. */
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';

import type { Application } from '../load/oauth-calls.ts';
import type { Scenario, SideReply, SideRequest } from './side.ts';

export type SideServer = {
  readonly process: { readonly pid: number };
  readonly port: number;
  readonly application: Application;
  seedCodes(count: number): Promise<string[]>;
};

export type Side = {
  start(scenario: Scenario): Promise<SideServer>;
  /** Stops the server and starts it again on its data. Resolves with the milliseconds that the start took. */
  restart(): Promise<SideServer & { readonly milliseconds: number }>;
  stop(): Promise<void>;
  end(): void;
};

/** Processes that run; each ends its own servers on SIGTERM, so none outlives the bench. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill();
});

/** Ends `child` with this process, however that ends. */
export function endedWithBench<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** The Node.js that the checkout's own packages have. */
export const nodeOf = (checkout: string): string => path.join(checkout, 'node_modules/.bin/node');

export function startSide(checkout: string): Side {
  const program = path.join(import.meta.dirname, 'side.ts');
  const child = endedWithBench(fork(program, [checkout], { execPath: nodeOf(checkout) }));
  const ask = async (request: SideRequest): Promise<SideReply> => {
    const reply = await replyOf(child, request);
    if ('failed' in reply) throw new Error(`${checkout} failed: ${reply.failed}`);
    return reply;
  };
  const seedCodes = async (count: number): Promise<string[]> => {
    const reply = await ask({ seedCodes: count });
    return 'codes' in reply ? [...reply.codes] : [];
  };
  const startedBy = async (request: SideRequest) => {
    const reply = await ask(request);
    if (!('pid' in reply)) throw new Error(`${checkout} started nothing`);
    const { pid, port, application, milliseconds = Number.NaN } = reply;
    return { process: { pid }, port, application, milliseconds, seedCodes };
  };
  return {
    start: (scenario) => startedBy({ start: scenario }),
    restart: () => startedBy({ restart: true }),
    async stop() {
      await ask({ stop: true });
    },
    end: () => child.disconnect(),
  };
}

function replyOf(child: ChildProcess, request: SideRequest): Promise<SideReply> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('A side of the comparison ended'));
    child.once('exit', fail);
    child.once('message', (reply: SideReply) => {
      child.off('exit', fail);
      resolve(reply);
    });
    child.send(request);
  });
}
