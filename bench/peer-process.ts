/** A peer in a process of its own, on the servers' core, seeded over its IPC channel. */
import path from 'node:path';

import type { Application } from './load/oauth-calls.ts';
import { CLIENT_ID } from './load/oauth-calls.ts';
import type { PeerMessage, SeedRequest } from './peers/peer-channel.ts';
import { type ServerProcess, startNode } from './pinned-process.ts';

const ANSWER_SECONDS = 60;

export const PEER_APPLICATION: Application = {
  clientId: CLIENT_ID,
  clientSecret: 'a1B2c3D4e5F6a1B2c3D4e5F6',
};

export type Peer = {
  readonly process: ServerProcess;
  readonly port: number;
  readonly application: Application;
  seedCodes(count: number): Promise<string[]>;
  stop(): Promise<void>;
};

/** Starts `bench/peers/NAME.ts …` and waits until it listens; a given port is for timing its start. */
export function spawnPeer(name: string, args: readonly string[] = [], port = 0): ServerProcess {
  const file = path.join(import.meta.dirname, 'peers', `${name}.ts`);
  const env = {
    PATH: process.env.PATH ?? '',
    TZ: 'UTC',
    NODE_ENV: 'production',
    BENCH_SECRET: PEER_APPLICATION.clientSecret,
    BENCH_PORT: String(port),
  };
  return startNode([file, ...args], { env, ipc: true });
}

export async function startPeer(name: string, args: readonly string[] = []): Promise<Peer> {
  const server = spawnPeer(name, args);
  const hello = await messageOf(server);
  if (!('listening' in hello)) throw new Error(`The peer ${name} said something else first`);
  return {
    process: server,
    port: hello.listening,
    application: PEER_APPLICATION,
    async seedCodes(count) {
      const request: SeedRequest = { seedCodes: count };
      const answer = messageOf(server);
      server.child.send(request);
      const message = await answer;
      return 'seeded' in message ? [...message.seeded] : [];
    },
    stop: () => server.stop(),
  };
}

function messageOf(server: ServerProcess): Promise<PeerMessage> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`A peer did not answer: ${server.errors()}`));
    const timer = setTimeout(fail, ANSWER_SECONDS * 1000);
    server.child.once('exit', fail);
    server.child.once('message', (message: PeerMessage) => {
      clearTimeout(timer);
      server.child.off('exit', fail);
      resolve(message);
    });
  });
}
