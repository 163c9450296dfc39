/** Listings in which the server fails to return single members, or hides them from the user. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { CalendarAccount } from '../../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { openAccount } from '../../../src/providers/caldav/caldav-account.ts';
import { type Mirror, sync, titles } from '../../servers/mirror.ts';
import { CALENDAR, gone, multistatus, OddCalDav, present } from '../../servers/odd-caldav.ts';
import { USERS } from '../../servers/process.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const HOME = '/dav/ada/';
const SHARED = `${HOME}shared/`;

const isUnavailable = (failure: unknown) =>
  failure instanceof ProviderError && failure.kind === 'unavailable';

describe('a member of a CalDAV listing', () => {
  let server: OddCalDav;
  let egress: Egress;
  let account: CalendarAccount;
  let mirror: Mirror;

  beforeEach(async () => {
    server = new OddCalDav();
    await server.start();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    mirror = new Map();
    const { origin } = server;
    account = openAccount(
      {
        ...{ username: 'ada', password: USERS.ada ?? '', origins: [origin] },
        ...{ principal: `${origin}/principal/`, homes: [origin + HOME] },
      },
      { egress, log: recordingLog().log, now: () => Date.UTC(2026, 10, 21) },
    );
    server.put('a.ics');
    server.put('b.ics');
  });
  afterEach(async () => {
    await egress.close();
    await server.stop();
  });

  describe('of a home', () => {
    const work = present(CALENDAR, '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>');
    const listWith = (member: string) => {
      server.odd = ({ path }) => (path === HOME ? multistatus(work + member) : undefined);
      return account.listCalendars();
    };
    const withoutType = (status: string) =>
      `<d:response><d:href>${SHARED}</d:href>` +
      '<d:propstat><d:prop><d:displayname>Shared</d:displayname></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>' +
      `<d:propstat><d:prop><d:resourcetype/></d:prop><d:status>HTTP/1.1 ${status}</d:status></d:propstat></d:response>`;

    for (const status of ['429 Too Many Requests', '500 Internal Server Error', '503 Service Unavailable'])
      it(`makes the list unavailable with ${status}, for itself or for its type`, async () => {
        await assert.rejects(listWith(gone(SHARED, status)), isUnavailable);
        await assert.rejects(listWith(withoutType(status)), isUnavailable);
      });

    for (const status of ['401 Unauthorized', '403 Forbidden', '404 Not Found'])
      it(`is left out with ${status}, for itself or for its type`, async () => {
        for (const member of [gone(SHARED, status), withoutType(status)])
          assert.deepEqual(
            (await listWith(member)).map(({ href }) => href),
            [server.origin + CALENDAR],
          );
      });
  });

  describe('of a page of changes', () => {
    const pull = async (token?: string) =>
      (await sync(account, server.origin + CALENDAR, mirror, token)).next;
    const changeWith = (status: string) => {
      server.odd = ({ kind }) =>
        kind === 'sync-collection'
          ? multistatus(`${gone(`${CALENDAR}c.ics`, status)}<d:sync-token>urn:odd:9</d:sync-token>`)
          : undefined;
    };

    for (const status of ['423 Locked', '500 Internal Server Error', '503 Service Unavailable'])
      it(`is fetched alone with ${status}`, async () => {
        const next = await pull();
        server.put('c.ics');
        changeWith(status);

        await pull(next);

        assert.deepEqual(titles(mirror), ['a.ics', 'b.ics', 'c.ics']);
      });

    it('is fetched by the next sync if it is unavailable alone too', async () => {
      const next = await pull();
      server.put('c.ics');
      changeWith('503 Service Unavailable');
      const { odd } = server;
      server.odd = (call) => {
        if (call.kind === 'calendar-multiget') return multistatus('');
        return call.kind === 'GET' ? { status: 503 } : odd(call);
      };

      await assert.rejects(pull(next), isUnavailable);
      server.odd = () => undefined;
      await pull(next);

      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics', 'c.ics']);
    });

    it('is not fetched with 403', async () => {
      const next = await pull();
      changeWith('403 Forbidden');
      server.takeCalls();

      await pull(next);

      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
      assert.deepEqual(server.takeCalls(), ['sync-collection 0']);
    });
  });
});
