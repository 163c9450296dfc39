/** Facts about its user that a CalDAV server returns: addresses for invitations, and the main calendar. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { openAccount } from '../../../src/providers/caldav/caldav-account.ts';
import { CALENDAR, multistatus, OddCalDav, present } from '../../servers/odd-caldav.ts';
import { USERS } from '../../servers/process.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const COLLECTION = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';
const INBOX = '<d:resourcetype><d:collection/><c:schedule-inbox/></d:resourcetype>';
const named = (href: string) =>
  `<c:schedule-default-calendar-URL><d:href>${href}</d:href></c:schedule-default-calendar-URL>`;
const owned = (href: string) => `<d:owner><d:href>${href}</d:href></d:owner>`;
const READ_ONLY =
  '<d:current-user-privilege-set><d:privilege><d:read/></d:privilege></d:current-user-privilege-set>';

describe('what a CalDAV server says of its user', () => {
  let server: OddCalDav;
  let egress: Egress;
  beforeEach(async () => {
    server = new OddCalDav();
    await server.start();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  });
  afterEach(async () => {
    await egress.close();
    await server.stop();
  });

  const account = (username = 'ada', others: readonly string[] = []) => {
    const { origin } = server;
    const credentials = {
      username,
      password: USERS.ada ?? '',
      principal: `${origin}/principal/`,
      homes: [`${origin}/dav/ada/`, ...others.map((path) => origin + path)],
      origins: [origin],
    };
    return openAccount(credentials, { egress, log: recordingLog().log, now: Date.now });
  };
  const answering = (path: string, body: string) => {
    server.odd = (call) => (call.path === path ? multistatus(body) : undefined);
  };
  const mainOf = async (...members: string[]): Promise<string[]> => mainIn({ '/dav/ada/': members });
  /** The first of the homes is Ada's own. */
  const mainIn = async (homes: Readonly<Record<string, readonly string[]>>): Promise<string[]> => {
    server.odd = ({ path }) => homes[path] && multistatus(homes[path].join(''));
    const calendars = await account('ada', Object.keys(homes).slice(1)).listCalendars();
    return calendars.filter(({ primary }) => primary).map(({ href }) => href.slice(server.origin.length));
  };
  const addressesOf = (...hrefs: string[]) => {
    const set = hrefs.map((href) => `<d:href>${href}</d:href>`).join('');
    const body = `<c:calendar-user-address-set>${set}</c:calendar-user-address-set>`;
    answering('/principal/', present('/principal/', body));
    return account().userAddresses?.();
  };

  it('the main calendar is the one that the inbox among the calendars puts invitations into', async () => {
    const other = present('/dav/ada/a/', COLLECTION);
    const work = present(CALENDAR, COLLECTION);
    const inbox = (href: string) => present('/dav/ada/inbox/', INBOX + named(href));

    assert.deepEqual(await mainOf(other, work, inbox(CALENDAR)), [CALENDAR]);
    assert.deepEqual(await mainOf(inbox(`${server.origin}/dav/ada/%77ork`), other, work), [CALENDAR]);
  });

  it('the first calendar that can be written to is the main one where no inbox names one that is listed', async () => {
    const other = present('/dav/ada/a/', COLLECTION + READ_ONLY);
    const work = present(CALENDAR, COLLECTION);
    const inboxes = ['', named('/dav/ada/gone/'), named('http://:x/')].map((property) =>
      present('/dav/ada/inbox/', INBOX + property),
    );

    for (const inbox of ['', ...inboxes]) assert.deepEqual(await mainOf(other, work, inbox), [CALENDAR]);
    const box = present('/dav/ada/z/', COLLECTION + named('/dav/ada/z/'));
    assert.deepEqual(await mainOf(work, box), [CALENDAR], 'it is no inbox');
    assert.deepEqual(await mainOf(other), []);
  });

  it('a calendar of another owner is not the main one, though it comes first among the calendars', async () => {
    const shared = present('/dav/ada/a_shared_by_bob/', COLLECTION + owned('/principals/bob/'));

    for (const owner of ['', owned('/principal'), owned('https://p07.caldav.example/%70rincipal/')])
      assert.deepEqual(await mainOf(shared, present(CALENDAR, COLLECTION + owner)), [CALENDAR], owner);
    assert.deepEqual(await mainOf(shared), []);
  });

  it('the inbox of another home names no main calendar, nor is one of that home', async () => {
    const own = present(CALENDAR, COLLECTION);
    const bobs = present('/dav/bob/a/', COLLECTION);
    const inbox = present('/dav/bob/inbox/', INBOX + named('/dav/bob/a/'));

    assert.deepEqual(await mainIn({ '/dav/ada/': [own], '/dav/bob/': [bobs, inbox] }), [CALENDAR]);
    assert.deepEqual(await mainIn({ '/dav/ada/': [], '/dav/bob/': [bobs, inbox] }), []);
  });

  it('the user’s addresses are the e-mail addresses that the principal names, each once, decoded and without their fields', async () => {
    assert.deepEqual(
      await addressesOf(
        '/principal/',
        'mailto:ada@example.com',
        'MAILTO: Ada%2Blists@example.com?subject=x',
        'urn:uuid:2f1c',
        'mailto:ada@example.com',
        'mailto:',
        'mailto:no address',
        'https://example.com/ada@example.com',
      ),
      ['ada@example.com', 'Ada+lists@example.com'],
    );
    assert.deepEqual(await addressesOf(), []);
  });

  it('the login is an address of the user where it is an e-mail address, whatever the principal says', async () => {
    server.odd = () => ({ status: 404 });

    assert.deepEqual(await account('ada@example.com').userAddresses?.(), ['ada@example.com']);
    assert.deepEqual(await account('ada').userAddresses?.(), []);
  });
});
