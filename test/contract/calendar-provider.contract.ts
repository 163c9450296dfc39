/**
 * Contract tests for a CalendarProvider on a third-party CalDAV server. Each server's test calls them with its own
 * `start`. Changes bypass the adapter: the tests make them by plain HTTP, as other clients of the user would.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { CalendarAccount } from '../../src/calendars/calendar-provider.ts';
import { ProviderError, type ProviderErrorKind } from '../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { appleProvider } from '../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { workPools } from '../../src/start/work-pools.ts';
import { counterpart } from '../harness/counterpart.ts';
import { calendarObject, event, seriesWithOverride, vevent } from '../servers/icalendar.ts';
import { type Mirror, sync, titles } from '../servers/mirror.ts';
import { basic, type CalDavServer, makeCalendar, send, USERS } from '../servers/process.ts';
import { recordingLog } from '../servers/recording-log.ts';

type ContractServer = {
  readonly name: string;
  /** The program that must be installed. */
  readonly program: string;
  /** Whether it has to be started as root. */
  readonly root?: boolean;
  start(calendars: readonly string[]): Promise<CalDavServer>;
  /** Whether it keeps the components and the style that a calendar is made with. */
  readonly keepsProperties: boolean;
  /** The result of syncing with a token that the server never issued. */
  readonly unknownToken: 'sync_token_expired' | 'compared instead';
};

const CALENDARS = ['work', 'delta', 'series', 'large', 'odd', 'doomed', 'mixed', 'token', 'version'];

const failsAs = (kind: ProviderErrorKind) => (failure: unknown) =>
  failure instanceof ProviderError && failure.kind === kind;

