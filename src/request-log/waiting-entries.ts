import { isRefusal, type NewRequestEntry } from './request-entry.ts';

/** Entries that wait to be written. When there are too many the oldest successes go first, then the oldest refusals. */
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

  /** The oldest of them, which wait no longer: refusals first. */
  take(count: number): NewRequestEntry[] {
    const refusals = this.#refusals.splice(0, count);
    return [...refusals, ...this.#successes.splice(0, count - refusals.length)];
  }

  /** Takes back what could not be written, before those that came meanwhile. */
  takeBack(entries: readonly NewRequestEntry[]): void {
    const [refusals, successes] = [this.#refusals, this.#successes];
    this.#refusals = [];
    this.#successes = [];
    for (const entry of [...entries, ...refusals, ...successes]) this.add(entry);
  }

  /** How many were dropped since this was asked last. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
