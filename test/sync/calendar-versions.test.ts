/** One request returns which calendars of an account changed, on independent servers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { counterpart } from '../harness/counterpart.ts';
import { event } from '../servers/icalendar.ts';
import { type CalDavServer, send, USERS } from '../servers/process.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';
import { startXandikos, XANDIKOS } from '../servers/xandikos.ts';
import { openPolledAccount, type PolledAccount } from './polled-account.ts';

const CALENDARS = ['work', 'home', 'club'];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SERVERS = [
  { name: 'Radicale', program: RADICALE, start: startRadicale },
  { name: 'Xandikos', program: XANDIKOS, start: startXandikos },
];

for (const { name, program, start } of SERVERS) {
  describe(`an account of ${name} that is looked at every minute`, counterpart(name, program), () => {
    let caldav: CalDavServer;
    let account: PolledAccount;
    before(async () => {
      caldav = await start(CALENDARS);
      for (const calendar of CALENDARS) await put(calendar, 'first', `First of ${calendar}`);
      const login = { server: caldav.typed, username: 'ada', password: USERS.ada ?? '' };
      account = await openPolledAccount(login);
      await account.look();
    });
    after(async () => {
      await account?.close();
      await caldav?.stop();
    });

    const address = (calendar: string, file: string) => `${caldav.calendarUrl('ada', calendar)}${file}.ics`;
    const put = (calendar: string, file: string, title: string) =>
      send('ada', 'PUT', address(calendar, file), event(file, title));
    const remove = (calendar: string, file: string) => send('ada', 'DELETE', address(calendar, file));
    const path = (calendar: string) => new URL(caldav.calendarUrl('ada', calendar)).pathname;
    /** Until the version of every calendar is known to be what the mirror has. */
    const settle = async () => {
      await account.look(MINUTE);
      await account.look(MINUTE);
    };
    /** How many of the calendars, that is of these, were asked for. */
    const calendarsIn = (requests: readonly string[]) => [
      ...new Set(
        requests.filter((one) => one.startsWith('REPORT')).map((one) => one.slice('REPORT '.length)),
      ),
    ];

    it(`an account of ${name} costs one request while nothing changes, and all its calendars count as synced`, async () => {
      await settle();

      const requests = await account.look(MINUTE);

      assert.deepEqual(
        requests.map((one) => one.split(' ')[0]),
        ['PROPFIND'],
      );
      assert.equal(await account.syncedAt(), account.clock.now);
    });

    it(`of an account of ${name} the one calendar that changed is synced`, async () => {
      await settle();
      await put('home', 'second', 'Second of home');

      const changed = await account.look(MINUTE);
      const after = await account.look(MINUTE);
      const later = await account.look(MINUTE);

      assert.ok((await account.titles()).includes('Second of home'));
      assert.deepEqual(calendarsIn(changed), [path('home')]);
      assert.deepEqual(calendarsIn(after), [path('home')], 'once more');
      assert.deepEqual(calendarsIn(later), []);
    });

    it(`an event of ${name} that came and went between two looks is gone, though a read saw it`, async () => {
      await settle();
      await put('club', 'brief', 'Brief');
      await account.read(30_000);
      const seen = await account.titles();
      await account.read(11_000);
      await remove('club', 'brief');

      await account.look(19_000);

      assert.ok(seen.includes('Brief'));
      assert.ok(!(await account.titles()).includes('Brief'));
    });

    it(`an account of ${name} that somebody waits for is looked at every minute, every five once little changes`, async () => {
      const { server, clock } = account;
      /** Looks at it, and answers in how many minutes the next look is due. */
      const nextAfter = async (ms: number) => {
        await server.db.write("DELETE FROM job WHERE kind = 'sync-account' RETURNING key");
        await account.look(ms);
        const job = await server.db.get<{ runAt: number }>(
          "SELECT run_at FROM job WHERE kind = 'sync-account'",
        );
        return ((job?.runAt ?? 0) - clock.now) / MINUTE;
      };
      const unfollowed = await nextAfter(MINUTE);
      await server.deps.changes.follow({ clientId: 'acme', userId: 'ada' }, clock.now);
      await put('work', 'third', 'Third of work');
      const lively = await nextAfter(MINUTE);
      const quiet = await nextAfter(24 * HOUR);

      assert.ok(unfollowed >= 12, `${unfollowed}`);
      assert.ok(lively >= 0.8 && lively <= 1.2, `${lively}`);
      assert.ok(quiet >= 4 && quiet <= 6, `${quiet}`);
    });

    it(`every calendar of an account of ${name} is synced once an hour, whatever the list shows`, async () => {
      await settle();

      const asked = calendarsIn(await account.look(HOUR));

      assert.ok(
        CALENDARS.map(path).every((one) => asked.includes(one)),
        `${asked}`,
      );
    });
  });
}