export function calendarProviderContract(target: ContractServer): void {
  describe(`CalendarProvider on ${target.name}`, counterpart(target.name, target.program, target), () => {
    let server: CalDavServer;
    let egress: Egress;
    const { log, entries } = recordingLog();
    const { syncWork } = workPools();

    before(async () => {
      egress = createEgress({ privateNetwork: { mode: 'loopback' } });
      server = await target.start(CALENDARS);
    });
    after(async () => {
      await egress?.close();
      await server?.stop();
      await syncWork.close();
    });

    const provider = () => caldavProvider({ egress, log, now: Date.now, syncWork });
    const login = (user: string, typed = server.typed) => ({
      server: typed,
      username: user,
      password: USERS[user] ?? '',
    });
    const open = async (user: string): Promise<CalendarAccount> =>
      provider().open((await provider().signIn.verify(login(user))).credentials);
    const put = (calendar: string, name: string, object: string, user = 'ada') =>
      send(user, 'PUT', server.calendarUrl(user, calendar) + name, object);
    const remove = (calendar: string, name: string) =>
      send('ada', 'DELETE', server.calendarUrl('ada', calendar) + name);

    linking();
    listing();
    changes();
    failures();

    function linking(): void {
      it('an account is linked with the address of the server and the right password', async () => {
        const { accountId, display, credentials } = await provider().signIn.verify(login('ada'));

        assert.ok(accountId.startsWith(server.origin), accountId);
        assert.equal(display, `ada (${new URL(server.origin).host})`);
        assert.deepEqual(credentials.origins, [server.origin]);
      });

      it('an account has one id, however the way to it was spelled', async () => {
        const { accountId } = await provider().signIn.verify(login('ada'));
        const deep = await provider().signIn.verify(login('ada', accountId));

        assert.equal(deep.accountId, accountId);
      });

      it('an account has one identity, however the way to it was spelled, and nobody else has it', async () => {
        const ada = await provider().signIn.verify(login('ada'));
        const deep = await provider().signIn.verify(login('ada', ada.accountId));
        const grace = await provider().signIn.verify(login('grace'));

        assert.equal(deep.identity, ada.identity);
        assert.notEqual(grace.identity, ada.identity);
        assert.ok(ada.identity.startsWith(`${server.origin} /`), ada.identity);
        assert.ok(ada.provesOwner && grace.provesOwner);
      });

      it('the principal of another user, typed as the server, does not make an account that user’s', async () => {
        const grace = await provider().signIn.verify(login('grace'));

        const ada = await provider()
          .signIn.verify(login('ada', grace.accountId))
          .catch(() => undefined);

        assert.notEqual(ada?.identity, grace.identity);
        assert.notEqual(ada?.accountId, grace.accountId);
      });

      it('a server that knows its users does not take any password', async () => {
        const { signIn } = provider();
        const { credentials } = await signIn.verify(login('ada'));

        assert.equal(await signIn.takesAnyPassword(credentials), false);
      });

      it('what is remembered of a login leads to the same account again, and is not the password', async () => {
        const { signIn } = provider();
        const first = await signIn.verify(login('ada'));
        const remembered = signIn.remembered?.(first.credentials);
        assert.ok(remembered);

        const again = await signIn.verify({ ...remembered, password: USERS.ada ?? '' });

        assert.deepEqual(Object.keys(remembered).sort(), ['server', 'username']);
        assert.deepEqual([again.accountId, again.display], [first.accountId, first.display]);
      });

      it('an account is linked by the well-known address', async () => {
        const typed = `${server.origin}/.well-known/caldav`;

        assert.ok((await provider().signIn.verify(login('ada', typed))).accountId.startsWith(server.origin));
      });

      it('the server is found from a path that is no calendar', async () => {
        const { accountId } = await provider().signIn.verify(login('ada'));

        const account = await provider().signIn.verify(login('ada', `${server.origin}/no/such/path`));

        assert.equal(account.accountId, accountId);
      });

      it('a wrong password is refused as unauthorized', async () => {
        const wrong = { ...login('ada'), password: 'wrong' };

        await assert.rejects(provider().signIn.verify(wrong), failsAs('unauthorized'));
      });

      it('the CalDAV provider serves as the Apple provider, whose account is the Apple Account', async () => {
        const apple = appleProvider({ egress, log, now: Date.now, serverUrl: server.typed });
        const { accountId, credentials } = await apple.signIn.verify({
          username: 'ada',
          password: USERS.ada ?? '',
        });

        assert.equal(accountId, 'ada');
        assert.ok((await apple.open(credentials).listCalendars()).length > 0);
      });
    }

    function listing(): void {
      it('the calendars of the user are listed, each at its absolute address', async () => {
        const calendars = await (await open('ada')).listCalendars();

        const hrefs = calendars.map(({ href }) => href);
        for (const calendar of CALENDARS)
          assert.ok(hrefs.includes(server.calendarUrl('ada', calendar)), `${calendar} in ${hrefs}`);
        assert.ok(calendars.every(({ access, timeZone }) => access === 'write' && timeZone !== ''));
      });

      it('the list shows a calendar in another version after each change of its events, and in the same one until then', async () => {
        const account = await open('ada');
        const version = async () => {
          const url = server.calendarUrl('ada', 'version');
          return (await account.listCalendars()).find(({ href }) => href === url)?.version?.tag;
        };
        const versions = [await version()];
        await put('version', 'one.ics', event('one', 'First'));
        versions.push(await version());
        await put('version', 'one.ics', event('one', 'Second'));
        versions.push(await version());
        await remove('version', 'one.ics');
        versions.push(await version());

        assert.ok(!versions.includes(undefined));
        // A version that is a digest may equal the first one once the calendar is empty again.
        assert.equal(new Set(versions.slice(1)).size, 3);
        assert.equal(new Set(versions.slice(0, -1)).size, 3);
        await put('delta', 'elsewhere.ics', event('elsewhere', 'Elsewhere'));
        assert.equal(await version(), versions.at(-1));
        await remove('delta', 'elsewhere.ics');
      });

      if (target.keepsProperties) properties();

      it('a user is shown nothing of another', async () => {
        await put('work', 'secret.ics', event('secret', 'Ada alone'));
        const grace = await open('grace');

        const hrefs = (await grace.listCalendars()).map(({ href }) => href);

        assert.ok(!hrefs.includes(server.calendarUrl('ada', 'work')));
        await assert.rejects(sync(grace, server.calendarUrl('ada', 'work'), new Map()), ProviderError);
      });
    }

    function properties(): void {
      it('the list of calendars leaves out collections that hold no events', async () => {
        const tasks = server.calendarUrl('ada', 'tasks');
        await makeCalendar('ada', tasks, '', 'VTODO');

        const hrefs = (await (await open('ada')).listCalendars()).map(({ href }) => href);

        assert.ok(!hrefs.includes(tasks));
      });

      it('a calendar has title, color and zone', async () => {
        const styled = server.calendarUrl('ada', 'styled');
        await makeCalendar('ada', styled, STYLE);

        const calendars = await (await open('ada')).listCalendars();

        const calendar = calendars.find(({ href }) => href === styled);
        assert.equal(calendar?.title, 'Bücher & <Co>');
        assert.equal(calendar?.color, '#12abef');
        assert.equal(calendar?.timeZone, 'Europe/Athens');
      });
    }

    function changes(): void {
      it('a sync tells creations, changes and deletions once each', async () => {
        const account = await open('ada');
        const calendar = server.calendarUrl('ada', 'delta');
        const mirror: Mirror = new Map();
        await put('delta', 'one.ics', event('one', 'First'));
        await put('delta', 'two.ics', event('two', 'Second'));

        const first = await sync(account, calendar, mirror);
        assert.deepEqual(titles(mirror), ['First', 'Second']);
        await put('delta', 'one.ics', event('one', 'First changed', 'SEQUENCE:1'));
        await put('delta', 'three.ics', event('three', 'Third'));
        await remove('delta', 'two.ics');
        const second = await sync(account, calendar, mirror, first.next);
        const third = await sync(account, calendar, mirror, second.next);

        assert.deepEqual(titles(mirror), ['First changed', 'Third']);
        assert.deepEqual([second.changed.length, second.removed.length], [2, 1]);
        assert.deepEqual([third.changed, third.removed], [[], []]);
      });

      it('a series with its override is read as one resource', async () => {
        await put('series', 'weekly.ics', seriesWithOverride('weekly'));
        const mirror: Mirror = new Map();

        await sync(await open('ada'), server.calendarUrl('ada', 'series'), mirror);

        const [resource] = mirror.values();
        assert.equal(mirror.size, 1);
        assert.deepEqual(
          resource?.events.map(({ title, recurrence, recurrenceId }) => [
            title,
            recurrence !== undefined,
            recurrenceId !== undefined,
          ]),
          [
            ['Weekly', true, false],
            ['Weekly moved', false, true],
          ],
        );
      });

      it('a calendar of 200 events is read in parts', async () => {
        const names = Array.from({ length: 200 }, (_, index) => `event-${index}`);
        for (let start = 0; start < names.length; start += 5)
          await Promise.all(
            names.slice(start, start + 5).map((name) => put('large', `${name}.ics`, event(name, name))),
          );
        const mirror: Mirror = new Map();

        const { parts } = await sync(await open('ada'), server.calendarUrl('ada', 'large'), mirror);

        assert.deepEqual(titles(mirror), names.toSorted());
        assert.ok(parts >= 4, `${parts} parts`);
      });

      it('resources with special characters in their names are read and removed', async () => {
        const names = ['sp%20ace.ics', 'plus+and&.ics', 'caf%C3%A9.ics', 'at@home~.ics', 'per%25cent.ics'];
        const account = await open('ada');
        const calendar = server.calendarUrl('ada', 'odd');
        const mirror: Mirror = new Map();
        for (const name of names) await put('odd', name, event(`odd-${name}`, name));

        const { next } = await sync(account, calendar, mirror);
        assert.deepEqual(titles(mirror), names.toSorted());
        for (const name of names) await remove('odd', name);
        await sync(account, calendar, mirror, next);

        assert.equal(mirror.size, 0);
      });

      it('a sync passes by tasks that share a calendar with events', async () => {
        await makeCalendar('ada', server.calendarUrl('ada', 'shared'), '', 'VEVENT', 'VTODO');
        const task = 'BEGIN:VTODO\r\nUID:task\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:Task\r\nEND:VTODO\r\n';
        await put('shared', 'task.ics', calendarObject(task));
        await put('shared', 'event.ics', calendarObject(vevent('event', 'Event')));
        const mirror: Mirror = new Map();
        const skipped = entries.length;

        await sync(await open('ada'), server.calendarUrl('ada', 'shared'), mirror);

        assert.deepEqual(titles(mirror), ['Event']);
        assert.equal(entries.length, skipped);
      });
    }

    function failures(): void {
      it('a sync token the server does not know loses nothing', async () => {
        const account = await open('ada');
        const calendar = server.calendarUrl('ada', 'token');
        await put('token', 'kept.ics', event('kept', 'Kept'));
        const mirror: Mirror = new Map();
        const { next } = await sync(account, calendar, mirror);
        const forgotten = JSON.stringify({
          ...JSON.parse(next),
          token: forgottenToken(JSON.parse(next).token),
        });
        await put('token', 'new.ics', event('new', 'New'));

        const again = sync(account, calendar, mirror, forgotten);

        if (target.unknownToken === 'sync_token_expired') {
          await assert.rejects(again, failsAs('sync_token_expired'));
          await sync(account, calendar, mirror);
        }
        await again.catch(() => undefined);
        assert.deepEqual(titles(mirror), ['Kept', 'New']);
      });

      it('a sync token the provider did not write is taken for an expired one', async () => {
        const calendar = server.calendarUrl('ada', 'token');

        for (const token of ['', 'nonsense', '{}', '{"v":2}', '[]', 'null'])
          await assert.rejects(
            sync(await open('ada'), calendar, new Map(), token),
            failsAs('sync_token_expired'),
          );
      });

      it('a calendar that was deleted is reported as not_found by the next sync and by a first one', async () => {
        const account = await open('ada');
        const doomed = server.calendarUrl('ada', 'doomed');
        const { next } = await sync(account, doomed, new Map());
        // Cyrus deletes the calendar but responds with 404, so the status is not checked.
        await fetch(doomed, { method: 'DELETE', headers: { authorization: basic('ada') } });

        await assert.rejects(sync(account, doomed, new Map(), next), failsAs('not_found'));
        await assert.rejects(sync(account, doomed, new Map()), failsAs('not_found'));
      });

      it('reports a password that no longer works as unauthorized', async () => {
        const { credentials } = await provider().signIn.verify(login('ada'));
        const account = provider().open({ ...credentials, password: 'changed meanwhile' });

        await assert.rejects(account.listCalendars(), failsAs('unauthorized'));
        await assert.rejects(
          sync(account, server.calendarUrl('ada', 'work'), new Map()),
          failsAs('unauthorized'),
        );
      });
    }
  });
}

