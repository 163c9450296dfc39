/** The version of an event that a change is based on: what the caller saw, and what Google knows it by. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { WriteTarget } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { instanceIdOf } from '../../lib/recurrence/event-instant.ts';
import type { EventVersion, GoogleEvents } from './events.ts';

type GoogleEvent = calendar_v3.Schema$Event;

export type CurrentEvent = EventVersion & {
  /** As Google answered it in that version. */
  readonly event: GoogleEvent;
};

/** What the caller saw. Fails as `not_found` when it is gone, as `precondition_failed` when it is another by now. */
export async function currentEvent(target: WriteTarget, events: GoogleEvents): Promise<CurrentEvent> {
  const { href, etag, instance, override } = target;
  if (instance === undefined || override !== undefined)
    return versionOf(override ?? { href, etag }, target, events);
  const id = instanceIdOf(href, instance, 'UTC');
  const event = presentEvent(await events.get(id));
  // An instance that nobody changed seems to have its master's version, which no source confirms. Where it has not, the
  // series tells whether it is changed: asked after the instance, whose own version the write is conditional on.
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
  // One that was too large is not kept.
  const isKept = storedEvent?.etag === etag && storedEvent?.originalDigest === undefined;
  // `original` is what Google answered of it.
  const event: GoogleEvent = presentEvent(isKept ? storedEvent?.original : await events.get(href));
  return { id: href, etag: etag ?? event.etag ?? undefined, event };
}

function presentEvent(event: GoogleEvent | undefined): GoogleEvent {
  if (event !== undefined && event.status !== 'cancelled') return event;
  throw new ProviderError('not_found', 'Google has no such event any more');
}
