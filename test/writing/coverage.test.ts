/** A grant writes where it covers an account at `read-write`, and nowhere else. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { EVENT, HOME, ID } from './event-site.ts';

const NAMED = { ...ID, eventId: 'x' };
/** One request for each route that writes. */
const WRITES = [
  ['POST', '/event', EVENT],
  ['PUT', '/event', { ...NAMED, title: 'Changed' }],
  ['DELETE', '/event', NAMED],
  ['POST', '/event/rsvp', { ...NAMED, response: 'accepted' }],
  ['POST', '/calendars', { provider: 'caldav', title: 'New' }],
  ['PUT', '/calendars', { ...ID, title: 'Changed' }],
  ['DELETE', '/calendars', ID],
] as const;

describe('writing where a grant may', () => {
  let server: CalendarServer;
  before(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar(HOME));
    server.provider.put(HOME, resource('x', event('2026-11-20T09:00:00')));
    server.apple.addCalendar(calendar('/other/'));
    await link(server);
    await link(server, { provider: 'apple', accountId: 'other', group: 'other' });
    await get(server, '/events', await server.token());
  });
  after(() => server.close());

  const send = (token: string, [method, url, payload]: readonly [string, string, object], key?: string) =>
    server.app.inject({
      method: method as 'POST',
      url,
      headers: {
        authorization: `Bearer ${token}`,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      payload,
    });

  it('an account that is covered for less than writing refuses every write, and is not asked', async () => {
    for (const coveredAt of ['read', 'free-busy'] as const) {
      const token = await server.tokenOf({ covers: { own: coveredAt, other: 'read-write' } });
      const before = server.provider.calls.length;
      for (const write of WRITES) {
        const answer = await send(token, write);

        const what = `${write[0]} ${write[1]} at ${coveredAt}: ${answer.body}`;
        assert.deepEqual([answer.statusCode, answer.json().code], [403, 'insufficient_scope'], what);
        assert.match(String(answer.headers['www-authenticate']), /error="insufficient_scope"/, what);
      }
      assert.equal(server.provider.calls.length, before);
    }
  });

  it('every write to an account of another group is answered as to one that is not there', async () => {
    const token = await server.tokenOf({ covers: { other: 'read-write' } });
    const before = server.provider.calls.length;
    for (const write of WRITES) {
      const answer = await send(token, write);

      assert.equal(answer.statusCode, 404, `${write[0]} ${write[1]}: ${answer.body}`);
      assert.match(answer.json().code, /^(calendar|account)_not_found$/);
    }
    assert.equal(server.provider.calls.length, before);
  });

  it('the answer kept under an Idempotency-Key is not shown to a grant that does not cover its account', async () => {
    const mine = await server.token();
    const first = await send(mine, ['POST', '/event', { ...EVENT, title: 'Secret' }], 'key');
    assert.equal(first.statusCode, 200, first.body);
    const other = await server.tokenOf({ covers: { other: 'read-write' } });
    const narrow = await server.tokenOf({ covers: { own: 'read', other: 'read-write' } });

    for (const token of [other, narrow]) {
      const answer = await send(token, ['POST', '/event', { ...EVENT, title: 'Secret' }], 'key');
      assert.deepEqual([answer.statusCode, answer.json().code], [422, 'idempotency_key_reused']);
      assert.doesNotMatch(answer.body, /Secret/);
    }
    const again = await send(await server.token(), ['POST', '/event', { ...EVENT, title: 'Secret' }], 'key');
    assert.equal(again.body, first.body, 'another grant that covers the account has it');
  });
});
