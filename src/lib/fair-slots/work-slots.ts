/** Slots for work that waits in a database: a worker reads what is due and picks from it. */
import { SlotCounts, type SlotLimits, type SlotPlace } from './slot-counts.ts';
import type { SlotListener } from './slot-listener.ts';
import { type Waiter, WaitingTurns } from './waiting-turns.ts';

type WorkSlotsOptions = { readonly shared?: SlotCounts; readonly listener?: SlotListener | undefined };

export class WorkSlots extends SlotCounts {
  readonly #work: string;
  readonly #listener: SlotListener | undefined;
  readonly #turns = new WaitingTurns<Waiter & { start(): void }>(this);
  /** The due work that got no slot at the last pick. */
  #waiting = 0;

  /** `work` is the name in metrics and in the log; `shared` is as in SlotCounts. */
  constructor(work: string, limits: SlotLimits, { shared, listener }: WorkSlotsOptions = {}) {
    super(limits, [], shared);
    this.#work = work;
    this.#listener = listener;
    listener?.opened(work, () => ({ held: this.heldBy({}), waiting: this.#waiting }));
  }

  /** Takes free slots in the order of turns; returns each place once per slot. Unserved places keep their order. */
  pick<Place extends SlotPlace & { readonly due: number }>(places: readonly Place[]): Place[] {
    const picked: Place[] = [];
    const left = new Map<string, number>();
    this.#waiting = 0;
    const wait = (place: Place): void => {
      let { due } = place;
      const start = () => {
        picked.push(place);
        due -= 1;
        if (due > 0) this.#turns.add(waiter);
      };
      const refuse = () => {
        this.#waiting += due;
        left.set(place.clientId, (left.get(place.clientId) ?? 0) + due);
      };
      const waiter = { place: { ...place, queue: '' }, start, refuse };
      this.#turns.add(waiter);
    };
    for (const place of places) if (place.due > 0) wait(place);
    for (let next = this.#turns.takeNext(); next !== undefined; next = this.#turns.takeNext()) {
      this.add(next.place);
      next.start();
    }
    for (let waiter = this.#turns.takeAny(); waiter !== undefined; waiter = this.#turns.takeAny())
      waiter.refuse();
    for (const [clientId, waiting] of left)
      this.#listener?.exhausted({ work: this.#work, clientId, held: this.heldBy({ clientId }), waiting });
    return picked;
  }
}
