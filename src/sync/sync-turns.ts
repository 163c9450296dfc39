/**
 * How many syncs run at once in this process, by whomever they are asked for. A user has a few of them, so that nobody's
 * reads wait for another user's slow servers; at one server users take turns.
 */

/** Whose sync it is, and at which server; empty where the provider's limits are its own. */
export type SyncPlace = { readonly owner: string; readonly host: string };

/** How many syncs run at once. */
export type MostSyncs = {
  readonly ofOwner: number;
  readonly ofOwnerAtHost: number;
  readonly ofHost: number;
  /** How many of an owner wait. */
  readonly waiting: number;
};

export const MOST_SYNCS: MostSyncs = { ofOwner: 6, ofOwnerAtHost: 4, ofHost: 32, waiting: 500 };
/** For how many milliseconds a sync waits for its turn. */
export const TURN_WAIT_MS = 5 * 60_000;

/** Starts the waiting syncs of one owner, by the host they wait for. */
type Waiting = { count: number; readonly byHost: Map<string, Set<() => void>> };

/** The turns of all syncs of a process. */
export class SyncTurns {
  readonly #most: MostSyncs;
  readonly #running = new Map<string, number>();
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(most = MOST_SYNCS) {
    this.#most = most;
  }

  /** Waits for the turn. Returns what ends it, to be called once; undefined if too many of the owner wait, or for too long. */
  async enter(place: SyncPlace): Promise<(() => void) | undefined> {
    if (this.#isFree(place)) this.#count(place, 1);
    else if (!(await this.#wait(place))) return undefined;
    return () => this.#leave(place);
  }

  async #wait({ owner, host }: SyncPlace): Promise<boolean> {
    const waiting = this.#waiting.get(owner) ?? { count: 0, byHost: new Map() };
    if (waiting.count >= this.#most.waiting) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const start = () => resolve(true);
    waiting.byHost.set(host, (waiting.byHost.get(host) ?? new Set()).add(start));
    waiting.count += 1;
    this.#waiting.set(owner, waiting);
    const timer = setTimeout(() => {
      forget(waiting, host, start);
      if (waiting.count === 0) this.#waiting.delete(owner);
      resolve(false);
    }, TURN_WAIT_MS).unref();
    return promise.finally(() => clearTimeout(timer));
  }

  #leave(place: SyncPlace): void {
    this.#count(place, -1);
    while (this.#startNext(place)) {
      // One that left may let two begin: another of its owner, and another at its server.
    }
  }

  /** Starts the first that may run now that one has left; its owner goes behind everybody else. */
  #startNext(left: SyncPlace): boolean {
    for (const [owner, waiting] of this.#waiting) {
      const hosts = owner === left.owner ? [...waiting.byHost.keys()] : [left.host];
      const host = hosts.find((name) => waiting.byHost.has(name) && this.#isFree({ owner, host: name }));
      if (host === undefined) continue;
      const [start] = waiting.byHost.get(host) ?? [];
      if (start === undefined) continue;
      forget(waiting, host, start);
      this.#waiting.delete(owner);
      if (waiting.count > 0) this.#waiting.set(owner, waiting);
      this.#count({ owner, host }, 1);
      start();
      return true;
    }
    return false;
  }

  #isFree({ owner, host }: SyncPlace): boolean {
    if (this.#countOf(owner) >= this.#most.ofOwner) return false;
    if (host === '') return true;
    const isFreeToOwner = this.#countOf(owner, host) < this.#most.ofOwnerAtHost;
    return isFreeToOwner && this.#countOf('', host) < this.#most.ofHost;
  }

  #countOf(owner: string, host = ''): number {
    return this.#running.get(nameOf(owner, host)) ?? 0;
  }

  #count({ owner, host }: SyncPlace, by: 1 | -1): void {
    for (const name of new Set([nameOf(owner, ''), nameOf(owner, host), nameOf('', host)])) {
      const count = (this.#running.get(name) ?? 0) + by;
      if (count > 0) this.#running.set(name, count);
      else this.#running.delete(name);
    }
  }
}

const nameOf = (owner: string, host: string): string => `${owner}\n${host}`;

function forget(waiting: Waiting, host: string, start: () => void): void {
  const queue = waiting.byHost.get(host);
  if (queue?.delete(start)) waiting.count -= 1;
  if (queue?.size === 0) waiting.byHost.delete(host);
}
