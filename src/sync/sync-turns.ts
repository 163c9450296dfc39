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

type Waiting = { readonly place: SyncPlace; readonly start: () => void };

/** The turns of all syncs of a process. */
export class SyncTurns {
  readonly #most: MostSyncs;
  readonly #running = new Map<string, number>();
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(most = MOST_SYNCS) {
    this.#most = most;
  }

  /** Waits for the turn. Answers what ends it, to be called once; `undefined` where too many of the owner wait already. */
  async enter(place: SyncPlace): Promise<(() => void) | undefined> {
    if (this.#isFree(place)) this.#count(place, 1);
    else {
      const others = this.#waiting.get(place.owner) ?? [];
      if (others.length >= this.#most.waiting) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      others.push({ place, start: resolve });
      this.#waiting.set(place.owner, others);
      await promise;
    }
    return () => this.#leave(place);
  }

  #leave(place: SyncPlace): void {
    this.#count(place, -1);
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) next.start();
  }

  /** The first that may run, of the owner whose turn it is; that owner's others go behind everybody else's. */
  #takeNext(): Waiting | undefined {
    for (const [owner, queue] of this.#waiting) {
      if (this.#countOf(owner) >= this.#most.ofOwner) continue;
      const index = queue.findIndex(({ place }) => this.#isFree(place));
      const [next] = index < 0 ? [] : queue.splice(index, 1);
      if (next === undefined) continue;
      this.#waiting.delete(owner);
      if (queue.length > 0) this.#waiting.set(owner, queue);
      this.#count(next.place, 1);
      return next;
    }
    return undefined;
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
