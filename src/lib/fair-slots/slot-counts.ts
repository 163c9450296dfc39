/** Counts of the slots that applications share: who holds how many, and who may take another one. */

/** The application and owner of a slot, and the server it is for. An empty name has no limit of its own. */
export type SlotPlace = {
  readonly clientId: string;
  /** Part of the application, such as a user. Names are unique over all applications. */
  readonly owner: string;
  readonly host: string;
};

/** Limits of the slots that are held at once. A limit that is left out does not apply. */
export type SlotLimits = {
  /** In all. */
  readonly slots?: number;
  /** At one host. */
  readonly ofHost?: number;
  /**
   * The part of the slots left free by others that an application may hold, in all and at one host, from 0 to 1. It may
   * always hold one. Default 1.
   */
  readonly share?: number;
  readonly ofOwner?: number;
  readonly ofOwnerAtHost?: number;
  /** A function returns the limit that holds now for the application at the host. */
  readonly ofClientAtHost?: number | ((place: SlotPlace) => number);
};

const NOBODY: SlotPlace = { clientId: '', owner: '', host: '' };

export class SlotCounts {
  readonly #limits: SlotLimits;
  readonly #shared: SlotCounts | undefined;
  /** How many slots each level holds: all, an application, an owner, each of them at a host. */
  readonly #held = new Map<string, number>();

  /**
   * Makes counts in which each of the places holds a slot. Each slot counts in `shared` too, whose limits hold for several
   * kinds of work together.
   */
  constructor(limits: SlotLimits, held: readonly SlotPlace[] = [], shared?: SlotCounts) {
    this.#limits = limits;
    this.#shared = shared;
    for (const place of held) this.add(place);
  }

  add(place: SlotPlace): void {
    this.#shared?.add(place);
    for (const key of levelsOf(place).map(keyOf)) this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
  }

  /** Takes back one `add` of the same place. */
  remove(place: SlotPlace): void {
    this.#shared?.remove(place);
    for (const key of levelsOf(place).map(keyOf)) {
      const left = (this.#held.get(key) ?? 0) - 1;
      if (left > 0) this.#held.set(key, left);
      else this.#held.delete(key);
    }
  }

  /** Returns how many slots the named have together: all slots if nobody is named. */
  heldBy(names: Partial<SlotPlace>): number {
    return this.#held.get(keyOf({ ...NOBODY, ...names })) ?? 0;
  }

  isFree(place: SlotPlace): boolean {
    return levelsOf(place).every((level) => !this.isFull(level)) && this.#shared?.isFree(place) !== false;
  }

  /** Whether the named may take no further slot. Levels that they belong to, such as all slots, do not count. */
  isFull(names: Partial<SlotPlace>): boolean {
    const level = { ...NOBODY, ...names };
    return this.heldBy(level) >= this.#mostOf(level);
  }

  /** Returns what is full. A place that has all the names of one of these gets no slot. */
  full(): SlotPlace[] {
    const full = [...this.#held.keys()].map(levelOf).filter((level) => this.isFull(level));
    return this.#shared === undefined ? full : [...full, ...this.#shared.full()];
  }

  #mostOf(level: SlotPlace): number {
    const { clientId, owner, host } = level;
    const { slots, ofHost, ofOwner, ofOwnerAtHost, ofClientAtHost, share = 1 } = this.#limits;
    const unlimited = Number.POSITIVE_INFINITY;
    if (owner !== '') return (host === '' ? ofOwner : ofOwnerAtHost) ?? unlimited;
    const inAll = (host === '' ? slots : ofHost) ?? unlimited;
    if (clientId === '') return inAll;
    const heldByOthers = this.heldBy({ host }) - this.heldBy(level);
    const most = Math.max(1, Math.floor(share * (inAll - heldByOthers)));
    if (host === '' || ofClientAtHost === undefined) return most;
    return Math.min(most, typeof ofClientAtHost === 'number' ? ofClientAtHost : ofClientAtHost(level));
  }
}

/** An owner belongs to one application, so that its name stands for both. */
function levelsOf({ clientId, owner, host }: SlotPlace): SlotPlace[] {
  const levels = [NOBODY];
  if (clientId !== '') levels.push({ clientId, owner: '', host: '' });
  if (owner !== '') levels.push({ clientId: '', owner, host: '' });
  if (host === '') return levels;
  levels.push({ clientId: '', owner: '', host });
  if (clientId !== '') levels.push({ clientId, owner: '', host });
  if (owner !== '') levels.push({ clientId: '', owner, host });
  return levels;
}

/** No name contains it: PostgreSQL stores no text with it. */
const BETWEEN = '\0';

const keyOf = ({ clientId, owner, host }: SlotPlace): string =>
  `${clientId}${BETWEEN}${owner}${BETWEEN}${host}`;

function levelOf(key: string): SlotPlace {
  const [clientId = '', owner = '', host = ''] = key.split(BETWEEN);
  return { clientId, owner, host };
}
