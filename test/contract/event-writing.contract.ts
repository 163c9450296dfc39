/**
 * Contract tests for EventWriting. Each provider's test calls them with its own `open`, which returns an account with
 * one empty, writable calendar in ZONE. After every write its result, applied to a mirror, must equal what a complete
 * sync finds.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { CalendarAccount } from '../../src/calendars/calendar-provider.ts';
import type { CalendarEvent, EventResource } from '../../src/calendars/event.ts';
import type { EventChange, EventDraft } from '../../src/calendars/event-writing.ts';
import { ProviderError, type ProviderErrorKind } from '../../src/calendars/provider-error.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { type Mirror, sync } from '../servers/mirror.ts';
import { COMPARED, FIELDS, fieldOf, pick } from './event-fields.ts';
import { copying, withoutLength } from './event-halves.contract.ts';
import {
  apply,
  assertMirrored,
  berlin,
  day,
  draftOf,
  masterTitled,
  occurrences,
  rule,
  targetAt,
} from './mirrored-writes.ts';

type WritingTarget = {
  readonly name: string;
  /** Options of `describe`: whether to skip it and why. */
  readonly options?: { readonly skip: string | false };
  open(): Promise<OpenWriting>;
  /** The values that this provider stores instead in fields that it changes or does not keep. */
  readonly differs?: Partial<Record<keyof CalendarEvent, unknown>>;
  /** Whether the provider refuses events without duration. */
  readonly refusesEmpty?: boolean;
};

export type OpenWriting = {
  readonly account: CalendarAccount;
  readonly calendarHref: string;
  close(): Promise<void>;
};

const failsAs = (kind: ProviderErrorKind) => (failure: unknown) =>
  failure instanceof ProviderError && failure.kind === kind;

let lastKey = 0;
const newKey = (): string => (++lastKey).toString(16).padStart(32, 'c0ffee');

const MEETING = draftOf({
  title: 'Meeting',
  start: berlin('2026-11-16T09:00:00'),
  end: berlin('2026-11-16T10:30:00'),
});
const WEEKLY = draftOf({
  ...MEETING,
  title: 'Weekly',
  // Over the end of summer time, on 25 October.
  start: berlin('2026-10-12T09:00:00'),
  end: berlin('2026-10-12T10:00:00'),
  recurrence: rule('FREQ=WEEKLY;COUNT=4'),
});

