/** Counts of the slots that applications share: who holds how many, and who may take another one. */

/** The application and owner of a slot, and the server it is for. An empty name has no limit of its own. */
export type SlotPlace = {
  readonly clientId: string;
  /** Part of the application, such as a user. Unique over all applications. */
  readonly owner: string;
  readonly host: string;
};

/** Limits of the slots that are held at once. A limit that is left out does not apply. */
export type SlotLimits = {
  readonly slots?: number;
  readonly ofHost?: number;
  /** The part (default 1) of slots left by others that an application may hold, in all and per host; at least one. */
  readonly share?: number;
  readonly ofOwner?: number;
  readonly ofOwnerAtHost?: number;
  /** A function returns the limit that holds now for the application at the host. */
  readonly ofClientAtHost?: number | ((place: SlotPlace) => number);
};

/** The slots held at one host, or in all. An empty name is not counted. */
type Held = {
  slots: number;
  readonly ofClients: Map<string, number>;
  readonly ofOwners: Map<string, number>;
};

export class SlotCounts {
  readonly #limits: SlotLimits;
  readonly #shared: SlotCounts | undefined;
  /** By host. The empty name is for all hosts together. */
  readonly #held = new Map<string, Held>();

  /** Counts a slot for each `held` place. Slots also count in `shared`, whose limits span kinds of work. */
  constructor(limits: SlotLimits, held: readonly SlotPlace[] = [], shared?: SlotCounts) {
    this.#limits = limits;
    this.#shared = shared;
    for (const place of held) this.add(place);
  }

  add(place: SlotPlace): void {
    this.#shared?.add(place);
    this.#change(place, 1);
  }

  /** Takes back one `add` of the same place. */
  remove(place: SlotPlace): void {
    this.#shared?.remove(place);
    this.#change(place, -1);
  }

  /** Returns the slots held at the host by the owner, or by the application if no owner is given, or by all. */
  heldBy({ clientId = '', owner = '', host = '' }: Partial<SlotPlace>): number {
    const held = this.#held.get(host);
    if (held === undefined) return 0;
    if (owner !== '') return held.ofOwners.get(owner) ?? 0;
    return clientId === '' ? held.slots : (held.ofClients.get(clientId) ?? 0);
  }

  isFree({ clientId, owner, host }: SlotPlace): boolean {
    const isFullAt = (host: string): boolean =>
      this.isFull({ host }) || this.isFull({ clientId, host }) || this.isFull({ owner, host });
    if (isFullAt('') || (host !== '' && isFullAt(host))) return false;
    return this.#shared?.isFree({ clientId, owner, host }) !== false;
  }

  /** Whether the named application, owner or host is at its limit. Higher levels, such as all slots, do not count. */
  isFull(names: Partial<SlotPlace>): boolean {
    return this.heldBy(names) >= this.#mostOf(names);
  }

  /** Returns everything at its limit. A place with all the names of one of these gets no slot. */
  full(): SlotPlace[] {
    const full: SlotPlace[] = [];
    for (const [host, { ofClients, ofOwners }] of this.#held) {
      const levels = [{ clientId: '', owner: '', host }];
      for (const clientId of ofClients.keys()) levels.push({ clientId, owner: '', host });
      for (const owner of ofOwners.keys()) levels.push({ clientId: '', owner, host });
      full.push(...levels.filter((level) => this.isFull(level)));
    }
    return this.#shared === undefined ? full : [...full, ...this.#shared.full()];
  }

  #change({ clientId, owner, host }: SlotPlace, by: 1 | -1): void {
    for (const name of host === '' ? [''] : ['', host]) {
      const held = this.#held.get(name) ?? { slots: 0, ofClients: new Map(), ofOwners: new Map() };
      held.slots += by;
      changeCount(held.ofClients, clientId, by);
      changeCount(held.ofOwners, owner, by);
      if (held.slots > 0) this.#held.set(name, held);
      else this.#held.delete(name);
    }
  }

  #mostOf({ clientId = '', owner = '', host = '' }: Partial<SlotPlace>): number {
    const { slots, ofHost, ofOwner, ofOwnerAtHost, ofClientAtHost, share = 1 } = this.#limits;
    const unlimited = Number.POSITIVE_INFINITY;
    if (owner !== '') return (host === '' ? ofOwner : ofOwnerAtHost) ?? unlimited;
    const inAll = (host === '' ? slots : ofHost) ?? unlimited;
    if (clientId === '') return inAll;
    const heldByOthers = this.heldBy({ host }) - this.heldBy({ clientId, host });
    const most = Math.max(1, Math.floor(share * (inAll - heldByOthers)));
    if (host === '' || ofClientAtHost === undefined) return most;
    const ofClient =
      typeof ofClientAtHost === 'number' ? ofClientAtHost : ofClientAtHost({ clientId, owner, host });
    return Math.min(most, ofClient);
  }
}

function changeCount(counts: Map<string, number>, name: string, by: 1 | -1): void {
  if (name === '') return;
  const count = (counts.get(name) ?? 0) + by;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
