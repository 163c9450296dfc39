/** Reads a feed to its end: an event that ends its thread is left out, and the others are read. */
import type { DavBody } from '../dav/dav-body.ts';
import { type DavReading, ReadingStopped } from '../dav/dav-reading.ts';
import { FEED, type FeedInput, type FeedPart, type FeedVersion, NOTHING } from './feed-task.ts';

/** The resources that are read in a thread before other work has it. */
const READ_TOGETHER = 5_000;

export type WholeFeed = Pick<FeedInput, 'digest' | 'known' | 'addresses'> & { readonly body: DavBody };

/** Yields all parts. Fails as the task does, and as ReadingStopped if the text as a whole takes too much. */
export async function* readFeed(feed: WholeFeed, reading: DavReading): AsyncGenerator<FeedPart> {
  let from: number | undefined = 0;
  let isCareful = false;
  while (from !== undefined) {
    let place: { readonly reached: number; readonly isNext?: FeedVersion | undefined } = { reached: from };
    let next: number | undefined;
    // The thread takes over the memory of its input, so it gets a copy.
    const body: DavBody = { ...feed.body, bytes: new Uint8Array(feed.body.bytes) };
    try {
      for await (const part of reading.parts(FEED, { ...feed, body, from, most: READ_TOGETHER, isCareful })) {
        if (part.reached !== undefined) place = { reached: part.reached, isNext: part.isNext };
        next = part.next;
        yield part;
      }
      from = next;
    } catch (failure) {
      if (!(failure instanceof ReadingStopped)) throw failure;
      const { reached, isNext } = place;
      if (!failure.isOfPart) {
        // The rest took too long as a whole. Continue where it stopped, if it made progress.
        if (reached === from) throw failure;
        from = reached;
      } else if (isNext !== undefined) {
        const { uid: eventId, ...version } = isNext;
        const left = {
          kind: 'too_complex',
          ...version,
          ...(eventId && { eventId }),
          reason: failure.why,
        } as const;
        yield { ...NOTHING, leftOut: [left] };
        from = reached + 1;
      } else if (isCareful) throw failure;
      else {
        from = reached;
        isCareful = true;
      }
    }
  }
}
