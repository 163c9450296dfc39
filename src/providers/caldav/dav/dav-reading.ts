/** Parses responses (docs/security.md T13): small ones here, larger ones in a thread with limits of time and memory. */
import { setImmediate as nextTurn } from 'node:timers/promises';

import {
  ProviderError,
  type ProviderErrorDetail,
  type ProviderErrorKind,
} from '../../../calendars/provider-error.ts';
import { stoppedBySystem } from '../../../calendars/stopped-error.ts';
import type { WorkPool } from '../../../lib/work-pool/work-pool.ts';
import { WorkStopped } from '../../../lib/work-pool/work-stopped.ts';
import type { DavBody } from './dav-body.ts';

export type DavTask<Input extends DavInput, Part> = {
  /** Its name in threads: see dav-tasks.ts. */
  readonly name: string;
  /** Yields plain data in parts, each within milliseconds. Fails with ProviderError, possibly after parts. */
  run(input: Input): Iterable<Part>;
};

export type DavInput = { readonly body: DavBody };

export interface DavReading {
  /**
   * Yields the parts of a task. Fails as the task does, as ReadingStopped if a part is over a limit, and as
   * stoppedBySystem. The bytes of a large body are unusable afterwards, and its parts are in memory together.
   */
  parts<Input extends DavInput, Part>(task: DavTask<Input, Part>, input: Input): AsyncGenerator<Part, void>;
  /** Returns the milliseconds of processor time used so far, here and in threads. */
  spentMs(): number;
}

/** Reading a response takes too much time or memory. */
export class ReadingStopped extends ProviderError {
  /** A public phrase that follows "it". */
  readonly why: string;
  /** Whether the next part alone was over the limit, and not all parts together. */
  readonly isOfPart: boolean;

  constructor(cause: WorkStopped, isOfPart: boolean) {
    const why = cause.reason === 'memory' ? 'it takes too much memory to read' : 'it takes too long to read';
    super('invalid_response', `The server’s response cannot be read: ${why}`, { cause });
    this.why = why;
    this.isOfPart = isOfPart;
  }
}

/** `work`: the pool that parses large responses, for `owner`; without it all are parsed on this thread. */
export type ReadingDeps = { readonly work: WorkPool | undefined; readonly owner: string };

/** The maximum bytes of a response that is parsed without a thread. */
const MOST_AT_ONCE = 16_000;
/** Limits one part in milliseconds of processor time: it contains at most one heavy resource. */
const PART_MS = 2000;
/** Limits all parts of one response except the last one: others wait for the thread. */
export const ANSWER_MS = 10_000;

/** The output of a thread: parts with the milliseconds that they took, and at the end the failure, if any. */
export type ThreadPart = { readonly part: unknown; readonly ms: number } | { readonly failure: TaskFailure };

export type TaskFailure = {
  readonly kind: ProviderErrorKind;
  readonly message: string;
  readonly detail: ProviderErrorDetail | undefined;
};

export function davReading({ work, owner }: ReadingDeps): DavReading {
  let spent = 0;

  async function* inThread(pool: WorkPool, name: string, input: DavInput): AsyncGenerator<unknown, void> {
    const bytes = movable(input.body.bytes);
    const moved = { ...input, body: { ...input.body, bytes } };
    const task = { name, input: moved, owner, partMs: PART_MS, transfer: [bytes.buffer] };
    const { parts, stopped } = await pool.run<ThreadPart>(task);
    let ofAnswer = 0;
    for (const answer of parts) {
      if ('failure' in answer) {
        const { kind, message, detail } = answer.failure;
        throw new ProviderError(kind, message, detail && { detail });
      }
      spent += answer.ms;
      ofAnswer += answer.ms;
      if (ofAnswer > ANSWER_MS) throw new ReadingStopped(new WorkStopped('deadline'), false);
      yield answer.part;
    }
    if (stopped === undefined) return;
    const ofSystem = stoppedBySystem(stopped);
    if (ofSystem !== undefined) throw ofSystem;
    spent += PART_MS;
    throw new ReadingStopped(stopped, true);
  }

  /** Yields the parts as they are created, with uncounted turns of the event loop in between. */
  async function* here<Part>(parts: Iterable<Part>): AsyncGenerator<Part, void> {
    let before = processorMs();
    const count = () => {
      spent += processorMs() - before;
    };
    try {
      for (const part of parts) {
        count();
        yield part;
        await nextTurn();
        before = processorMs();
      }
    } catch (failure) {
      count();
      throw failure;
    }
    count();
  }

  return {
    async *parts<Input extends DavInput, Part>({ name, run }: DavTask<Input, Part>, input: Input) {
      if (work === undefined || input.body.bytes.byteLength <= MOST_AT_ONCE) yield* here(run(input));
      // The thread runs the task of this name.
      else yield* inThread(work, name, input) as AsyncGenerator<Part, void>;
    },
    spentMs: () => spent,
  };
}

/** Returns bytes that can be moved to a thread. Bytes that share a larger buffer, as small buffers do, are copied. */
function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/** Returns the processor time of this thread since it began, in milliseconds. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns all parts of a task. */
export const collectParts = <Input extends DavInput, Part>(
  reading: DavReading,
  task: DavTask<Input, Part>,
  input: Input,
): Promise<Part[]> => Array.fromAsync(reading.parts(task, input));
