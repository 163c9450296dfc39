/** Answers of any size: small ones whole, large ones in pieces that are made when the caller takes them. */
import { Readable } from 'node:stream';

import type { Piece } from '../lib/rendered-json.ts';
import type { ReadingUser } from './event-reader.ts';
import type { EventPage, NamedEvent } from './named-events.ts';
import type { Turns } from './read-turns.ts';

/** A large one is JSON in UTF-8 that is made while it is sent. */
export type AnswerBody = Buffer | Readable;

/** A page ends here whatever its number of events, but has one at least (docs/wire.md 1.7). */
export const LARGEST_PAGE = 8_000_000;
/** Up to here an answer is made at once. */
const LARGEST_WHOLE = 512_000;

/** The page up to LARGEST_PAGE, and about how many bytes it takes. Of a large one nothing is held that was read along. */
export function withinAnswer(page: EventPage): EventPage & { readonly size: number } {
  const { count, size } = fitting(page.events.map((event) => event.size));
  const events = page.events.slice(0, count);
  const held = size <= LARGEST_WHOLE ? events : events.map(withoutContent);
  return { ...page, events: held, more: page.more || count < page.events.length, size };
}

/** How many of these, one at least, are a page, and about how many bytes they take together. */
export function fitting(sizes: readonly number[]): { readonly count: number; readonly size: number } {
  let size = 0;
  for (const [count, one] of sizes.entries()) {
    if (count > 0 && size + one > LARGEST_PAGE) return { count, size };
    size += one;
  }
  return { count: sizes.length, size };
}

const withoutContent = ({ stored: _, ...event }: NamedEvent): NamedEvent => event;

/** Whose answer it is, and whose turns those of the user take that are sent in pieces. */
export type Receiver = { readonly user: ReadingUser; readonly sending: Turns };

/**
 * `size` is about how many bytes the pieces are together. Of a large answer one piece is held at a time, and the next is
 * asked for when the caller has taken it; it is under way until it is closed. Throws 429 as Turns does.
 */
export async function answerBody(
  pieces: readonly Piece<string>[],
  size: number,
  { user, sending }: Receiver,
): Promise<AnswerBody> {
  if (size > LARGEST_WHOLE) return inTurn(user, sending, () => Readable.from(chunksOf(pieces), AS_BYTES));
  const whole: string[] = [];
  for (const piece of pieces) whole.push(await piece());
  return Buffer.from(whole.join(''));
}

/** Waits for the user's turn, which ends when the stream is closed. */
function inTurn(user: ReadingUser, sending: Turns, begin: () => Readable): Promise<Readable> {
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  const untilClosed = () =>
    new Promise<void>((ended) => {
      const stream = begin();
      stream.once('close', ended);
      resolve(stream);
    });
  sending.run(user, untilClosed).catch(reject);
  return promise;
}

/** What is handed on at a time. */
const CHUNK_BYTES = 64_000;
const AS_BYTES = { objectMode: false, highWaterMark: CHUNK_BYTES };

async function* chunksOf(pieces: readonly Piece<string>[]): AsyncGenerator<Buffer, void> {
  // What a generator once had in hand it may hold while it waits: the text of a piece is left to another function.
  for (const piece of pieces) yield* chunks(await encoded(piece));
}

const encoded = async (piece: Piece<string>): Promise<Buffer> => Buffer.from(await piece());

/** Copies, so that one that waits to be sent does not keep its whole piece. */
function* chunks(bytes: Buffer): Generator<Buffer, void> {
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES)
    yield Buffer.from(bytes.subarray(from, from + CHUNK_BYTES));
}
