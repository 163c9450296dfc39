/** Turns of reads that take much: a user has a few at once, others of that user wait, and all users take turns. */
import { ApiError } from '../http/refusal.ts';
import type { ReadingUser } from './event-reader.ts';

export interface Turns {
  /** Works when it is the user's turn. Throws 429 `too_many_reads` if too many of the user wait, or this one for too long. */
  run<T>(user: ReadingUser, work: (owner: string) => Promise<T>): Promise<T>;
}

export type TurnLimits = {
  /** At once, of one user and of all. */
  readonly ofUser: number;
  readonly ofAll: number;
  /** How many of one user may wait. */
  readonly waiting: number;
  /** What there are too many of. */
  readonly refusal: string;
};

/** Published clients give up after 30 seconds. */
const WAIT_MS = 20_000;

const HEAVY: TurnLimits = {
  ofUser: 2,
  ofAll: 8,
  waiting: 20,
  refusal: 'Large calendars of this user are being read already',
};
/** How long one is under way is up to who takes it: nobody else waits for that. */
const LARGE_ANSWERS: TurnLimits = {
  ofUser: 4,
  ofAll: Number.POSITIVE_INFINITY,
  waiting: 20,
  refusal: 'Large answers about this user are being sent already',
};
/** Each holds a connection, and looks at the database twice a second. */
const WAITS: TurnLimits = {
  ofUser: 5,
  ofAll: 500,
  waiting: 0,
  refusal: 'Too many requests wait for changes already: ask without wait',
};
const RETRY_SECONDS = 5;

type Queue = { running: number; readonly waiting: (() => void)[] };

/** Each holds some megabytes for a moment. However many wait, they hold nothing. */
const WHOLE: TurnLimits = { ...HEAVY, ofAll: 4, waiting: Number.POSITIVE_INFINITY };

/** Of reads of calendars that are not large, but not small either: they are read whole. */
export const wholeReads = (): Turns => readTurns(WHOLE);

/** Of reads of large calendars. */
export const heavyReads = (): Turns => readTurns(HEAVY);

/** Of answers that are sent in pieces. */
export const largeAnswers = (): Turns => readTurns(LARGE_ANSWERS);

/** Of requests that wait until something changes. */
export const waitsForChanges = (): Turns => readTurns(WAITS);

/** For one process: its memory and its threads are what such reads share. */
export function readTurns(limits: TurnLimits): Turns {
  /** In the order of their turns. */
  const queues = new Map<string, Queue>();
  let running = 0;

  /** The user whose turn it is: of those that wait, one that has the fewest reads under way. */
  const nextOwner = () => {
    let next: { readonly owner: string; readonly queue: Queue } | undefined;
    for (const [owner, queue] of queues) {
      if (queue.waiting.length === 0 || queue.running >= limits.ofUser) continue;
      if (next === undefined || queue.running < next.queue.running) next = { owner, queue };
    }
    return next;
  };
  /** Begins what may begin; a user that began one goes behind all others. */
  const beginNext = () => {
    for (let next = nextOwner(); next !== undefined && running < limits.ofAll; next = nextOwner()) {
      const { owner, queue } = next;
      queues.delete(owner);
      queues.set(owner, queue);
      queue.running += 1;
      running += 1;
      queue.waiting.shift()?.();
    }
  };

  return {
    async run({ clientId, userId }, work) {
      const owner = JSON.stringify([clientId, userId]);
      const queue = queues.get(owner) ?? { running: 0, waiting: [] };
      const isFree = queue.running < limits.ofUser && running < limits.ofAll;
      if (!isFree && queue.waiting.length >= limits.waiting) throw tooManyReads(limits);
      queues.set(owner, queue);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.waiting.splice(queue.waiting.indexOf(start), 1);
        if (queue.running === 0 && queue.waiting.length === 0) queues.delete(owner);
        reject(tooManyReads(limits));
      }, WAIT_MS).unref();
      queue.waiting.push(start);
      beginNext();
      await promise;
      try {
        return await work(owner);
      } finally {
        queue.running -= 1;
        running -= 1;
        if (queue.running === 0 && queue.waiting.length === 0) queues.delete(owner);
        beginNext();
      }
    },
  };
}

function tooManyReads({ ofUser, refusal }: TurnLimits): ApiError {
  const message = `${refusal}: ${ofUser} such reads go on at once; try again when one has been answered`;
  return new ApiError(429, 'too_many_reads', { message, headers: { 'retry-after': String(RETRY_SECONDS) } });
}
