/** The version of an event that a change is based on. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { WriteTarget } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { formatInstanceId } from '../../lib/recurrence/event-instant.ts';
import type { EventVersion, GoogleEvents } from './events.ts';

type GoogleEvent = calendar_v3.Schema$Event;

export type CurrentEvent = EventVersion & {
  /** The event in that version, as Google sent it. */
  readonly event: GoogleEvent;
};

/** Returns the version that the caller saw. Fails as `not_found` if deleted, `precondition_failed` if changed. */
export async function currentEvent(target: WriteTarget, events: GoogleEvents): Promise<CurrentEvent> {
  const { href, etag, instance, override } = target;
  if (instance === undefined || override !== undefined)
    return readVersion(override ?? { href, etag }, target, events);
  const id = formatInstanceId(href, instance, 'UTC');
  const event = requirePresent(await events.get(id));
  // An unchanged occurrence seems to have its master's version, which no source confirms. If not, the series shows
  // whether it changed. It is read second, because the write is conditional on the occurrence's own version.
  if (etag !== undefined && event.etag !== etag) {
    const now = await events.series(href);
    const isChanged = now?.exceptions.some((exception) => exception.href === id) ?? true;
    if (isChanged || now?.master.etag !== etag)
      throw new ProviderError('precondition_failed', 'It was changed in the meantime');
  }
  return { id, etag: event.etag ?? undefined, event };
}

async function readVersion(
  { href, etag }: Pick<WriteTarget, 'href' | 'etag'>,
  { stored }: WriteTarget,
  events: GoogleEvents,
): Promise<CurrentEvent> {
  const storedEvent = stored.find((resource) => resource.href === href);
  // If an original was too large, only its digest is stored.
  const isKept = storedEvent?.etag === etag && storedEvent?.originalDigest === undefined;
  // `original` is the event as Google sent it.
  const event: GoogleEvent = requirePresent(isKept ? storedEvent?.original : await events.get(href));
  return { id: href, etag: etag ?? event.etag ?? undefined, event };
}

function requirePresent(event: GoogleEvent | undefined): GoogleEvent {
  if (event !== undefined && event.status !== 'cancelled') return event;
  throw new ProviderError('not_found', 'Google no longer has this event');
}
