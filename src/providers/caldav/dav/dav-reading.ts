/**
 * Reading what a server sent (docs/security.md T13): small answers here and now, larger ones in a thread, where a limit
 * of processor time and of memory ends what takes too much of either.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

import {
  ProviderError,
  type ProviderErrorDetail,
  type ProviderErrorKind,
  stoppedBySystem,
} from '../../../calendars/provider-error.ts';
import type { WorkPool } from '../../../lib/work-pool/work-pool.ts';
import { WorkStopped } from '../../../lib/work-pool/work-stopped.ts';
import type { DavBody } from './dav-body.ts';

/** One way to read an answer. */
export type DavTask<Input extends DavInput, Part> = {
  /** By which threads know it: see dav-tasks.ts. */
  readonly name: string;
  /**
   * Yields parts, each made and taken over within milliseconds. Input and parts are plain data. Fails with ProviderError
   * only, which may come after parts.
   */
  run(input: Input): Iterable<Part>;
};

export type DavInput = { readonly body: DavBody };

export interface DavReading {
  /**
   * Yields the parts of a task. Fails as the task does, as ReadingStopped if a part of it was over a limit, and as
   * stoppedBySystem says. The bytes of a large body are gone afterwards. The parts of a large body are in memory together,
   * and no thread is held while they are yielded.
   */
  parts<Input extends DavInput, Part>(task: DavTask<Input, Part>, input: Input): AsyncGenerator<Part, void>;
  /** Milliseconds of processor time that were taken so far for this reading, here and in threads. */
  spentMs(): number;
}

/** It takes too long, or too much memory, to read an answer. */
export class ReadingStopped extends ProviderError {
  /** A public sentence that goes on from "it". */
  readonly why: string;
  /** Whether it is the part that came next, and not all parts together. */
  readonly isOfPart: boolean;

  constructor(cause: WorkStopped, isOfPart: boolean) {
    const why = cause.reason === 'memory' ? 'it takes too much memory to read' : 'it takes too long to read';
    super('invalid_response', `The server’s answer cannot be read: ${why}`, { cause });
    this.why = why;
    this.isOfPart = isOfPart;
  }
}

/** `work`: where large answers are read, for `owner`; without it all are read at once. */
export type ReadingDeps = { readonly work: WorkPool | undefined; readonly owner: string };

/** Bytes of an answer that are read without a thread. */
const MOST_AT_ONCE = 16_000;
/** Milliseconds of processor time for one part: it has one heavy resource at most. */
const PART_MS = 2000;
/** For all parts of one answer, the last one aside: others wait for the thread. */
export const ANSWER_MS = 10_000;

/** What a thread yields for a task: its parts with the milliseconds they took, and at last what it failed of. */
export type ThreadPart = { readonly part: unknown; readonly ms: number } | { readonly failure: TaskFailure };

/** A ProviderError as plain data. */
export type TaskFailure = {
  readonly kind: ProviderErrorKind;
  readonly message: string;
  readonly detail: ProviderErrorDetail | undefined;
};

/** The reading of one session. */
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

  /** The parts as they are made, with turns of the event loop between: those are not counted. */
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

/** What a thread is given leaves this one. Bytes that are a part of more, as small buffers are, are copied for that. */
function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/** What this thread has taken since it began, in milliseconds. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** All parts of a task. */
export const partsOf = <Input extends DavInput, Part>(
  reading: DavReading,
  task: DavTask<Input, Part>,
  input: Input,
): Promise<Part[]> => Array.fromAsync(reading.parts(task, input));
