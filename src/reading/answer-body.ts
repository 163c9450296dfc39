/** Answers of any size: small ones whole, large ones in pieces that are made when the caller takes them. */
import { Readable } from 'node:stream';

import type { EventPage, NamedEvent } from './named-events.ts';

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

/** `size` is about how many bytes the pieces are together. */
export async function answerBody(pieces: AsyncIterable<string>, size: number): Promise<AnswerBody> {
  if (size > LARGEST_WHOLE) return Readable.from(encoded(pieces), { objectMode: false });
  const whole: string[] = [];
  for await (const piece of pieces) whole.push(piece);
  return Buffer.from(whole.join(''));
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Buffer, void> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
