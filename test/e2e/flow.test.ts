/** The whole flow of docs/wire.md O1 on a real calendar server, on both databases and at both mounts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { onEachDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';
import { authorize, connect, exchange, jsonOf, MOUNTS, read, refresh, revoke, tokensOf } from './flow.ts';
import { openSite, putEvent, type Site, WITHOUT_RADICALE } from './site.ts';

/** Daily at nine in Paris, five times; the third is moved and renamed, the fourth deleted. DST ends on the 25th. */
const SERIES = [
  ...['BEGIN:VEVENT', 'UID:standup', 'DTSTAMP:20261001T000000Z', 'SUMMARY:Stand-up'],
  ...['DTSTART;TZID=Europe/Paris:20261023T090000', 'DTEND;TZID=Europe/Paris:20261023T091500'],
  ...['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE;TZID=Europe/Paris:20261026T090000', 'END:VEVENT'],
  ...['BEGIN:VEVENT', 'UID:standup', 'DTSTAMP:20261001T000000Z', 'SUMMARY:Stand-up\\, late'],
  'RECURRENCE-ID;TZID=Europe/Paris:20261025T090000',
  ...['DTSTART;TZID=Europe/Paris:20261025T140000', 'DTEND;TZID=Europe/Paris:20261025T141500', 'END:VEVENT'],
];
const SINGLE = [
  ...['BEGIN:VEVENT', 'UID:holiday', 'DTSTAMP:20261001T000000Z', 'SUMMARY:Holiday'],
  ...['DTSTART;VALUE=DATE:20261024', 'DTEND;VALUE=DATE:20261025', 'END:VEVENT'],
];
const EXPECTED = [
  ['Stand-up', '2026-10-23T07:00:00.000Z', '2026-10-23T07:15:00.000Z', false],
  ['Holiday', '2026-10-24T00:00:00.000Z', '2026-10-25T00:00:00.000Z', true],
  ['Stand-up', '2026-10-24T07:00:00.000Z', '2026-10-24T07:15:00.000Z', false],
  ['Stand-up, late', '2026-10-25T13:00:00.000Z', '2026-10-25T13:15:00.000Z', false],
  ['Stand-up', '2026-10-27T08:00:00.000Z', '2026-10-27T08:15:00.000Z', false],
];
const WINDOW = 'start=2026-10-20T00:00:00Z&end=2026-11-01T00:00:00Z';

type Listed = { title: string; start: string; end: string; allDay: boolean; provider: string };

onEachDatabase((database, _open, place) => {
  describe(`the whole flow on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    before(async () => {
      site = await openSite({ databaseUrl: (await place()).databaseUrl });
      await putEvent(site.calendars, 'standup', SERIES);
      await putEvent(site.calendars, 'holiday', SINGLE);
    });
    after(() => site?.close());

    for (const mount of MOUNTS) {
      it(`the whole flow goes from /authorize to the user's events and to revocation at the mount "${mount}"`, async () => {
        const { application, login } = site;
        const userId = `ada at ${mount}`;
        const base = mount === '' ? '' : '/api';
        const user = { userId, login, mount, parameters: { scope: 'read', state: 'S1' } };

        const { parameters } = await authorize(application, user);
        assert.deepEqual(
          [...parameters],
          [
            ['code', userId],
            ['state', 'S1'],
          ],
        );
        const first = await tokensOf(await exchange(application, userId, mount));

        const calendars = await read(application, `${base}/calendars`, first.accessToken);
        assert.equal(calendars.status, 200);
        // The documented list: a bare array (docs/wire.md 2.4).
        const [calendar, ...none] = (await calendars.json()) as { provider: string; id: string }[];
        assert.deepEqual(none, []);
        assert.equal(calendar?.provider, 'caldav');
        assert.deepEqual(await events(site, base, first.accessToken), EXPECTED);

        const second = await tokensOf(await refresh(application, first.refreshToken, mount));
        assert.deepEqual(await events(site, base, second.accessToken), EXPECTED);

        await disconnects(site, base, second.accessToken);
        await revoke(application, second.refreshToken, mount);
        for (const { accessToken } of [first, second]) {
          assert.equal((await read(application, `${base}/events`, accessToken)).status, 401);
        }
        assert.equal((await refresh(application, second.refreshToken, mount)).status, 400);
      });
    }

    it('the next listing shows a change on the calendar server', async () => {
      const { accessToken } = await connect(site.application, { userId: 'watcher', login: site.login });
      const before = await listed(site, '', accessToken);
      await putEvent(site.calendars, 'added', [
        ...['BEGIN:VEVENT', 'UID:added', 'DTSTAMP:20261001T000000Z', 'SUMMARY:Added'],
        ...['DTSTART:20261030T100000Z', 'DTEND:20261030T110000Z', 'END:VEVENT'],
      ]);

      // A mirror younger than ten seconds is served as it is.
      await new Promise((later) => setTimeout(later, 10_500));
      let added: string[] = [];
      const isAdded = async () => {
        const titles = (await listed(site, '', accessToken)).map(({ title }) => title);
        added = titles.filter((title) => title === 'Added');
        return added.length > 0;
      };
      await until('the change is listed', isAdded, () => sleep(1_000));

      assert.equal(before.length, EXPECTED.length);
      assert.deepEqual(added, ['Added']);
    });
  });
});

async function listed({ application }: Site, base: string, accessToken: string): Promise<Listed[]> {
  const answer = await read(application, `${base}/events?${WINDOW}`, accessToken);
  assert.equal(answer.status, 200);
  const { events: list } = await jsonOf(answer);
  return list as Listed[]; // the documented list (docs/wire.md 2.5)
}

async function events(site: Site, base: string, accessToken: string) {
  const list = await listed(site, base, accessToken);
  return list.map(({ title, start, end, allDay }) => [title, start, end, allDay]);
}

/**
 * docs/wire.md 1.4, 1.5, 2.2: the account is there, is disconnected with the clients' own call, and is gone.
 */
async function disconnects({ application }: Site, base: string, accessToken: string): Promise<void> {
  const path = base === '' ? '/connection-status' : `${base}/oauth/connection-status`;
  const accountsOf = async () => {
    const { connections } = await jsonOf(await read(application, path, accessToken));
    return connections as Record<string, unknown[]>; // the documented object (docs/wire.md 2.2)
  };
  const linked = await accountsOf();
  assert.deepEqual(Object.keys(linked).sort(), ['apple', 'caldav', 'google', 'microsoft']);
  assert.equal(linked.caldav?.length, 1);

  const answer = await fetch(
    `${application.url}${path.replace('connection-status', 'disconnect')}?provider=caldav`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: '{}',
    },
  );
  assert.equal(answer.status, 200);
  assert.equal((await jsonOf(answer)).success, true);
  assert.deepEqual((await accountsOf()).caldav, []);
}
