/** What tests of writing at Google share: a calendar, what was written to it, and Google's own word for it. */
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';

import type { GoogleSandboxOptions } from '../../../sandbox/google/google-sandbox.ts';
import type { CalendarEvent } from '../../../src/calendars/event.ts';
import type { EventChange, EventDraft } from '../../../src/calendars/event-writing.ts';
import { UnsupportedByProvider, type UnsupportedReason } from '../../../src/calendars/provider-error.ts';
import type { EventTime } from '../../../src/lib/recurrence/event-time.ts';
import { apply, berlin, draftOf, rule, targetAt } from '../../contract/written-mirror.ts';
import type { Mirror } from '../../servers/mirror.ts';
import { type GoogleWriting, openGoogleWriting } from './google-writing.ts';

export const unsupported = (reason: UnsupportedReason, field?: string) => (failure: unknown) => {
  assert.ok(failure instanceof UnsupportedByProvider, String(failure));
  assert.deepEqual([failure.reason, failure.field], [reason, field]);
  return true;
};

let lastKey = 0;
export const newKey = (): string => (++lastKey).toString(16).padStart(32, 'ab');
export const MEETING = draftOf({
  title: 'Meeting',
  start: berlin('2026-11-16T09:00:00'),
  end: berlin('2026-11-16T10:00:00'),
});
export const WEEKLY: EventDraft = { ...MEETING, title: 'Weekly', recurrence: rule('FREQ=WEEKLY;COUNT=4') };
export const SECOND = berlin('2026-11-23T09:00:00');

export const FIELD = 'field_not_supported_by_provider';
export let open: GoogleWriting;
export let calendarHref: string;
export let mirror: Mirror;
export const writing = () => open.account.writing;

export function use(google: GoogleWriting): void {
  open = google;
  calendarHref = google.calendarHref;
  mirror = new Map();
}
export function inCalendar(href: string): void {
  calendarHref = href;
}
/** What people changed at Google, as the caller of a write would have read it. */
export async function reread(href: string): Promise<void> {
  for (const resource of (await writing().read(calendarHref, href)) ?? [])
    mirror.set(resource.href, resource);
}

/** One Google for all the file's tests, unless a test uses another. */
export function shareGoogle(): void {
  let shared: GoogleWriting;
  before(async () => {
    shared = await openGoogleWriting();
  });
  after(() => shared?.close());
  beforeEach(() => {
    use(shared);
    open.faults.clear();
    open.sent.length = 0;
  });
}
/** Runs the test at a Google of its own. */
export async function at(options: GoogleSandboxOptions, test: () => Promise<void>): Promise<void> {
  const own = await openGoogleWriting(options);
  use(own);
  try {
    await test();
  } finally {
    await own.close();
  }
}
export async function create(draft: EventDraft, key = newKey()): Promise<string> {
  const written = await writing().create(calendarHref, draft, key);
  apply(mirror, written);
  return written.changed[0]?.href ?? '';
}
export async function update(href: string, change: EventChange, instance?: EventTime): Promise<void> {
  apply(mirror, await writing().update(calendarHref, targetAt(mirror, href, instance), change));
}
export const eventAt = (href: string): CalendarEvent => {
  const event = mirror.get(href)?.events[0];
  assert.ok(event, `An event at ${href}`);
  return event;
};
export const pathOf = (id: string) => `/calendars/${encodeURIComponent(calendarHref)}/events/${id}`;
export const google = async (id: string) => (await open.call('GET', pathOf(id))).body;
