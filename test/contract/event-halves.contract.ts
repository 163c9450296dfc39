/** The part of event-writing.contract.ts that is of copying the later half of a series, and of events without length. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { CalendarEvent, EventResource } from '../../src/calendars/event.ts';
import type { EventDraft, EventWriting, LaterHalf, WriteTarget } from '../../src/calendars/event-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../../src/calendars/provider-error.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { berlin, draftOf, rule } from './mirrored-writes.ts';

/** The calendar that is written to, and the mirror of it. */
export type Work = {
  readonly writing: EventWriting;
  readonly calendarHref: string;
  create(draft: EventDraft): Promise<string>;
  update(href: string, change: Partial<EventDraft>, instance?: EventTime): Promise<void>;
  remove(href: string, instance?: EventTime): Promise<void>;
  /** Puts what a write answered into the mirror. */
  keep(resources: readonly EventResource[]): void;
  targetOf(href: string): WriteTarget;
  masterAt(href: string): CalendarEvent;
  occurrencesOf(href: string): readonly { readonly title: string; readonly start: string }[];
  mirrored(): Promise<void>;
};

const SECOND = berlin('2026-11-09T09:00:00');
const THIRD = berlin('2026-11-16T09:00:00');
const FOURTH = berlin('2026-11-23T09:00:00');
const FIFTH = berlin('2026-11-30T09:00:00');
/** Five Mondays, over no change of clocks. */
const WEEKLY = draftOf({
  title: 'Halved',
  start: berlin('2026-11-02T09:00:00'),
  end: berlin('2026-11-02T10:00:00'),
  recurrence: rule('FREQ=WEEKLY;COUNT=5'),
  description: 'Words of the series',
});

/** From the second Monday on, an hour later; the third has a title of its own, the fourth is cancelled. */
const laterHalf = (key: string): LaterHalf => {
  const cancelled = [berlin('2026-11-23T10:00:00')];
  return {
    key,
    at: SECOND,
    change: {
      start: berlin('2026-11-09T10:00:00'),
      end: berlin('2026-11-09T11:00:00'),
      recurrence: { rrules: ['FREQ=WEEKLY;COUNT=4'], rdates: [], exdates: cancelled },
      location: 'Roof',
    },
    exceptions: [{ recurrenceId: THIRD, instance: berlin('2026-11-16T10:00:00') }],
    cancelled,
  };
};

/** From the fifth Monday on: that one alone. */
const single = (key: string): LaterHalf => ({
  key,
  at: FIFTH,
  change: { start: FIFTH, end: berlin('2026-11-30T10:00:00'), recurrence: null, location: 'Roof' },
  exceptions: [],
  cancelled: [],
});

