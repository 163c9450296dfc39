/** The version of an event that a change is based on: what the caller saw, and what Google knows it by. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { WriteTarget } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { instanceIdOf } from '../../lib/recurrence/event-instant.ts';
import type { EventVersion, GoogleEvents } from './events.ts';

type GoogleEvent = calendar_v3.Schema$Event;

export type CurrentEvent = EventVersion & {
  /** The event as Google sent it in that version. */
  readonly event: GoogleEvent;
};

/**
 * Returns the version that the caller saw. Fails as `not_found` if the event is deleted, as `precondition_failed` if it
 * has changed.
 */
export async function currentEvent(target: WriteTarget, events: GoogleEvents): Promise<CurrentEvent> {
  const { href, etag, instance, override } = target;
  if (instance === undefined || override !== undefined)
    return versionOf(override ?? { href, etag }, target, events);
  const id = instanceIdOf(href, instance, 'UTC');
  const event = presentEvent(await events.get(id));
  // An instance that nobody changed seems to have its master's version, which no source confirms. If it does not, the
  // series shows whether it is changed. It is read after the instance, on whose own version the write is conditional.
  if (etag !== undefined && event.etag !== etag) {
    const now = await events.series(href);
    const isChanged = now?.exceptions.some((exception) => exception.href === id) ?? true;
    if (isChanged || now?.master.etag !== etag)
      throw new ProviderError('precondition_failed', 'It was changed meanwhile');
  }
  return { id, etag: event.etag ?? undefined, event };
}

async function versionOf(
  { href, etag }: Pick<WriteTarget, 'href' | 'etag'>,
  { stored }: WriteTarget,
  events: GoogleEvents,
): Promise<CurrentEvent> {
  const storedEvent = stored.find((resource) => resource.href === href);
  // An event that was too large is not stored.
  const isKept = storedEvent?.etag === etag && storedEvent?.originalDigest === undefined;
  // `original` is the event as Google sent it.
  const event: GoogleEvent = presentEvent(isKept ? storedEvent?.original : await events.get(href));
  return { id: href, etag: etag ?? event.etag ?? undefined, event };
}

function presentEvent(event: GoogleEvent | undefined): GoogleEvent {
  if (event !== undefined && event.status !== 'cancelled') return event;
  throw new ProviderError('not_found', 'Google has no such event any more');
}
