/** Shared by tests of writing at Google: drafts, and a calendar that they write to. */
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';

import type { GoogleSandboxOptions } from '../../../sandbox/google/google-sandbox.ts';
import type { CalendarEvent } from '../../../src/calendars/event.ts';
import type { EventChange, EventDraft } from '../../../src/calendars/event-writing.ts';
import { UnsupportedByProvider, type UnsupportedReason } from '../../../src/calendars/provider-error.ts';
import type { EventTime } from '../../../src/lib/recurrence/event-time.ts';
import { apply, berlin, draftOf, rule, targetAt } from '../../contract/mirrored-writes.ts';
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

/** One Google for all the file's tests, unless a test uses another. */
export function shareGoogle(): GoogleWriteSite {
  const site = new GoogleWriteSite();
  let shared: GoogleWriting;
  before(async () => {
    shared = await openGoogleWriting();
  });
  after(() => shared?.close());
  beforeEach(() => {
    site.use(shared);
    shared.faults.clear();
    shared.sent.length = 0;
  });
  return site;
}

/** Where a test writes: a calendar at Google, and what was written to it. Tests of a file share one. */
class GoogleWriteSite {
  calendarHref = '';
  /** The calendar as the caller of the writes has stored it. */
  mirror: Mirror = new Map();
  #google: GoogleWriting | undefined;

  get google(): GoogleWriting {
    assert.ok(this.#google, 'A Google is open');
    return this.#google;
  }
  use(google: GoogleWriting): void {
    this.#google = google;
    this.calendarHref = google.calendarHref;
    this.mirror = new Map();
  }
  readonly writing = () => this.google.account.writing;

  /** Runs the test at another Google, opened with these options. */
  readonly withGoogle = async (options: GoogleSandboxOptions, test: () => Promise<void>): Promise<void> => {
    const google = await openGoogleWriting(options);
    this.use(google);
    try {
      await test();
    } finally {
      await google.close();
    }
  };
  readonly create = async (draft: EventDraft, key = newKey()): Promise<string> => {
    const result = await this.writing().create(this.calendarHref, draft, key);
    apply(this.mirror, result);
    return result.changed[0]?.href ?? '';
  };
  readonly update = async (href: string, change: EventChange, instance?: EventTime): Promise<void> => {
    const target = targetAt(this.mirror, href, instance);
    apply(this.mirror, await this.writing().update(this.calendarHref, target, change));
  };
  /** Updates the mirror with what people changed at Google. */
  readonly reread = async (href: string): Promise<void> => {
    for (const resource of (await this.writing().read(this.calendarHref, href)) ?? [])
      this.mirror.set(resource.href, resource);
  };
  readonly eventAt = (href: string): CalendarEvent => {
    const event = this.mirror.get(href)?.events[0];
    assert.ok(event, `An event at ${href}`);
    return event;
  };
  readonly pathOf = (id: string) => `/calendars/${encodeURIComponent(this.calendarHref)}/events/${id}`;
  readonly eventAtGoogle = async (id: string) => (await this.google.call('GET', this.pathOf(id))).body;
}
