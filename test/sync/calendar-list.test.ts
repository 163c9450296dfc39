/** Accounts with more calendars than are read, and calendars that are described at length. On SQLite. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ProviderError } from '../../src/calendars/provider-error.ts';
import { calendar } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const MOST = 500;
const hrefOf = (index: number) => `/c${String(index).padStart(3, '0')}/`;

describe('a list of too many calendars', () => {
  let server: CalendarServer;
  let token: string;
  beforeEach(async () => {
    server = await openCalendarServer();
    token = await server.token();
  });
  afterEach(() => server.close());

  const listed = async () => {
    const { statusCode, headers, body } = await get(server, '/calendars', token);
    assert.equal(statusCode, 200);
    const errors = JSON.parse(String(headers['kalends-errors'] ?? '[]'));
    const parsed = JSON.parse(body);
    return { calendars: Array.isArray(parsed) ? parsed : parsed.calendars, errors };
  };
  const account = async () => (await server.deps.accounts.listAccounts('acme', 'ada'))[0];
  const later = (ms: number) => {
    server.clock.now += ms;
  };

  it('a list of too many calendars keeps the first of them, and names the limit until they are fewer', async () => {
    for (let index = 0; index <= MOST; index += 1) server.provider.addCalendar(calendar(hrefOf(index)));
    await link(server);

    const { calendars, errors } = await listed();
    const state = (await account())?.health;
    later(11_000);
    const again = await listed();
    server.provider.calendars.delete(hrefOf(0));
    later(11_000);
    const fewer = await listed();

    assert.equal(calendars.length, MOST);
    assert.deepEqual(
      [errors[0]?.code, errors[0]?.reason, errors[0]?.actor],
      ['too_many_calendars', 'too_many_calendars', 'user'],
    );
    assert.deepEqual([state?.state, state?.reason], ['degraded', 'too_many_calendars']);
    assert.deepEqual([again.calendars.length, again.errors.length], [MOST, 1]);
    assert.equal(server.provider.calls.filter((call) => call === 'list').length, 3);
    assert.deepEqual([fewer.calendars.length, fewer.errors], [MOST, []]);
    assert.equal((await account())?.health.state, 'active');
  });

  it('a list of too many calendars is no failed sync: its calendars are read, its failures listed first', async () => {
    for (let index = 0; index <= MOST; index += 1) server.provider.addCalendar(calendar(hrefOf(index)));
    const { accountKey } = await link(server);

    const failure = await server.deps.sync.syncList(accountKey, server.clock.now);
    const joined = await server.deps.sync.syncList(accountKey, server.clock.now);
    later(11_000);
    server.provider.failures.push({ call: 'list', error: new ProviderError('unavailable', 'Down') });
    const down = await listed();

    assert.deepEqual([failure, joined], [undefined, undefined]);
    assert.deepEqual([down.errors[0]?.code, down.calendars.length], ['unavailable', MOST]);
  });

  it('a calendar whose own object is too large is listed without it', async () => {
    server.provider.addCalendar(calendar('/a/', { original: { long: 'x'.repeat(100_000) } }));
    await link(server);

    const { calendars } = await listed();

    assert.deepEqual([calendars[0].originalTruncated, calendars[0].original], [true, undefined]);
  });
});
