/**
 * Orders waiters for slots: first comes the application that holds the fewest, then its owner that holds the fewest; among
 * equals, the one that was served longest ago.
 */
import type { SlotCounts, SlotPlace } from './slot-counts.ts';

/** A place with further names below the owner, for turns only, such as the networks of an address. */
export type TurnPlace = SlotPlace & { readonly turns?: readonly string[] };

export type Waiter = {
  readonly place: TurnPlace;
  /** Ends the wait without a slot. */
  refuse(): void;
};

/** The waiters of a level, either in levels below it or its own. None is empty but the root. */
type Level<W> = { count: number; readonly below: Map<string, Level<W>>; readonly waiters: Set<W> };

const newLevel = <W>(): Level<W> => ({ count: 0, below: new Map(), waiters: new Set() });

/** How many names are remembered as served. One that was forgotten was served longer ago than all of these. */
const MOST_SERVED = 10_000;

export class WaitingTurns<W extends Waiter> {
  readonly #counts: SlotCounts;
  readonly #root = newLevel<W>();
  /** When each level was served, as a number that grows; the first was served longest ago. */
  readonly #served = new Map<string, number>();
  #lastServed = 0;

  /** The counts say who holds how many slots, and who may take another one. */
  constructor(counts: SlotCounts) {
    this.#counts = counts;
  }

  get count(): number {
    return this.#root.count;
  }

  /** Returns how many wait of an application; of one of its owners, and of that owner for one host, if these are given. */
  countOf(...path: [clientId: string, owner?: string, host?: string]): number {
    return this.#levelAt(path.filter((name) => name !== undefined))?.count ?? 0;
  }

  add(waiter: W): void {
    let level = this.#root;
    level.count += 1;
    for (const name of pathOf(waiter.place)) {
      const next = level.below.get(name) ?? newLevel();
      next.count += 1;
      level.below.set(name, next);
      level = next;
    }
    level.waiters.add(waiter);
  }

  /** Does nothing if it does not wait any more. */
  delete(waiter: W): void {
    const path = pathOf(waiter.place);
    if (this.#levelAt(path)?.waiters.delete(waiter) !== true) return;
    let level = this.#root;
    level.count -= 1;
    for (const name of path) {
      const next = level.below.get(name) ?? newLevel();
      next.count -= 1;
      if (next.count === 0) level.below.delete(name);
      level = next;
    }
  }

  /** Removes the next waiter that may take a slot, and returns it; undefined if there is none. */
  takeNext(): W | undefined {
    if (this.#counts.isFull({})) return undefined;
    const next = this.#nextOf(this.#root, []);
    if (next === undefined) return undefined;
    this.delete(next);
    this.noteServed(next.place);
    return next;
  }

  /** Lets all others that hold as many slots go first. */
  noteServed(place: TurnPlace): void {
    this.#lastServed += 1;
    const path = pathOf(place);
    for (let depth = 1; depth <= path.length; depth += 1) {
      const key = keyOf(path.slice(0, depth));
      this.#served.delete(key);
      this.#served.set(key, this.#lastServed);
    }
    for (const key of this.#served.keys()) {
      if (this.#served.size <= MOST_SERVED) break;
      this.#served.delete(key);
    }
  }

  /** Refuses the newest waiter of this owner: of the host, then of the network, from which the most wait. */
  refuseNewest({ clientId, owner }: SlotPlace): void {
    let level = this.#levelAt([clientId, owner]);
    while (level !== undefined && level.below.size > 0)
      level = [...level.below.values()].reduce((most, one) => (one.count > most.count ? one : most));
    const newest = [...(level?.waiters ?? [])].at(-1);
    if (newest === undefined) return;
    this.delete(newest);
    newest.refuse();
  }

  /** Removes any waiter, and returns it. */
  takeAny(): W | undefined {
    const any = firstOf(this.#root);
    if (any !== undefined) this.delete(any);
    return any;
  }

  #levelAt(path: readonly string[]): Level<W> | undefined {
    let level: Level<W> | undefined = this.#root;
    for (const name of path) level = level?.below.get(name);
    return level;
  }

  #nextOf(level: Level<W>, path: readonly string[]): W | undefined {
    const [first] = level.waiters;
    if (first !== undefined) return this.#counts.isFree(first.place) ? first : undefined;
    let best: { readonly held: number; readonly served: number; readonly waiter: W } | undefined;
    for (const [name, child] of level.below) {
      const childPath = [...path, name];
      const names = comparedNames(childPath);
      if (names !== undefined && this.#counts.isFull(names)) continue;
      const held = names === undefined ? 0 : this.#counts.heldBy(names);
      const served = this.#served.get(keyOf(childPath)) ?? 0;
      const isBehind = best !== undefined && (held - best.held || served - best.served) >= 0;
      const waiter = isBehind ? undefined : this.#nextOf(child, childPath);
      if (waiter === undefined) continue;
      best = { held, served, waiter };
      // Nobody can be before one that holds nothing and was not served.
      if (held === 0 && served === 0) break;
    }
    return best?.waiter;
  }
}

const pathOf = ({ clientId, owner, host, turns = [] }: TurnPlace): readonly string[] => [
  clientId,
  owner,
  host,
  ...turns,
];

/** The application or the owner whose slots are compared at this depth; undefined if only turns are. */
function comparedNames(path: readonly string[]): Partial<SlotPlace> | undefined {
  const [clientId = '', owner] = path;
  if (path.length === 1) return clientId === '' ? undefined : { clientId };
  return path.length === 2 && owner !== undefined && owner !== '' ? { owner } : undefined;
}

const keyOf = (path: readonly string[]): string => path.join('\0');

function firstOf<W>(level: Level<W>): W | undefined {
  const [waiter] = level.waiters;
  if (waiter !== undefined) return waiter;
  const [below] = level.below.values();
  return below === undefined ? undefined : firstOf(below);
}
