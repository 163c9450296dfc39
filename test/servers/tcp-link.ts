/** A TCP connection between two programs that a test can cut: nothing passes until it heals, not even an end. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

export type Link = {
  readonly port: number;
  cut(): void;
  /** Ends the cut. Data that a server sent meanwhile arrives `backlogMs` later, as TCP repeats lost packets late. */
  heal(backlogMs?: number): void;
  stop(): void;
};

type Pair = { readonly client: net.Socket; server: net.Socket | undefined };

/** Listens on loopback and forwards each connection to the port `target`. */
export async function startLink(target: number): Promise<Link> {
  const pairs = new Set<Pair>();
  let isCut = false;
  const end = (pair: Pair) => {
    if (isCut) return;
    pairs.delete(pair);
    pair.client.destroy();
    pair.server?.destroy();
  };
  const join = (pair: Pair) => {
    const isNew = pair.server === undefined;
    pair.server ??= net.connect(target, '127.0.0.1');
    if (isNew) watch(pair.server, pair);
    pair.client.pipe(pair.server);
    pair.server.pipe(pair.client);
  };
  const joinLate = (pair: Pair, backlogMs: number) => {
    const hasBacklog = backlogMs > 0 && (pair.server?.readableLength ?? 0) > 0;
    if (!hasBacklog || pair.server === undefined) return join(pair);
    pair.client.pipe(pair.server);
    setTimeout(() => {
      if (!isCut) pair.server?.pipe(pair.client);
    }, backlogMs);
  };
  const watch = (socket: net.Socket, pair: Pair) => {
    socket.setNoDelay(true);
    socket.on('error', () => {}).on('close', () => end(pair));
  };
  const listener = net.createServer((client) => {
    const pair: Pair = { client, server: undefined };
    pairs.add(pair);
    watch(client, pair);
    if (!isCut) join(pair);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port, // it listens on TCP
    cut() {
      isCut = true;
      for (const { client, server } of pairs) {
        client.unpipe();
        server?.unpipe();
      }
    },
    heal(backlogMs = 0) {
      isCut = false;
      for (const pair of pairs) {
        if (pair.client.destroyed || pair.server?.destroyed) end(pair);
        else joinLate(pair, backlogMs);
      }
    },
    stop() {
      isCut = false;
      listener.close();
      for (const pair of pairs) end(pair);
    },
  };
}