/** `newKey` answers another key each time. */
export function copying(use: () => Work, newKey: () => string): void {
  async function series(): Promise<string> {
    const href = await use().create(WEEKLY);
    await use().update(href, { title: 'Own' }, THIRD);
    await use().remove(href, FOURTH);
    return href;
  }

  it('the later half of a series is copied with its changed and deleted occurrences', async () => {
    const { writing, calendarHref, targetOf, keep, masterAt, occurrencesOf, mirrored } = use();
    const href = await series();
    const before = occurrencesOf(href);

    const made = await writing.copyLater(calendarHref, targetOf(href), laterHalf(newKey()));

    keep(made.changed);
    const copy = made.changed[0]?.href ?? '';
    assert.deepEqual(
      occurrencesOf(copy).map(({ title, start }) => `${start} ${title}`),
      ['2026-11-09T10:00:00 Halved', '2026-11-16T10:00:00 Own', '2026-11-30T10:00:00 Halved'],
    );
    const { location, description, uid } = masterAt(copy);
    assert.deepEqual([location, description], ['Roof', 'Words of the series']);
    assert.notEqual(uid, masterAt(href).uid);
    assert.deepEqual(occurrencesOf(href), before, 'the old one is as it was');
    await mirrored();
  });

  it('copying the later half again makes no other series, and it is found by its key', async () => {
    const { writing, calendarHref, targetOf, keep, mirrored } = use();
    const href = await series();
    const key = newKey();
    assert.equal(await writing.findCreated(calendarHref, key), undefined);

    const made = await writing.copyLater(calendarHref, targetOf(href), laterHalf(key));
    const again = await writing.copyLater(calendarHref, targetOf(href), laterHalf(key));
    const found = await writing.findCreated(calendarHref, key);

    keep(again.changed);
    const hrefs = (resources: readonly EventResource[] = []) => resources.map((one) => one.href).sort();
    assert.deepEqual(hrefs(again.changed), hrefs(made.changed));
    assert.deepEqual(hrefs(found), hrefs(made.changed));
    assert.equal(found?.[0]?.href, made.changed[0]?.href);
    await mirrored();
  });

  it('a later half of one event is its changed occurrence, where it has one', async () => {
    const { writing, calendarHref, targetOf, keep, update, occurrencesOf, masterAt, mirrored } = use();
    const href = await series();
    const times = { start: berlin('2026-12-01T14:00:00'), end: berlin('2026-12-01T14:30:00') };
    await update(href, { title: 'Last', ...times }, FIFTH);
    const exceptions = [{ recurrenceId: FIFTH, instance: FIFTH, times }];
    const key = newKey();

    const made = await writing.copyLater(calendarHref, targetOf(href), { ...single(key), exceptions });
    const again = await writing.copyLater(calendarHref, targetOf(href), { ...single(key), exceptions });

    keep(again.changed);
    const copy = made.changed[0]?.href ?? '';
    assert.deepEqual([made.changed.length, again.changed.length, again.changed[0]?.href], [1, 1, copy]);
    assert.deepEqual(
      occurrencesOf(copy).map(({ title, start }) => `${start} ${title}`),
      ['2026-12-01T14:00:00 Last'],
    );
    const { location, description, recurrence } = masterAt(copy);
    assert.deepEqual([location, description, recurrence], ['Roof', 'Words of the series', undefined]);
    await mirrored();
  });

  it('a later half of one event that has no place for a changed occurrence is refused', async () => {
    const { writing, calendarHref, targetOf, mirrored } = use();
    const href = await series();
    const key = newKey();
    const exceptions = [{ recurrenceId: THIRD, instance: THIRD }];

    await assert.rejects(
      writing.copyLater(calendarHref, targetOf(href), { ...single(key), exceptions }),
      (failure) =>
        failure instanceof UnsupportedByProvider && failure.reason === 'mode_not_supported_by_provider',
    );

    assert.equal(await writing.findCreated(calendarHref, key), undefined);
    await mirrored();
  });

  it('the later half of a version that is not the latest is not copied', async () => {
    const { writing, calendarHref, targetOf, update, mirrored } = use();
    const href = await series();
    const stale = targetOf(href);
    await update(href, { title: 'Changed meanwhile' });

    await assert.rejects(
      writing.copyLater(calendarHref, stale, laterHalf(newKey())),
      (failure) => failure instanceof ProviderError && failure.kind === 'precondition_failed',
    );

    await mirrored();
  });

  it('what was created is found by its key', async () => {
    const { writing, calendarHref, keep } = use();
    const key = newKey();
    const { changed } = await writing.create(calendarHref, { ...WEEKLY, title: 'Found' }, key);
    keep(changed);

    const found = await writing.findCreated(calendarHref, key);

    assert.equal(found?.[0]?.href, changed[0]?.href);
    assert.equal(found?.[0]?.events[0]?.title, 'Found');
  });
}

/** `isRefused`: the provider keeps none, and says so. */
export function withoutLength(use: () => Work, isRefused: boolean): void {
  const at = berlin('2026-11-16T09:00:00');
  const empty = draftOf({ title: 'A moment', start: at, end: at });
  if (isRefused) {
    it('an event without length is refused', async () => {
      await assert.rejects(use().create(empty), UnsupportedByProvider);
      await use().mirrored();
    });
    return;
  }
  it('an event without length is created, and an event and an occurrence become one', async () => {
    const { create, update, masterAt, occurrencesOf, mirrored } = use();
    const href = await create(empty);
    assert.deepEqual([masterAt(href).start, masterAt(href).end], [at, at]);
    const later = berlin('2026-11-16T10:00:00');
    await update(href, { start: later, end: later });
    assert.deepEqual(masterAt(href).end, later);

    const weekly = await create({ ...WEEKLY, title: 'Moments' });
    await update(weekly, { start: SECOND, end: SECOND }, SECOND);
    await update(weekly, { end: WEEKLY.start });
    assert.equal(occurrencesOf(weekly).length, 5);
    assert.deepEqual(masterAt(weekly).end, WEEKLY.start);
    await mirrored();
  });
}
