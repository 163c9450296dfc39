/**
 * Orders waiters for a host's slots: first the application that holds the fewest there, then its owner with the fewest;
 * among equals, the one served longest ago. A search visits only owners that hold a slot or were served last.
 */
import type { SlotCounts, SlotPlace } from './slot-counts.ts';

/** A place with further names below the owner, for turns only, such as the networks of an address. */
export type TurnPlace = SlotPlace & {
  readonly turns?: readonly string[];
  /** The queue in which it waits. Default: that of its host. */
  readonly queue?: string;
};

export type Waiter = {
  readonly place: TurnPlace;
  /** Ends the wait without a slot. */
  refuse(): void;
};

/** The waiters of a name, either below further names or its own. Only the root can be empty. */
type Level<W> = {
  count: number;
  readonly below: Map<string, Level<W>>;
  readonly waiters: Set<W>;
  /** Its name and those above it. */
  readonly path: readonly string[];
  readonly key: string;
  /** The application or the owner whose slots at the host are compared, if any. */
  readonly compared: Partial<SlotPlace> | undefined;
};

const newLevel = <W>(path: readonly string[]): Level<W> => ({
  count: 0,
  below: new Map(),
  waiters: new Set(),
  path,
  key: toQueueKey(path),
  compared: comparedNames(path),
});

/** Limits the remembered names. A forgotten name counts as served longest ago. */
const MOST_SERVED = 1_000;

export class WaitingTurns<W extends Waiter> {
  readonly #counts: SlotCounts;
  readonly #root = newLevel<W>([]);
  /** A growing number for the last time each name was served; oldest first. */
  readonly #served = new Map<string, number>();
  #services = 0;

  constructor(counts: SlotCounts) {
    this.#counts = counts;
  }

  get count(): number {
    return this.#root.count;
  }

  /** Returns the hosts for which anything waits. */
  get hosts(): string[] {
    return [...this.#root.below.keys()];
  }

  add(waiter: W): void {
    let level = this.#root;
    level.count += 1;
    for (const name of toQueuePath(waiter.place)) {
      const next = level.below.get(name) ?? newLevel([...level.path, name]);
      next.count += 1;
      level.below.set(name, next);
      level = next;
    }
    level.waiters.add(waiter);
  }

  /** Returns whether it was still waiting. */
  delete(waiter: W): boolean {
    const path = toQueuePath(waiter.place);
    if (this.#levelAt(path)?.waiters.delete(waiter) !== true) return false;
    let level = this.#root;
    level.count -= 1;
    for (const name of path) {
      const next = level.below.get(name);
      if (next === undefined) break;
      next.count -= 1;
      if (next.count === 0) level.below.delete(name);
      level = next;
    }
    return true;
  }

  /** Removes the next waiter that may take a slot at this host, and returns it; undefined if there is none. */
  takeNext(host = ''): W | undefined {
    const level = this.#root.below.get(host);
    if (level === undefined || this.#counts.isFull({}) || this.#counts.isFull({ host })) return undefined;
    const next = this.#nextBelow(level);
    if (next === undefined) return undefined;
    this.delete(next);
    this.noteServed(next.place);
    return next;
  }

  /** Moves the place behind all others that hold as many slots. */
  noteServed(place: TurnPlace): void {
    this.#services += 1;
    const [queue = '', ...names] = toQueuePath(place);
    let key = queue;
    for (const name of names) {
      key = toQueueKey([key, name]);
      this.#served.delete(key);
      this.#served.set(key, this.#services);
    }
    for (const key of this.#served.keys()) {
      if (this.#served.size <= MOST_SERVED) break;
      this.#served.delete(key);
    }
  }

  /** Refuses the owner's newest waiter at this host, from the network with the most waiters. */
  refuseNewest({ host, clientId, owner }: SlotPlace): void {
    let level = this.#levelAt([host, clientId, owner]);
    while (level !== undefined && level.below.size > 0)
      level = [...level.below.values()].reduce((most, one) => (one.count >= most.count ? one : most));
    const newest = [...(level?.waiters ?? [])].at(-1);
    if (newest === undefined) return;
    this.delete(newest);
    newest.refuse();
  }

  takeAny(): W | undefined {
    let level: Level<W> | undefined = this.#root;
    while (level !== undefined && level.below.size > 0) [level] = level.below.values();
    const [any] = level?.waiters ?? [];
    if (any !== undefined) this.delete(any);
    return any;
  }

  #levelAt(path: readonly string[]): Level<W> | undefined {
    let level: Level<W> | undefined = this.#root;
    for (const name of path) level = level?.below.get(name);
    return level;
  }

  #nextBelow(level: Level<W>): W | undefined {
    const counts = this.#counts;
    const [first] = level.waiters;
    if (first !== undefined) return counts.isFree(first.place) ? first : undefined;
    let best: { readonly held: number; readonly served: number; readonly waiter: W } | undefined;
    for (const child of level.below.values()) {
      const { compared, key } = child;
      const isFull =
        compared !== undefined && (counts.isFull(compared) || counts.isFull({ ...compared, host: '' }));
      const held = compared === undefined ? 0 : counts.heldBy(compared);
      const served = this.#served.get(key) ?? 0;
      const isBehind = best !== undefined && (held - best.held || served - best.served) >= 0;
      const waiter = isFull || isBehind ? undefined : this.#nextBelow(child);
      if (waiter === undefined) continue;
      best = { held, served, waiter };
      if (held === 0 && served === 0) break;
    }
    return best?.waiter;
  }
}

const toQueuePath = ({ clientId, owner, host, turns = [], queue = host }: TurnPlace): readonly string[] => [
  queue,
  clientId,
  owner,
  ...turns,
];

/** Returns the application or owner whose slots at the host are compared at this depth, or `undefined`. */
function comparedNames([host = '', clientId = '', owner = '', ...turns]: readonly string[]) {
  if (turns.length > 0 || (owner === '' && clientId === '')) return undefined;
  return owner === '' ? { host, clientId } : { host, owner };
}

const toQueueKey = (path: readonly string[]): string => path.join('\0');
