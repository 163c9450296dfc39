/**
 * A CalDAV server that is evil on purpose, in a process of its own: each of its users is one way to be evil
 * (test/servers/evil-shapes.ts). It listens on eight addresses of the loopback network, as eight hosts.
 */
import { startChild } from './child-server.ts';

/** The password of every user. */
export const EVIL_PASSWORD = 'evil';

export type EvilServer = {
  readonly origins: readonly string[];
  /** How many requests each user was sent so far. */
  requests(): Promise<Readonly<Record<string, number>>>;
  stop(): Promise<void>;
};

/** Starts it; the caller stops it. */
export async function startEvilServer(): Promise<EvilServer> {
  const child = await startChild<{ origins: string[] }>('servers/evil-process.ts');
  return {
    origins: child.ready.origins,
    async requests() {
      const { requests } = await child.ask<{ requests: Record<string, number> }>('requests');
      return requests;
    },
    stop: () => child.stop(),
  };
}
