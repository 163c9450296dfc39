/** Calendars and their changes, from the sandbox's Microsoft into a mirror. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { DraftTime, EventDraft, OccurrenceId } from '../../../sandbox/core/provider-sandbox.ts';
import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { type Mirror, sync, titles } from '../../servers/mirror.ts';
import {
  ADA,
  type MicrosoftHarness,
  microsoftHarness,
  shownIn,
  type UsedAccount,
} from './microsoft-harness.ts';

const DAY = 86_400_000;
const BERLIN = 'Europe/Berlin';

const at = (dateTime: string, timeZone = BERLIN): DraftTime => ({ dateTime, timeZone });
const meeting = (title: string, day = '2026-11-25', more: Partial<EventDraft> = {}): EventDraft => ({
  title,
  start: at(`${day}T09:00:00`),
  end: at(`${day}T10:00:00`),
  ...more,
});
/** Wednesdays over the end of summer time. */
const weekly = (title: string): EventDraft =>
  meeting(title, '2026-10-14', { recurrence: { frequency: 'weekly', weekdays: ['WE'], count: 8 } });

describe("Microsoft's calendars", () => {
  let microsoft: MicrosoftHarness;
  let account: UsedAccount;
  let calendar: string;
  let mirror: Mirror;

  before(async () => {
    microsoft = await microsoftHarness();
  });
  beforeEach(async () => {
    microsoft.faults.clear();
    microsoft.clock.reset();
    account = microsoft.open(await microsoft.signIn());
    calendar = await microsoft.sandbox.manual.addCalendar(ADA.email, { title: 'Work', timeZone: BERLIN });
    mirror = new Map();
  });
  after(() => microsoft.close());

  const manual = () => microsoft.sandbox.manual;
  const create = (draft: EventDraft) => manual().createEvent(ADA.email, calendar, draft);
  const updateEvent = (event: EventDraft & { id: string }) =>
    manual().updateEvent(ADA.email, calendar, event);
  const changeOccurrence = (change: OccurrenceId & Partial<EventDraft>) =>
    manual().changeOccurrence(ADA.email, calendar, change);
  const deleteEvent = (id: string) => manual().deleteEvent(ADA.email, calendar, id);
  const deleteOccurrence = (id: OccurrenceId) => manual().deleteOccurrence(ADA.email, calendar, id);
  const window = { start: Date.UTC(2024, 0, 1), end: Date.UTC(2030, 0, 1) };
  async function assertEqualToOutlook(synced = mirror): Promise<void> {
    assert.deepEqual(shownIn(synced, window), await manual().instances(ADA.email, calendar, window));
  }

  it("Microsoft's calendars are listed over pages, with color and what may be done", async () => {
    const red = { title: 'Red', color: '#A1B2C3', timeZone: BERLIN };
    const holidays = { title: 'Holidays', timeZone: BERLIN, readOnly: true };
    const colored = await manual().addCalendar(ADA.email, red);
    const fixed = await manual().addCalendar(ADA.email, holidays);
    for (let more = 0; more < 100; more += 1)
      await manual().addCalendar(ADA.email, { title: `More ${more}`, timeZone: BERLIN });

    const calendars = await account.listCalendars();

    const calendarAt = (href: string) => calendars.find((candidate) => candidate.href === href);
    assert.deepEqual(
      [calendarAt(colored)?.color, calendarAt(colored)?.access, calendarAt(colored)?.timeZone],
      ['#a1b2c3', 'write', BERLIN],
    );
    assert.equal(calendarAt(fixed)?.access, 'read');
    assert.ok(calendarAt(calendar)?.title === 'Work' && calendars.length > 100);
    assert.equal(new Set(calendars.map(({ href }) => href)).size, calendars.length);
  });

  it("Microsoft's calendars are in UTC where the mailbox tells no zone, as personal ones and those without hours of work do", async () => {
    const personal = { email: 'ada@outlook.com', name: 'Ada' };
    await manual().addPerson(personal);
    await manual().addCalendar(personal.email, { title: 'Own', timeZone: BERLIN });
    const personalAccount = microsoft.open(await microsoft.signIn('read-write', personal.email));
    assert.deepEqual(
      (await personalAccount.listCalendars()).map(({ timeZone }) => timeZone),
      ['UTC'],
    );

    microsoft.fault({ kind: 'status', status: 403, reason: 'ErrorAccessDenied' }, 'getSchedule', 1);
    assert.equal((await account.listCalendars())[0]?.timeZone, 'UTC');
    microsoft.fault({ kind: 'status', status: 502 }, 'getSchedule', 1);
    await assert.rejects(account.listCalendars(), { kind: 'unavailable' });
  });

  it("Microsoft's calendars are filled with single events, all-day events and series", async () => {
    await create(meeting('Single', '2026-11-25', { description: 'Bring cake', location: 'Kitchen' }));
    await create(meeting('Old', '2012-02-29'));
    await create({ title: 'Trip', start: { date: '2026-12-01' }, end: { date: '2026-12-04' } });
    await create({
      title: 'Tokyo',
      start: at('2026-11-26T00:30:00', 'Asia/Tokyo'),
      end: at('2026-11-26T01:30:00', 'Asia/Tokyo'),
    });
    await create(weekly('Weekly'));

    await sync(account, calendar, mirror);

    assert.deepEqual(titles(mirror), ['Old', 'Single', 'Tokyo', 'Trip', 'Weekly']);
    await assertEqualToOutlook();
    const single = [...mirror.values()]
      .flatMap(({ events }) => events)
      .find(({ title }) => title === 'Single');
    assert.deepEqual([single?.description, single?.location], ['Bring cake', 'Kitchen']);
  });

  it("Microsoft's calendars are read again in full when the grant allows more or less of an event", async () => {
    const person = { email: 'growing@contoso.test', name: 'Growing' };
    await manual().addPerson(person);
    const href = await manual().addCalendar(person.email, { title: 'Own', timeZone: BERLIN });
    await manual().createEvent(
      person.email,
      href,
      meeting('Single', '2026-11-25', { description: 'Bring cake' }),
    );
    const basic = await microsoft.signIn('free-busy', person.email);
    const { next } = await sync(microsoft.open(basic), href, mirror);
    const description = () => [...mirror.values()][0]?.events[0]?.description ?? '';
    assert.equal(description(), '');

    const whole = microsoft.open(await microsoft.signIn('read', person.email));
    await assert.rejects(sync(whole, href, mirror, next), { kind: 'sync_token_expired' });
    const { next: after } = await sync(whole, href, mirror);

    assert.equal(description(), 'Bring cake');
    await assert.rejects(sync(microsoft.open(basic), href, mirror, after), { kind: 'sync_token_expired' });
  });

  it("Microsoft's calendars have series with moved and deleted occurrences, over a clock change", async () => {
    const series = await create(weekly('Weekly'));
    await changeOccurrence({
      id: series,
      original: at('2026-10-28T09:00:00'),
      title: 'Weekly, later',
      start: at('2026-10-28T15:00:00'),
      end: at('2026-10-28T16:00:00'),
    });
    await deleteOccurrence({ id: series, original: at('2026-11-04T09:00:00') });

    await sync(account, calendar, mirror);

    assert.equal(shownIn(mirror, window).length, 7);
    await assertEqualToOutlook();
    const [master] = [...mirror.values()].filter(({ seriesId }) => seriesId === undefined);
    const [moved] = [...mirror.values()].filter(({ seriesId }) => seriesId !== undefined);
    assert.equal(moved?.seriesId, master?.href);
    assert.notEqual(moved?.etag, master?.etag);
  });

  it("Microsoft's calendars have series in zones of their own making at the right instants", async () => {
    const custom = await create(meeting('Custom'));
    const series = await create({
      ...weekly('Custom series'),
      recurrence: { frequency: 'weekly', weekdays: ['WE'] },
    });
    const night = await create({
      title: 'Night shift',
      start: at('2026-10-05T21:00:00', 'America/New_York'),
      end: at('2026-10-06T05:00:00', 'America/New_York'),
      recurrence: { frequency: 'weekly', weekdays: ['MO', 'FR'], count: 60 },
    });
    const on = (day: string) => at(`${day}T09:00:00`);
    await deleteOccurrence({ id: series, original: on('2026-10-28') });
    await changeOccurrence({
      id: series,
      original: on('2026-11-04'),
      title: 'Renamed',
    });
    for (const event of [custom, series, night]) await manual().giveCustomZone(ADA.email, calendar, event);

    await sync(account, calendar, mirror);

    await assertEqualToOutlook();
  });

  it("Microsoft's calendars are followed by one request where nothing is new", async () => {
    await create(weekly('Weekly'));
    const { next } = await sync(account, calendar, mirror);
    const before = microsoft.sandbox.requests();

    const second = await sync(account, calendar, mirror, next);

    assert.equal(microsoft.sandbox.requests() - before, 1);
    assert.deepEqual([second.changed, second.removed], [[], []]);
  });

  it("Microsoft's calendars tell creations, changes and deletions once each", async () => {
    const first = await create(meeting('First'));
    const second = await create(meeting('Second'));
    const { next } = await sync(account, calendar, mirror);
    await updateEvent({ ...meeting('First changed'), id: first });
    await deleteEvent(second);
    await create(meeting('Third'));

    const { changed, removed, next: after } = await sync(account, calendar, mirror, next);
    const quiet = await sync(account, calendar, mirror, after);

    assert.deepEqual(titles(mirror), ['First changed', 'Third']);
    assert.deepEqual([changed.length, removed.length], [2, 1]);
    assert.deepEqual([quiet.changed, quiet.removed], [[], []]);
  });

  it("Microsoft's calendars follow a series through moves, deletions and its end", async () => {
    const series = await create(weekly('Weekly'));
    let { next } = await sync(account, calendar, mirror);
    const change = async (work: () => Promise<unknown>) => {
      await work();
      next = (await sync(account, calendar, mirror, next)).next;
      await assertEqualToOutlook();
    };
    const on = (day: string) => ({ id: series, original: at(`${day}T09:00:00`) });

    await change(() => changeOccurrence({ ...on('2026-10-21'), title: 'Renamed' }));
    await change(() =>
      changeOccurrence({
        ...on('2026-11-11'),
        start: at('2026-11-12T08:00:00', 'Europe/London'),
        end: at('2026-11-12T09:00:00', 'Europe/London'),
      }),
    );
    await change(() => deleteOccurrence(on('2026-10-28')));
    await change(() => deleteOccurrence(on('2026-10-21')));
    await change(() => updateEvent({ ...weekly('Weekly, renamed'), id: series }));
    await change(() => updateEvent({ ...meeting('Just once'), id: series }));
    await change(() => deleteEvent(series));
    assert.equal(mirror.size, 0);
  });

  it("Microsoft's calendars lose nothing to an event that leaves the window and comes back", async () => {
    const event = await create(meeting('Traveller'));
    let { next } = await sync(account, calendar, mirror);
    for (const day of ['2031-01-15', '2026-11-27']) {
      await updateEvent({ ...meeting('Traveller', day), id: event });
      next = (await sync(account, calendar, mirror, next)).next;

      const [resource] = mirror.values();
      const [{ start } = { start: undefined }] = resource?.events ?? [];
      assert.equal(start?.type === 'zoned' && start.local, `${day}T09:00:00`);
    }
  });

  it("Microsoft's calendars show within a day what changed outside of the window", async () => {
    const far = await create(meeting('Far', '2033-05-05'));
    const gone = await create(meeting('Far and gone', '2033-05-06'));
    const { next } = await sync(account, calendar, mirror);
    await updateEvent({ ...meeting('Far, renamed', '2033-05-05'), id: far });
    await deleteEvent(gone);
    const { next: soon } = await sync(account, calendar, mirror, next);
    assert.deepEqual(titles(mirror), ['Far', 'Far and gone']);

    microsoft.clock.turn(DAY);
    await sync(account, calendar, mirror, soon);

    assert.deepEqual(titles(mirror), ['Far, renamed']);
  });

  it("Microsoft's calendars are listed in full, without ghosts, when Microsoft no longer accepts the sync token", async () => {
    const ghost = await create(meeting('Ghost'));
    await create(meeting('Kept'));
    const { next } = await sync(account, calendar, mirror);
    await deleteEvent(ghost);
    await manual().forgetSyncTokens(ADA.email, calendar);

    await assert.rejects(sync(account, calendar, mirror, next), { kind: 'sync_token_expired' });
    await sync(account, calendar, mirror);

    assert.deepEqual(titles(mirror), ['Kept']);
  });

  it("Microsoft's calendars come whole over many pages, whatever their order and however often a page names an event", async () => {
    const names = Array.from({ length: 250 }, (_, index) => `Event ${index}`);
    for (const name of names) await create(meeting(name));
    microsoft.fault({ kind: 'reorder' });
    microsoft.fault({ kind: 'duplicate' });

    const { parts } = await sync(account, calendar, mirror);

    assert.deepEqual(titles(mirror), names.toSorted());
    assert.ok(parts > 3);
  });

  it("Microsoft's calendars are listed again in full after too many changes to read one by one", async () => {
    await create(meeting('Before'));
    const { next } = await sync(account, calendar, mirror);
    for (let index = 0; index < 510; index += 1) await create(meeting(`Imported ${index}`));
    const before = microsoft.sandbox.requests();

    await sync(account, calendar, mirror, next);

    assert.equal(mirror.size, 511);
    assert.ok(microsoft.sandbox.requests() - before < 30);
  });

  it("Microsoft's calendars show a grant for free-busy alone when, and not who or why", async () => {
    await create(
      meeting('Secret', '2026-11-25', { description: 'Hidden', attendees: [{ email: 'bo@contoso.test' }] }),
    );
    const series = await create(weekly('Weekly'));
    await deleteOccurrence({ id: series, original: at('2026-11-04T09:00:00') });
    const basic = microsoft.open(await microsoft.signIn('free-busy'));

    await sync(basic, calendar, mirror);

    await assertEqualToOutlook();
    const events = [...mirror.values()].flatMap((resource) => resource.events);
    assert.ok(
      events.every(({ description, attendees }) => description === undefined && attendees.length === 0),
    );
  });

  it("Microsoft's calendars tell that one is gone, at the next sync and at a first one", async () => {
    const { next } = await sync(account, calendar, mirror);
    await manual().removeCalendar(ADA.email, calendar);

    await assert.rejects(sync(account, calendar, mirror, next), { kind: 'not_found' });
    await assert.rejects(sync(account, calendar, new Map()), { kind: 'not_found' });
  });

  it("Microsoft's calendars are read on with new tokens when the old ones have expired", async () => {
    await create(meeting('One'));
    const { next } = await sync(account, calendar, mirror);
    microsoft.clock.turn(2 * 3_600_000);
    await create(meeting('Two'));

    await sync(account, calendar, mirror, next);

    assert.deepEqual(titles(mirror), ['One', 'Two']);
    assert.equal(account.renewals(), 1);
    microsoft.fault(
      { kind: 'status', status: 401, reason: 'InvalidAuthenticationToken' },
      'calendars.list',
      1,
    );
    await account.listCalendars();
    assert.equal(account.renewals(), 2);
  });

  it("Microsoft's calendars tell when the user has withdrawn the access", async () => {
    await manual().revokeAccess(ADA.email);

    await assert.rejects(account.listCalendars(), { kind: 'unauthorized', reason: 'access_revoked' });
  });

  it("Microsoft's calendars tell one that is refused alone from a permission that is missing", async () => {
    const denied = { kind: 'status', status: 403, reason: 'ErrorAccessDenied' } as const;
    const { next } = await sync(account, calendar, mirror);
    const failures: ProviderError[] = [];
    for (const operation of ['calendarView.delta', undefined]) {
      microsoft.faults.clear();
      microsoft.fault(denied, operation);
      const failure = await sync(account, calendar, mirror, next).catch((reason: unknown) => reason);
      assert.ok(failure instanceof ProviderError, String(failure));
      failures.push(failure);
    }

    assert.deepEqual(
      failures.map(({ kind, reason }) => [kind, reason]),
      [
        ['not_found', undefined],
        ['permission_missing', 'calendar_permission_missing'],
      ],
    );
  });

  it("Microsoft's calendars fail as what happened, and go on from there when it is over", async () => {
    await create(weekly('Weekly'));
    const { next } = await sync(account, calendar, mirror);
    await create(meeting('New'));
    const faults = [
      [{ kind: 'status', status: 429, reason: 'ApplicationThrottled', retryAfter: 3 }, 'rate_limited'],
      [{ kind: 'status', status: 503, reason: 'ServiceUnavailable' }, 'unavailable'],
      [{ kind: 'reset' }, 'unavailable'],
      [{ kind: 'truncate' }, 'unavailable'],
    ] as const;
    for (const [effect, kind] of faults)
      for (const operation of ['calendarView.delta', 'events.get']) {
        microsoft.faults.clear();
        microsoft.fault(effect, operation);
        const failure = await sync(account, calendar, mirror, next).catch((reason: unknown) => reason);
        assert.ok(failure instanceof ProviderError, `${operation} ${effect.kind}: ${failure}`);
        assert.equal(failure.kind, kind, `${operation} ${effect.kind}`);
      }
    microsoft.faults.clear();

    await sync(account, calendar, mirror, next);

    await assertEqualToOutlook();
  });
});
