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

/** Starts those of one owner who wait, by the host they wait for. */
type Waiting = { count: number; readonly byHost: Map<string, (() => void)[]> };

/** The turns of all syncs of a process. */
export class SyncTurns {
  readonly #most: MostSyncs;
  readonly #running = new Map<string, number>();
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(most = MOST_SYNCS) {
    this.#most = most;
  }

  /** Waits for the turn. Answers what ends it, to be called once; `undefined` where too many of the owner wait already. */
  async enter(place: SyncPlace): Promise<(() => void) | undefined> {
    if (this.#isFree(place)) this.#count(place, 1);
    else {
      const turn = this.#wait(place);
      if (turn === undefined) return undefined;
      await turn;
    }
    return () => this.#leave(place);
  }

  #wait({ owner, host }: SyncPlace): Promise<void> | undefined {
    const waiting = this.#waiting.get(owner) ?? { count: 0, byHost: new Map() };
    if (waiting.count >= this.#most.waiting) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = waiting.byHost.get(host) ?? [];
    queue.push(resolve);
    waiting.byHost.set(host, queue);
    waiting.count += 1;
    this.#waiting.set(owner, waiting);
    return promise;
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
      const queue = waiting.byHost.get(host) ?? [];
      const start = queue.shift();
      waiting.count -= 1;
      if (queue.length === 0) waiting.byHost.delete(host);
      this.#waiting.delete(owner);
      if (waiting.count > 0) this.#waiting.set(owner, waiting);
      this.#count({ owner, host }, 1);
      start?.();
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