/** Returns a token in the server's own form that it never issued: the last digits differ. */
function forgottenToken(token: string): string {
  return token.replace(/[\da-f]+$/i, (digits) => '7'.repeat(digits.length));
}

const STYLE =
  '<D:displayname>Bücher &amp; &lt;Co&gt;</D:displayname>' +
  '<I:calendar-color xmlns:I="http://apple.com/ns/ical/">#12ABEFFF</I:calendar-color>' +
  '<C:calendar-timezone>BEGIN:VCALENDAR&#13;\nVERSION:2.0&#13;\nPRODID:-//T//T//EN&#13;\nBEGIN:VTIMEZONE&#13;\n' +
  'TZID:Europe/Athens&#13;\nBEGIN:STANDARD&#13;\nDTSTART:19701025T040000&#13;\nTZOFFSETFROM:+0300&#13;\n' +
  'TZOFFSETTO:+0200&#13;\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU&#13;\nEND:STANDARD&#13;\nBEGIN:DAYLIGHT&#13;\n' +
  'DTSTART:19700329T030000&#13;\nTZOFFSETFROM:+0200&#13;\nTZOFFSETTO:+0300&#13;\n' +
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU&#13;\nEND:DAYLIGHT&#13;\nEND:VTIMEZONE&#13;\nEND:VCALENDAR&#13;\n' +
  '</C:calendar-timezone>';
