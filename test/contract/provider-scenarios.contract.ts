/**
 * Contract tests for what an application reads after people change calendars at their provider, which is the same for
 * all providers. The tests change events through the provider's own app and read them through the real adapter, mirror
 * and GET /events.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { EventDraft, ManualChanges } from '../../sandbox/core/provider-sandbox.ts';
import type { Scope } from '../../src/oauth/scope.ts';
import { type CalendarServer, get, link, openCalendarServer, START } from '../harness/calendar-server.ts';
import { type ReadEvent, readEvents } from '../providers/provider-reader.ts';
import type { ProviderTarget } from '../providers/provider-targets.ts';
import { APP, type MovableTime, movableTime, type StartedProvider } from '../providers/sandbox-provider.ts';
import { at, DIFFERENCES, type Scenario, type Scene, YEAR } from './provider-scenario.ts';
import { SCENARIOS } from './provider-scenarios.ts';

const ADA = { email: 'ada@people.example', name: 'Ada Lovelace' };
const GRACE = { email: 'grace@people.example', name: 'Grace Hopper' };
/** Mirrored data is stale after this many milliseconds, so that the next request reads the provider again. */
const PAUSE_MS = 11_000;

export function providerScenarios(target: ProviderTarget): void {
  describe(`what an application reads of ${target.name}`, target.options, () => {
    const time: MovableTime = movableTime(START);
    let started: StartedProvider;
    let server: CalendarServer;
    let manual: ManualChanges;

    before(async () => {
      started = await target.start(time);
      manual = started.manual;
      for (const person of [ADA, GRACE]) {
        await manual.addPerson(person);
        await manual.addCalendar(person.email, { title: 'Main', timeZone: 'Europe/Paris' });
      }
      const provider = { [target.kind]: started.provider };
      server = await openCalendarServer({ ...provider, apps: { google: APP, microsoft: APP }, clock: time });
      await connect(ADA.email, 'ada', 'read-write');
    });
    after(async () => {
      await server?.close();
      await started?.close();
    });

    const connect = async (email: string, userId: string, scope: Scope) =>
      link(server, { provider: target.kind, userId, ...(await started.signIn(email, { scope })) });
    const read = async (calendarId: string, userId = 'ada', scope: Scope = 'read-write', window = YEAR) => {
      time.now += PAUSE_MS;
      return readEvents(server, await server.token(scope, userId), { kind: target.kind, calendarId, window });
    };
    const expected = (events: readonly ReadEvent[]) => {
      const differences = DIFFERENCES.filter(({ of }) => of.includes(target.kind));
      return events.map((event) => differences.reduce((so, { as }) => as(so, ADA), event));
    };

    /** Adds a calendar at the provider and lists the calendars, so that the mirror has the new one. */
    const addCalendar: ManualChanges['addCalendar'] = async (email, calendar) => {
      const id = await manual.addCalendar(email, calendar);
      time.now += PAUSE_MS;
      await get(server, '/calendars', await server.token());
      return id;
    };

    for (const scenario of SCENARIOS) {
      if (scenario.needs === undefined || target.lacks[scenario.needs] === undefined)
        it(scenario.rule, () => play(scenario));
    }
    calendars();
    access();

    async function play({ rule, window = YEAR, differs, play }: Scenario): Promise<void> {
      const calendarId = await addCalendar(ADA.email, { title: rule, timeZone: 'Europe/Paris' });
      const scene = sceneOf(manual, ADA.email, calendarId, differs?.of.includes(target.kind) === true);
      for await (const events of play(scene)) {
        const { events: listed, problems } = await read(calendarId, 'ada', 'read-write', window);
        const instances = await manual.instances(ADA.email, calendarId, window);

        assert.deepEqual(problems, []);
        assert.deepEqual(sorted(listed), sorted(expected(events)));
        assert.deepEqual(
          sorted(listed).map(({ title, start }) => [title, Date.parse(start)]),
          instances.map(({ title, start }) => [title, start]),
        );
      }
    }

    function calendars(): void {
      const listed = async (...ids: readonly string[]) => {
        time.now += PAUSE_MS;
        const answer = await get(server, '/calendars', await server.token());
        assert.equal(answer.statusCode, 200, answer.body);
        return answer.json().filter(({ id }: { id: string }) => ids.includes(id));
      };

      if (target.lacks['names and zones of calendars'] === undefined)
        it('a calendar is listed under its name, new and old, and no more once it is gone', async () => {
          const calendar = { title: 'Büro & „Co“', color: '#12abef', timeZone: 'America/New_York' };
          const id = await manual.addCalendar(ADA.email, calendar);
          const [made] = await listed(id);
          await manual.renameCalendar(ADA.email, id, 'Homework 📚');
          const [renamed] = await listed(id);
          await manual.removeCalendar(ADA.email, id);

          // Microsoft’s calendars have no zone of their own that an application may see, but their mailbox has.
          const timeZone = target.kind === 'microsoft' ? 'Europe/Paris' : 'America/New_York';
          assert.deepEqual([made.title, made.color, made.timeZone], [calendar.title, '#12abef', timeZone]);
          assert.deepEqual(
            [renamed.title, renamed.color, renamed.timeZone],
            ['Homework 📚', '#12abef', timeZone],
          );
          assert.deepEqual(await listed(id), []);
        });

      it('the events of a calendar that is gone are shown no more, without a word of failure', async () => {
        const id = await addCalendar(ADA.email, { title: 'Doomed', timeZone: 'Europe/Paris' });
        await manual.createEvent(ADA.email, id, meeting('Last words'));
        assert.equal((await read(id)).events.length, 1);
        await manual.removeCalendar(ADA.email, id);

        assert.deepEqual(await read(id), { events: [], problems: [] });
      });

      if (target.lacks['calendars that can only be read'] === undefined)
        it('the events of a calendar that can only be read are shown', async () => {
          const calendar = { title: 'Team', timeZone: 'Europe/Paris', readOnly: true };
          const id = await addCalendar(ADA.email, calendar);
          await manual.createEvent(ADA.email, id, meeting('Theirs'));

          assert.deepEqual(titlesOf((await read(id)).events), ['Theirs']);
        });
    }

    function access(): void {
      it('a grant for free and busy times shows blocks alone', async () => {
        const id = await addCalendar(ADA.email, { title: 'Busy', timeZone: 'Europe/Paris' });
        await manual.createEvent(ADA.email, id, {
          ...meeting('Secret'),
          description: 'Secret',
          location: 'Secret',
        });
        await manual.createEvent(ADA.email, id, { ...meeting('Secret'), availability: 'free' });
        await manual.createEvent(ADA.email, id, {
          title: 'Secret trip',
          start: { date: '2026-11-17' },
          end: { date: '2026-11-19' },
        });
        await connect(ADA.email, 'ben', 'free-busy');

        const { events } = await read(id, 'ben', 'free-busy');

        assert.deepEqual(
          events.map(({ title, start, end, allDay, status, description, location }) => ({
            ...{ title, start, end, allDay, status, description, location },
          })),
          [
            ['2026-11-16T08:00', '2026-11-16T09:00', false],
            ['2026-11-16T08:00', '2026-11-16T09:00', false],
            ['2026-11-17T00:00', '2026-11-19T00:00', true],
          ].map(([start, end, allDay]) => ({
            ...{ title: 'Busy', start: `${start}:00.000Z`, end: `${end}:00.000Z`, allDay },
            ...{ status: 'confirmed', description: undefined, location: undefined },
          })),
        );
        assert.deepEqual(events.map(({ availability }) => availability).sort(), ['busy', 'busy', 'free']);
      });

      it('an account says that the user must sign in again if access was withdrawn, and works again after that', async () => {
        const id = await manual.addCalendar(GRACE.email, { title: 'Work', timeZone: 'Europe/Paris' });
        await manual.createEvent(GRACE.email, id, meeting('Before'));
        await connect(GRACE.email, 'ben', 'read-write');
        const before = await read(id, 'ben');
        await manual.revokeAccess(GRACE.email);
        await manual.createEvent(GRACE.email, id, meeting('Meanwhile'));
        // All access tokens have expired by then.
        time.now += 3_600_000;
        const refused = await read(id, 'ben');
        await connect(GRACE.email, 'ben', 'read-write');
        const again = await read(id, 'ben');

        assert.deepEqual(before.problems, []);
        assert.deepEqual(refused.events, before.events);
        assert.deepEqual(
          refused.problems.map(({ code, actor }) => [code, actor]),
          [['reauth_required', 'user']],
        );
        assert.deepEqual([titlesOf(again.events), again.problems], [['Before', 'Meanwhile'], []]);
        assert.deepEqual(
          again.events.find(({ title }) => title === 'Before'),
          before.events[0],
        );
      });

      it('events keep their ids over changes', async () => {
        const id = await addCalendar(ADA.email, { title: 'Ids', timeZone: 'Europe/Paris' });
        const single = await manual.createEvent(ADA.email, id, meeting('Single'));
        const weekly = { ...meeting('Weekly'), recurrence: { frequency: 'weekly', count: 3 } } as const;
        const series = await manual.createEvent(ADA.email, id, weekly);
        const before = new Set((await read(id)).events.map((event) => event.id));
        await manual.updateEvent(ADA.email, id, { id: single, ...meeting('Single'), location: 'Here' });
        const second = at('2026-11-23 09:00', 'Europe/Paris');
        await manual.changeOccurrence(ADA.email, id, { id: series, original: second, title: 'Second' });

        const { events } = await read(id);

        assert.equal(before.size, 4);
        assert.deepEqual(new Set(events.map((event) => event.id)), before);
        assert.deepEqual(titlesOf(events), ['Second', 'Single', 'Weekly', 'Weekly']);
      });
    }
  });
}

