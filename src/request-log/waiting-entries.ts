import { isRefusal, type NewRequestEntry } from './request-entry.ts';

/** Entries to be written. Beyond the limit, the oldest successes are dropped first, then the oldest errors. */
export class WaitingEntries {
  readonly #most: number;
  #refusals: NewRequestEntry[] = [];
  #successes: NewRequestEntry[] = [];
  #dropped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#refusals.length + this.#successes.length;
  }

  add(entry: NewRequestEntry): void {
    (isRefusal(entry) ? this.#refusals : this.#successes).push(entry);
    if (this.size <= this.#most) return;
    (this.#successes.length > 0 ? this.#successes : this.#refusals).shift();
    this.#dropped += 1;
  }

  /** Removes and returns the oldest entries, errors first. */
  take(count: number): NewRequestEntry[] {
    const refusals = this.#refusals.splice(0, count);
    return [...refusals, ...this.#successes.splice(0, count - refusals.length)];
  }

  /** Puts entries that could not be written before newer ones. */
  takeBack(entries: readonly NewRequestEntry[]): void {
    const [refusals, successes] = [this.#refusals, this.#successes];
    this.#refusals = [];
    this.#successes = [];
    for (const entry of [...entries, ...refusals, ...successes]) this.add(entry);
  }

  /** Returns the number of dropped entries since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
