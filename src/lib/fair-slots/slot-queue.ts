/** Slots that applications share and wait for: in turns, by shares, and with a deadline for each wait. */
import { SlotCounts, type SlotLimits, type SlotPlace } from './slot-counts.ts';
import type { SlotListener } from './slot-listener.ts';
import { type TurnPlace, type Waiter, WaitingTurns } from './waiting-turns.ts';

export type QueueLimits = SlotLimits & {
  /** How many of an owner may wait at each host, and in all. 0 refuses everything that gets no slot at once. */
  readonly waitingAtHost?: number;
  readonly waiting?: number;
  /** Milliseconds after which a wait ends. Default: when its signal is aborted. */
  readonly waitMs?: number;
};

export type SlotWait = {
  /** Ends the wait when aborted. */
  readonly signal?: AbortSignal;
  /** Replaces the limit of how many of the owner may wait. */
  readonly waiting?: number;
};

type WaitingEntry = Waiter & { start(): void };

export class SlotQueue {
  readonly #work: string;
  readonly #limits: QueueLimits;
  readonly #listener: SlotListener | undefined;
  readonly #counts: SlotCounts;
  readonly #waiting = new SlotCounts({});
  readonly #turns: WaitingTurns<WaitingEntry>;

  /** `work` is the name in metrics and in the log. */
  constructor(work: string, limits: QueueLimits, listener?: SlotListener) {
    this.#work = work;
    this.#limits = limits;
    this.#listener = listener;
    this.#counts = new SlotCounts(limits);
    this.#turns = new WaitingTurns(this.#counts);
    listener?.opened(work, () => ({ held: this.#counts.heldBy({}), waiting: this.#turns.count }));
  }

  /** Waits for a slot; returns the function to free it once, or `undefined` if refused. Throws the signal's reason. */
  async enter(place: TurnPlace, wait: SlotWait = {}): Promise<(() => void) | undefined> {
    wait.signal?.throwIfAborted();
    const since = performance.now();
    let entered = this.#counts.isFree(place);
    if (entered) this.#take(place);
    else {
      this.#noteExhausted(place);
      entered = await this.#wait(place, wait);
    }
    if (entered) this.#listener?.waited(this.#work, (performance.now() - since) / 1000);
    else this.#listener?.refused(this.#work);
    return entered ? () => this.#leave(place) : undefined;
  }

  #take(place: TurnPlace): void {
    this.#counts.add(place);
    this.#turns.noteServed(place);
  }

  #leave(place: SlotPlace): void {
    const { host, owner } = place;
    const { slots = Number.POSITIVE_INFINITY, share = 1 } = this.#limits;
    // If fewer slots are held than one application may hold, nobody waits for the limit of all slots. Then the freed
    // slot can admit only waiters for this host, unless the owner was full everywhere.
    const isAtHost = this.#counts.heldBy({}) < Math.floor(slots * share) && !this.#counts.isFull({ owner });
    this.#counts.remove(place);
    for (const name of isAtHost ? [host] : [host, ...this.#turns.hosts]) this.#startAt(name);
  }

  /** Starts all waiters that may start. One freed slot can admit several, because it raises the shares of others. */
  #startAt(host: string): void {
    for (let next = this.#turns.takeNext(host); next !== undefined; next = this.#turns.takeNext(host)) {
      this.#counts.add(next.place);
      next.start();
    }
  }

  async #wait(place: TurnPlace, { signal, waiting = this.#limits.waiting }: SlotWait): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const waiter: WaitingEntry = {
      place,
      start: () => settle(() => resolve(true)),
      refuse: () => settle(() => resolve(false)),
    };
    const settle = (how: () => void) => {
      this.#waiting.remove(place);
      how();
    };
    const end = () => {
      if (!this.#turns.delete(waiter)) return;
      if (signal?.aborted) settle(() => reject(signal.reason));
      else waiter.refuse();
    };
    this.#waiting.add(place);
    this.#turns.add(waiter);
    if (this.#isCrowded(place, waiting)) this.#turns.refuseNewest(place);
    signal?.addEventListener('abort', end, { once: true });
    const { waitMs } = this.#limits;
    const timer = waitMs === undefined ? undefined : setTimeout(end, waitMs).unref();
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    });
  }

  #isCrowded({ owner, host }: SlotPlace, waiting = Number.POSITIVE_INFINITY): boolean {
    const { waitingAtHost = Number.POSITIVE_INFINITY } = this.#limits;
    return this.#waiting.heldBy({ owner }) > waiting || this.#waiting.heldBy({ owner, host }) > waitingAtHost;
  }

  /** Reports that the application holds its share or all slots are held. Limits of an owner are not reported. */
  #noteExhausted(place: SlotPlace): void {
    const { clientId, host } = place;
    const levels: Partial<SlotPlace>[] = [{}, { clientId }, { host }, { clientId, host }];
    if (clientId === '' || !levels.some((level) => this.#counts.isFull(level))) return;
    const held = this.#counts.heldBy({ clientId });
    this.#listener?.exhausted({
      work: this.#work,
      clientId,
      held,
      waiting: this.#waiting.heldBy({ clientId }),
    });
  }
}