const meeting = (title: string): EventDraft => ({
  title,
  start: at('2026-11-16 09:00', 'Europe/Paris'),
  end: at('2026-11-16 10:00', 'Europe/Paris'),
});

function sceneOf(manual: ManualChanges, email: string, calendar: string, differs: boolean): Scene {
  return {
    differs,
    create: (draft) => manual.createEvent(email, calendar, draft),
    update: (id, draft) => manual.updateEvent(email, calendar, { ...draft, id }),
    remove: (id) => manual.deleteEvent(email, calendar, id),
    changeOccurrence: (id, original, change) =>
      manual.changeOccurrence(email, calendar, { ...change, id, original }),
    deleteOccurrence: (id, original) => manual.deleteOccurrence(email, calendar, { id, original }),
    forgetSyncTokens: () => manual.forgetSyncTokens(email, calendar),
  };
}

const titlesOf = (events: readonly ReadEvent[]): string[] => events.map(({ title }) => title).sort();

/** Sorts events by start, then title, and removes their ids, which differ. */
function sorted(events: readonly ReadEvent[]): ReadEvent[] {
  return events
    .map((event) => ({ ...event, id: undefined }))
    .map(({ id: _, ...event }) => event)
    .sort((a, b) => (a.start < b.start ? -1 : Number(a.start > b.start)) || (a.title < b.title ? -1 : 1));
}
