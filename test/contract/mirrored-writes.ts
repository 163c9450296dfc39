/** A calendar as event writing sees it: the mirror that the results of writes produce, compared with a sync. */
import assert from 'node:assert/strict';

import type { CalendarAccount } from '../../src/calendars/calendar-provider.ts';
import type { CalendarEvent, EventResource } from '../../src/calendars/event.ts';
import type {
  EventDraft,
  EventWriting,
  LaterHalf,
  WriteResult,
  WriteTarget,
} from '../../src/calendars/event-writing.ts';
import { toInstant, toOriginalStart } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { expand } from '../../src/lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../src/lib/recurrence/expand-rule.ts';
import type { SeriesOverride } from '../../src/lib/recurrence/series.ts';
import { type Mirror, sync } from '../servers/mirror.ts';

export const ZONE = 'Europe/Berlin';

export const berlin = (local: string): EventTime => ({ type: 'zoned', local, zone: ZONE });
export const day = (date: string): EventTime => ({ type: 'date', date });

/** Returns a draft without values for the fields that `fields` omits. */
export function draftOf(
  fields: Partial<EventDraft> & Pick<EventDraft, 'title' | 'start' | 'end'>,
): EventDraft {
  return {
    status: undefined,
    availability: undefined,
    privacy: undefined,
    attendees: undefined,
    autoConference: false,
    ...fields,
  };
}

export const rule = (text: string): CalendarEvent['recurrence'] & {} => ({
  rrules: [text],
  rdates: [],
  exdates: [],
});

/** Copies the later half of a series and invites its attendees, with invitations as the journal stores them. */
export async function copyAndInvite(
  { writing, calendarHref }: { readonly writing: EventWriting; readonly calendarHref: string },
  target: WriteTarget,
  later: LaterHalf,
): Promise<WriteResult> {
  const copied = await writing.copyLater(calendarHref, target, later);
  const href = copied.changed[0]?.href ?? '';
  if (copied.invitations === undefined) return copied;
  return writing.inviteLater(calendarHref, href, JSON.parse(JSON.stringify(copied.invitations)));
}

/** Applies the result of a write, as the real mirror does in one transaction. */
export function apply(mirror: Mirror, { changed, removed }: WriteResult): void {
  for (const href of removed) mirror.delete(href);
  for (const resource of changed) mirror.set(resource.href, resource);
}

/** Returns the resource of the single event or master with this title. */
export function masterTitled(mirror: Mirror, title: string): EventResource {
  const master = [...mirror.values()].find(({ events }) =>
    events.some((event) => event.title === title && event.recurrenceId === undefined),
  );
  assert.ok(master, `An event titled ${title}`);
  return master;
}

/** Returns the target of a write to the event or series at `href`. */
export function targetAt(mirror: Mirror, href: string, instance?: EventTime): WriteTarget {
  const master = mirror.get(href);
  assert.ok(master, `A resource at ${href}`);
  const apart = [...mirror.values()].filter(({ seriesId }) => seriesId === href);
  const override =
    instance &&
    apart.find(({ events }) =>
      events.some(
        ({ recurrenceId }) => recurrenceId !== undefined && keyOf(recurrenceId) === keyOf(instance),
      ),
    );
  return {
    href,
    etag: master.etag,
    stored: [master, ...apart],
    ...(instance && { instance }),
    ...(override && { override: { href: override.href, etag: override.etag } }),
  };
}

const keyOf = (time: EventTime): number => toInstant(time, ZONE);

type Occurrence = { readonly title: string; readonly start: string; readonly end: string };

/** Returns the occurrences of the series at `href` in 2026 and 2027, as local times of ZONE or as dates. */
export function occurrences(mirror: Mirror, href: string): Occurrence[] {
  const events = [...mirror.values()]
    .filter((resource) => resource.href === href || resource.seriesId === href)
    .flatMap((resource) => resource.events);
  const master = events.find(({ recurrenceId }) => recurrenceId === undefined);
  const overrides = events.flatMap((event): SeriesOverride<CalendarEvent>[] => {
    const { recurrenceId, start, end, thisAndFuture, status } = event;
    if (recurrenceId === undefined) return [];
    const named = master === undefined ? recurrenceId : toOriginalStart(master.start, recurrenceId, ZONE);
    return [
      { recurrenceId: named, start, end, thisAndFuture, cancelled: status === 'cancelled', payload: event },
    ];
  });
  const window = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2028, 0, 1) };
  const { instances } = expand(
    {
      overrides,
      ...(master && {
        master: { start: master.start, end: master.end, recurrence: master.recurrence, payload: master },
      }),
    },
    window,
    ZONE,
    recurrenceBudget(10_000, 10_000_000),
  );
  return instances.map(({ startsAt, endsAt, payload }) => {
    const text = (at: number) =>
      payload.start.type === 'date'
        ? new Date(at).toISOString().slice(0, 10)
        : Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(ZONE).toPlainDateTime().toString();
    return { title: payload.title, start: text(startsAt), end: text(endsAt) };
  });
}

/** Asserts that a new, complete sync finds the same resources and versions as the results of the writes. */
export async function assertMirrored(
  account: CalendarAccount,
  calendarHref: string,
  mirror: Mirror,
): Promise<void> {
  const listed: Mirror = new Map();
  await sync(account, calendarHref, listed);
  const plain = (resources: Mirror) =>
    [...resources.values()]
      .map(({ href, etag, events, seriesId }) => ({ href, etag, seriesId, events }))
      .sort((a, b) => (a.href < b.href ? -1 : 1));
  assert.deepEqual(plain(mirror), plain(listed));
}
