/** Mails that Google and Microsoft send to attendees for an organizer. They go nowhere: what was sent is kept. */
import type { ShownMessage } from './sent-messages.page.ts';

/** A write of an organizer, with the addresses of the attendees before and after it. */
export type AnnouncedWrite = Pick<
  ShownMessage,
  'provider' | 'at' | 'title' | 'from' | 'uid' | 'occurrence'
> & {
  readonly before: readonly string[];
  /** Empty if the event was deleted. */
  readonly after: readonly string[];
};

/** Returns one message to each attendee but the organizer: a REQUEST, or a CANCEL to those that were removed. */
export function messagesOf({ before, after, ...message }: AnnouncedWrite): ShownMessage[] {
  const invited = new Set(after);
  const removed = before.filter((address) => !invited.has(address));
  const to = (method: 'REQUEST' | 'CANCEL', addresses: Iterable<string>): ShownMessage[] =>
    [...addresses]
      .filter((address) => address !== message.from)
      .map((address) => ({ ...message, method, to: address, by: 'mail' }));
  return [...to('REQUEST', invited), ...to('CANCEL', new Set(removed))];
}
