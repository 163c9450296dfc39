/** Declined meetings at CalDAV servers, each of which identifies its user in its own way. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';

import type { CalendarProvider, VerifiedAccount } from '../../src/calendars/calendar-provider.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import {
  type CalendarServer,
  collectingLog,
  get,
  link,
  openCalendarServer,
} from '../harness/calendar-server.ts';
import { counterpart } from '../harness/counterpart.ts';
import { ADA, openBench } from '../providers/provider-bench.ts';
import { CYRUS, startCyrus } from '../servers/cyrus.ts';
import { type ManagedCalDavServer, USERS } from '../servers/process.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';

/** Returns an invitation from another person, as the attendee's own copy has it. */
const invitation = (uid: string, hour: number, guest: string): string =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', 'BEGIN:VEVENT'],
    ...[`UID:${uid}`, 'DTSTAMP:20261101T000000Z', 'SUMMARY:Meeting'],
    ...[`DTSTART:20261201T${hour}0000Z`, `DTEND:20261201T${hour + 1}0000Z`],
    ...['ORGANIZER:mailto:grace@example.net', 'ATTENDEE;PARTSTAT=ACCEPTED:mailto:grace@example.net', guest],
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');

type Login = { readonly username: string; readonly password: string };

async function putAs({ username, password }: Login, url: string, body: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'text/calendar' };
  const answer = await fetch(url, { method: 'PUT', headers, body });
  assert.ok(answer.ok, `PUT ${answer.status}`);
}

const busyHours = async (server: CalendarServer): Promise<number[]> => {
  const answer = await get(
    server,
    '/free-busy?start=2026-12-01&end=2026-12-02',
    await server.token('free-busy'),
  );
  return answer.json().busy.map(({ start }: { start: string }) => Number(start.slice(11, 13)));
};

/**
 * Links the user of a server, with two invitations in the calendar: the user declined one, another attendee the other.
 */
async function withInvitations(
  t: TestContext,
  dav: ManagedCalDavServer,
  { username, password, address }: Login & { readonly address: string },
): Promise<CalendarServer> {
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const caldav = caldavProvider({ egress, log: collectingLog(), now: Date.now });
  const server = await openCalendarServer({ caldav });
  t.after(() => server.close());
  const folder = dav.calendarUrl(username, 'work');
  await putAs(
    { username, password },
    `${folder}a.ics`,
    invitation('a', 10, `ATTENDEE;PARTSTAT=DECLINED:${address}`),
  );
  await putAs(
    { username, password },
    `${folder}b.ics`,
    invitation('b', 12, 'ATTENDEE;PARTSTAT=DECLINED:mailto:eve@example.net'),
  );
  await link(server, await signIn(caldav, dav, { username, password }));
  return server;
}

async function signIn(
  { signIn: how }: CalendarProvider,
  dav: ManagedCalDavServer,
  login: Login,
): Promise<Pick<VerifiedAccount, 'accountId' | 'display' | 'credentials'>> {
  assert.ok(how.method === 'password');
  const { accountId, display, credentials } = await how.verify({ server: dav.typed, ...login });
  return { accountId, display, credentials };
}

it(
  'a meeting that the user of a Cyrus server declined is free time',
  counterpart('Cyrus', CYRUS, { root: true }),
  async (t) => {
    const cyrus = await startCyrus();
    t.after(() => cyrus.stop());
    const login = { username: 'ada', password: USERS.ada ?? '', address: 'mailto:ADA@localhost' };

    assert.deepEqual(await busyHours(await withInvitations(t, cyrus, login)), [12]);
  },
);

it(
  'a meeting that somebody declined whose login at Radicale is an e-mail address is free time',
  counterpart('Radicale', RADICALE),
  async (t) => {
    const radicale = await startRadicale();
    t.after(() => radicale.stop());
    const login = { username: 'ada@example.com', password: 'a password' };
    await radicale.setPassword(login.username, login.password);
    const made = await fetch(radicale.calendarUrl(login.username, 'work'), {
      method: 'MKCALENDAR',
      headers: {
        authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`,
      },
    });
    assert.equal(made.status, 201);

    const server = await withInvitations(t, radicale, { ...login, address: 'mailto:Ada%40example.com' });
    assert.deepEqual(await busyHours(server), [12]);
  },
);

for (const kind of ['apple', 'caldav'] as const) {
  it(`a meeting that the user declined is free time at ${kind}, whose account is a principal`, async (t) => {
    const bench = await openBench(kind);
    t.after(() => bench.close());
    await bench.link();
    const token = await bench.server.token();
    const [calendar] = (await get(bench.server, '/calendars', token)).json();
    const [account] = await bench.server.deps.accounts.listAccounts('acme', 'ada');
    const login = await bench.server.deps.accounts.credentialsOf(account?.accountKey ?? '');
    const { username, password } = login ?? {};
    assert.ok(typeof username === 'string' && typeof password === 'string');
    const declined = `ATTENDEE;PARTSTAT=DECLINED:mailto:${ADA.email.toUpperCase()}`;
    await putAs({ username, password }, `${calendar.id}a.ics`, invitation('a', 10, declined));
    await putAs(
      { username, password },
      `${calendar.id}b.ics`,
      invitation('b', 12, declined.replace('ADA', 'EVE')),
    );
    bench.pass(61_000);

    assert.deepEqual(await busyHours(bench.server), [12]);
  });
}
