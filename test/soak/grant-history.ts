/** Random histories of one grant that a correct server could have had, and mutations that no correct server has. */
import type { Operation } from './linearizable.ts';

export type Random = () => number;

/** Returns pseudo-random numbers from 0 to 1 (Mulberry32), the same for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const CLIENTS = 3;
const STEP_MS = 10;
const LONGEST_MS = 25;
const WINDOW_MS = 60_000;

type Effect = () => Operation['output'];

/** A server that acts at single instants, and its clients. */
class Simulation {
  readonly history: Operation[] = [];
  readonly #random: Random;
  readonly #windowMs: number;
  readonly #freeAt = Array.from({ length: CLIENTS }, () => 0);
  /** Tokens and when a client learned them. */
  readonly #known: { readonly token: string; readonly at: number }[] = [];
  #late: Effect[] = [];
  #now = 100;
  #count = 0;
  #isReliable = false;
  #current: string | undefined;
  #previous: string | undefined;
  #isRevoked = false;

  constructor(random: Random) {
    this.#random = random;
    this.#windowMs = random() < 0.5 ? WINDOW_MS : 0;
  }

  exchange(): void {
    this.#run('exchange', undefined, () => {
      if (this.#current !== undefined) return { status: 400 };
      this.#current = this.#newToken();
      return { status: 200, token: this.#current };
    });
  }

  refresh(): void {
    const usable = this.#known.filter(({ at }) => at <= this.#now - LONGEST_MS);
    const back = this.#random() < 0.7 ? 1 : 1 + Math.floor(this.#random() * usable.length);
    const token = usable.at(-back)?.token;
    if (token === undefined) {
      this.read();
      return;
    }
    this.#run('refresh', token, () => {
      if (this.#isRevoked) return { status: 400 };
      if (token === this.#current) {
        this.#previous = token;
        this.#current = this.#newToken();
        return { status: 200, token: this.#current };
      }
      const isReplay = this.#windowMs > 0 && token === this.#previous;
      return isReplay && this.#current !== undefined
        ? { status: 200, token: this.#current }
        : { status: 400 };
    });
  }

  revoke(): void {
    this.#run('revoke', undefined, () => {
      this.#isRevoked = true;
      return { status: 200 };
    });
  }

  read(): void {
    this.#run('read', undefined, () => ({ status: this.#isRevoked ? 401 : 200 }));
  }

  /** Lets every response arrive before the next request. */
  settle(): void {
    this.#now += 2 * LONGEST_MS;
  }

  /** Runs the next requests without lost responses. */
  reliably(work: () => void): void {
    this.#isReliable = true;
    work();
    this.#isReliable = false;
  }

  #newToken(): string {
    this.#count += 1;
    return `token ${this.#count}`;
  }

  #run(operation: Operation['operation'], token: string | undefined, act: Effect): void {
    this.#now += STEP_MS;
    if (this.#random() < 0.5) for (const late of this.#late.splice(0)) late();
    const client = this.#freeAt.findIndex((at) => at < this.#now);
    if (client === -1) return;
    const start = Math.max(this.#now - this.#random() * LONGEST_MS, (this.#freeAt[client] ?? 0) + 0.001);
    const input = { ...(token === undefined ? {} : { token }), windowMs: this.#windowMs };
    const request = { client: `client ${client}`, object: 'code', operation, input, start };
    const luck = this.#isReliable ? 1 : this.#random();
    if (luck < 0.12) {
      if (luck < 0.04) act();
      else if (luck < 0.08) this.#late.push(act);
      this.#freeAt[client] = this.#now;
      this.history.push(request);
      return;
    }
    const output = act();
    const end = this.#now + this.#random() * LONGEST_MS;
    this.#freeAt[client] = end;
    if (output?.token !== undefined) this.#known.push({ token: output.token, at: end });
    this.history.push({ ...request, ...(output === undefined ? {} : { output }), end });
  }
}

/** Returns a possible history. It ends with a second exchange that was refused. */
export function possibleHistory(random: Random): readonly Operation[] {
  const simulation = new Simulation(random);
  simulation.reliably(() => simulation.exchange());
  simulation.settle();
  const length = 5 + Math.floor(random() * 30);
  for (let i = 0; i < length; i++) {
    const luck = random();
    if (luck < 0.03) simulation.revoke();
    else if (luck < 0.06) simulation.exchange();
    else if (luck < 0.3) simulation.read();
    else simulation.refresh();
  }
  simulation.settle();
  if (random() < 0.5) simulation.reliably(() => simulation.revoke());
  simulation.settle();
  simulation.reliably(() => simulation.read());
  simulation.settle();
  simulation.reliably(() => simulation.exchange());
  return simulation.history;
}

type Mutation = (history: readonly Operation[]) => readonly (readonly Operation[])[];

const replaced = (history: readonly Operation[], place: number, output: Operation['output']) =>
  history.with(place, { ...(history[place] as Operation), ...(output === undefined ? {} : { output }) }); // it exists

const succeeded = ({ output }: Operation) => output?.status === 200;
const foreign = { status: 200, token: 'a token of nobody' };
const places = (history: readonly Operation[], fits: (one: Operation) => boolean): number[] =>
  [...history.keys()].filter((place) => fits(history[place] as Operation)); // a key of the history

/** Each returns all histories with one change that no correct server causes. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'a code succeeds twice': (history) =>
    places(history, (one) => one.operation === 'exchange' && one.output?.status === 400).map((place) =>
      replaced(history, place, foreign),
    ),
  'a revoked grant is read': (history) =>
    places(history, ({ operation, output, start }) => {
      const isRevoked = history.some(
        (one) => one.operation === 'revoke' && succeeded(one) && (one.end ?? start) < start,
      );
      return operation === 'read' && output?.status === 401 && isRevoked;
    }).map((place) => replaced(history, place, { status: 200 })),
  'a living grant is refused': (history) =>
    history.some(({ operation }) => operation === 'revoke')
      ? []
      : places(history, (one) => one.operation === 'read' && succeeded(one)).map((place) =>
          replaced(history, place, { status: 401 }),
        ),
  'an acknowledged rotation is lost': (history) =>
    places(history, ({ operation, input, output, start }) => {
      const isRotated = history.some(
        (one) =>
          one.operation === 'refresh' &&
          succeeded(one) &&
          one.input.token === input.token &&
          (one.end ?? start) < start,
      );
      return operation === 'refresh' && output?.status === 400 && isRotated;
    }).map((place) => replaced(history, place, foreign)),
  'the origin of a token is missing': (history) =>
    places(history, (one) => {
      const { token } = one.output ?? {};
      const others = history.filter(({ output }) => token !== undefined && output?.token === token);
      const isUsed = history.some((later) => later.input.token === token && succeeded(later));
      return succeeded(one) && token !== undefined && others.length === 1 && isUsed;
    }).map((place) => history.toSpliced(place, 1)),
};