export function eventWritingContract(target: WritingTarget): void {
  describe(`EventWriting on ${target.name}`, target.options ?? {}, () => {
    let opened: OpenWriting;
    const mirror: Mirror = new Map();
    before(async () => {
      opened = await target.open();
      await sync(opened.account, opened.calendarHref, mirror);
    });
    after(() => opened?.close());

    /** Creates an event and returns the `href` of its master. */
    async function create(draft: EventDraft, key = newKey()): Promise<string> {
      const result = await opened.account.writing.create(opened.calendarHref, draft, key);
      apply(mirror, result);
      const [resource] = result.changed;
      assert.ok(resource);
      return resource.href;
    }
    async function update(href: string, change: EventChange, instance?: EventTime): Promise<void> {
      const { account, calendarHref } = opened;
      apply(mirror, await account.writing.update(calendarHref, targetAt(mirror, href, instance), change));
    }
    async function remove(href: string, instance?: EventTime): Promise<void> {
      const { account, calendarHref } = opened;
      apply(mirror, await account.writing.delete(calendarHref, targetAt(mirror, href, instance)));
    }
    const mirrored = () => assertMirrored(opened.account, opened.calendarHref, mirror);
    const masterAt = (href: string): CalendarEvent => {
      const event = mirror.get(href)?.events.find(({ recurrenceId }) => recurrenceId === undefined);
      assert.ok(event, `A master at ${href}`);
      return event;
    };
    const starts = (href: string) => occurrences(mirror, href).map(({ start }) => start);

    creating();
    updating();
    recurring();
    conflicting();
    const use = () => ({
      ...opened,
      writing: opened.account.writing,
      create: (draft: EventDraft) => create(draft),
      update,
      remove,
      keep: (changed: readonly EventResource[]) => apply(mirror, { changed, removed: [] }),
      targetOf: (href: string) => targetAt(mirror, href),
      masterAt,
      occurrencesOf: (href: string) => occurrences(mirror, href),
      mirrored,
    });
    copying(use, newKey);
    withoutLength(use, target.refusesEmpty === true);

    function creating(): void {
      it('an event is created as it was drafted, in its zone', async () => {
        const href = await create({ ...MEETING, title: 'Ünïcode, "quoted"; back\\slash\nand line' });

        const event = masterAt(href);
        assert.equal(event.title.replace(/\s+/g, ' '), 'Ünïcode, "quoted"; back\\slash and line');
        assert.deepEqual([event.start, event.end], [MEETING.start, MEETING.end]);
        await mirrored();
      });

      it('an all-day event is created as dates, its end exclusive', async () => {
        const href = await create(
          draftOf({ title: 'Fair', start: day('2026-11-15'), end: day('2026-11-17') }),
        );

        const { start, end } = masterAt(href);
        assert.deepEqual([start, end], [day('2026-11-15'), day('2026-11-17')]);
        await mirrored();
      });

      it('a creation that is repeated, at once or later, makes one event', async () => {
        const key = newKey();
        const before = mirror.size;
        const together = await Promise.all([
          opened.account.writing.create(opened.calendarHref, { ...MEETING, title: 'Once' }, key),
          opened.account.writing.create(opened.calendarHref, { ...MEETING, title: 'Once' }, key),
        ]);
        for (const result of together) apply(mirror, result);
        await create({ ...MEETING, title: 'Once' }, key);

        assert.equal(mirror.size, before + 1);
        await mirrored();
      });

      for (const [name, fields] of Object.entries(FIELDS))
        it(`an event is created with ${name}`, async () => {
          const href = await create({ ...MEETING, ...fields });

          for (const [field, value] of Object.entries(expected(fields)))
            assert.deepEqual(fieldOf(masterAt(href), field), value, field);
          await mirrored();
        });
    }

    function updating(): void {
      for (const [name, fields] of Object.entries(FIELDS))
        it(`a change of an event changes ${name} and nothing else`, async () => {
          const title = `Changed ${name}`;
          const all = { description: 'Kept', location: 'Here', custom: { kept: [1] } };
          const href = await create({ ...MEETING, ...all, title });
          const before = masterAt(href);

          await update(href, fields);

          const after = { ...before, ...expected(fields) };
          for (const field of COMPARED)
            assert.deepEqual(fieldOf(masterAt(href), field), fieldOf(after, field), field);
          await mirrored();
        });

      it('an event moves, and becomes an all-day one and back', async () => {
        const href = await create({ ...MEETING, title: 'Moving' });
        await update(href, { start: berlin('2026-11-17T14:00:00'), end: berlin('2026-11-17T15:00:00') });
        assert.deepEqual(masterAt(href).start, berlin('2026-11-17T14:00:00'));

        await update(href, { start: day('2026-11-18'), end: day('2026-11-19') });
        assert.deepEqual([masterAt(href).start, masterAt(href).end], [day('2026-11-18'), day('2026-11-19')]);

        await update(href, { start: berlin('2026-11-18T14:00:00'), end: berlin('2026-11-18T15:00:00') });
        assert.deepEqual(masterAt(href).end, berlin('2026-11-18T15:00:00'));
        await mirrored();
      });

      it('a change of an event to null takes the field away', async () => {
        const href = await create({ ...MEETING, title: 'Bare', description: 'Words', location: 'Somewhere' });

        await update(href, { description: null, location: null });

        const { description, location } = masterAt(href);
        assert.deepEqual([description, location], [undefined, undefined]);
        await mirrored();
      });

      it('a change of an event replaces the guests, and empties their list', async () => {
        const guests = (...emails: string[]) => emails.map((email) => ({ email, status: 'none' as const }));
        const emails = (href: string) =>
          masterAt(href)
            .attendees.filter(({ organizer }) => organizer !== true)
            .map(({ email }) => email)
            .sort();
        const attendees = guests('grace@example.com', 'alan@example.com');
        const href = await create({ ...MEETING, title: 'Guests', attendees });
        assert.deepEqual(emails(href), ['alan@example.com', 'grace@example.com']);

        await update(href, { attendees: guests('alan@example.com', 'edsger@example.com') });
        assert.deepEqual(emails(href), ['alan@example.com', 'edsger@example.com']);

        await update(href, { attendees: [] });
        assert.deepEqual(emails(href), []);
        await mirrored();
      });

      it('an event is deleted, and nothing wrong is found in one that is gone', async () => {
        const href = await create({ ...MEETING, title: 'Doomed' });
        const doomed = targetAt(mirror, href);

        await remove(href);
        const again = await opened.account.writing.delete(opened.calendarHref, doomed);

        assert.equal(mirror.has(href), false);
        assert.deepEqual(again.changed, []);
        assert.equal(await opened.account.writing.read(opened.calendarHref, href), undefined);
        await mirrored();
      });
    }

    function recurring(): void {
      it('a series keeps its time of day when the clocks change', async () => {
        const href = await create(WEEKLY);

        assert.deepEqual(starts(href), [
          '2026-10-12T09:00:00',
          '2026-10-19T09:00:00',
          '2026-10-26T09:00:00',
          '2026-11-02T09:00:00',
        ]);
        await mirrored();
      });

      it('an all-day series that ends with a date is created', async () => {
        const recurrence = rule('FREQ=DAILY;UNTIL=20261103');
        const href = await create(
          draftOf({ title: 'Days', start: day('2026-11-01'), end: day('2026-11-02'), recurrence }),
        );

        assert.deepEqual(starts(href), ['2026-11-01', '2026-11-02', '2026-11-03']);
        await mirrored();
      });

      it('one occurrence is changed alone, and again', async () => {
        const href = await create({ ...WEEKLY, title: 'One of four' });
        const second = berlin('2026-10-19T09:00:00');

        await update(href, { title: 'Special' }, second);
        await update(
          href,
          { start: berlin('2026-10-20T11:00:00'), end: berlin('2026-10-20T12:00:00') },
          second,
        );

        assert.deepEqual(occurrences(mirror, href).slice(0, 3), [
          { title: 'One of four', start: '2026-10-12T09:00:00', end: '2026-10-12T10:00:00' },
          { title: 'Special', start: '2026-10-20T11:00:00', end: '2026-10-20T12:00:00' },
          { title: 'One of four', start: '2026-10-26T09:00:00', end: '2026-10-26T10:00:00' },
        ]);
        await mirrored();
      });

      it('one occurrence is deleted alone, a changed one too', async () => {
        const href = await create({ ...WEEKLY, title: 'Fewer' });
        await update(href, { title: 'Changed first' }, berlin('2026-10-26T09:00:00'));

        await remove(href, berlin('2026-10-19T09:00:00'));
        await remove(href, berlin('2026-10-26T09:00:00'));

        assert.deepEqual(starts(href), ['2026-10-12T09:00:00', '2026-11-02T09:00:00']);
        await mirrored();
      });

      it('a day of an all-day series is deleted', async () => {
        const recurrence = rule('FREQ=DAILY;COUNT=3');
        const href = await create(
          draftOf({ title: 'Fewer days', start: day('2026-11-01'), end: day('2026-11-02'), recurrence }),
        );

        await remove(href, day('2026-11-02'));

        assert.deepEqual(starts(href), ['2026-11-01', '2026-11-03']);
        await mirrored();
      });

      it('words of the whole series change; an occurrence with words of its own keeps them', async () => {
        const href = await create({ ...WEEKLY, title: 'Old name' });
        await update(href, { title: 'Own name' }, berlin('2026-10-19T09:00:00'));

        await update(href, { title: 'New name' });

        assert.deepEqual(
          occurrences(mirror, href).map(({ title }) => title),
          ['New name', 'Own name', 'New name', 'New name'],
        );
        await mirrored();
      });

      it('a series ends earlier', async () => {
        const href = await create({ ...WEEKLY, title: 'Shorter' });

        await update(href, { recurrence: rule('FREQ=WEEKLY;UNTIL=20261019T070000Z') });

        assert.deepEqual(starts(href), ['2026-10-12T09:00:00', '2026-10-19T09:00:00']);
        await mirrored();
      });

      it('a whole series is deleted', async () => {
        const href = await create({ ...WEEKLY, title: 'All gone' });
        await update(href, { title: 'Gone as well' }, berlin('2026-10-19T09:00:00'));

        await remove(href);

        assert.deepEqual(occurrences(mirror, href), []);
        await mirrored();
      });
    }

    function conflicting(): void {
      it('a change of a version that is not the latest is refused, and changes nothing', async () => {
        const href = await create({ ...MEETING, title: 'Contended' });
        const stale = targetAt(mirror, href);
        await update(href, { title: 'Contended, first' });

        const late = opened.account.writing.update(opened.calendarHref, stale, { title: 'Second' });

        await assert.rejects(late, failsAs('precondition_failed'));
        assert.equal(masterTitled(mirror, 'Contended, first').href, href);
        await mirrored();
      });

      it('deleting a version that is not the latest is refused', async () => {
        const href = await create({ ...MEETING, title: 'Kept' });
        const stale = targetAt(mirror, href);
        await update(href, { title: 'Kept, changed' });

        await assert.rejects(
          opened.account.writing.delete(opened.calendarHref, stale),
          failsAs('precondition_failed'),
        );
        await mirrored();
      });

      it('a change of a deleted event is reported as not_found', async () => {
        const href = await create({ ...MEETING, title: 'Vanished' });
        const gone = targetAt(mirror, href);
        await remove(href);

        await assert.rejects(
          opened.account.writing.update(opened.calendarHref, gone, { title: 'Nobody' }),
          failsAs('not_found'),
        );
      });

      it('the version is read that a refused change has to be merged with', async () => {
        const href = await create({ ...WEEKLY, title: 'Read' });
        await update(href, { title: 'Read now' }, berlin('2026-10-19T09:00:00'));

        const resources = await opened.account.writing.read(opened.calendarHref, href);

        const stored = targetAt(mirror, href).stored;
        assert.deepEqual(
          resources?.map((resource) => [resource.href, resource.etag]),
          stored.map((resource) => [resource.href, resource.etag]),
        );
      });
    }

    function expected(fields: EventChange): Record<string, unknown> {
      return { ...fields, ...pick(target.differs ?? {}, Object.keys(fields)) };
    }
  });
}
