/** Responses to invitations: a meeting that the user declined leaves the time free, all others block it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { Attendee, CalendarEvent } from '../../src/calendars/event.ts';
import { ProviderError } from '../../src/calendars/provider-error.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const WINDOW = 'start=2026-12-01&end=2026-12-02';
const HOUR = 3_600_000;

type Guests = readonly (readonly [email: string, status: Attendee['status']])[];
const invited = (guests: Guests, more: Partial<CalendarEvent> = {}): Partial<CalendarEvent> => ({
  attendees: guests.map(([email, status]) => ({ email, status })),
  ...more,
});

describe('meetings that were declined', () => {
  let server: CalendarServer;
  let token: string;
  beforeEach(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar('/work/'));
    server.provider.addresses = ['ada@example.com', 'ada.lovelace@example.org'];
    token = await server.token('read');
  });
  afterEach(() => server.close());

  /** Links an account as CalDAV identifies its user: by a principal's address, and by a name at the server. */
  const linkPrincipal = () =>
    link(server, {
      accountId: 'https://dav.example/principals/0815/',
      display: 'ada (dav.example)',
    });
  /** Returns the local hours at which the events that block begin. */
  const busyHours = async (...events: Partial<CalendarEvent>[]): Promise<number[]> => {
    const resources = events.map((change, i) =>
      resource(`e${i}`, event(`2026-12-01T${String(8 + 2 * i).padStart(2, '0')}:00:00`, change)),
    );
    server.provider.put('/work/', ...resources);
    await linkPrincipal();
    const { busy } = (await get(server, `/free-busy?${WINDOW}`, token)).json();
    return busy.map(({ start }: { start: string }) => Number(start.slice(11, 13)) + 1);
  };

  it('a meeting is free time where its guest with one of the account’s addresses declined, in whatever case', async () => {
    const hours = await busyHours(
      invited([['Ada@Example.COM', 'declined']]),
      invited([['ada.lovelace@example.org', 'declined']]),
      invited([['grace@example.com', 'declined']]),
    );

    assert.deepEqual(hours, [12]);
  });

  it('a meeting blocks while its invitation is not answered, and when the answer is perhaps', async () => {
    assert.deepEqual(
      await busyHours(
        invited([['ada@example.com', 'none']]),
        invited([['ada@example.com', 'tentative']]),
        invited([['ada@example.com', 'accepted']]),
      ),
      [8, 10, 12],
    );
  });

  it('a meeting blocks where the user was invited under two addresses and declined one of them only', async () => {
    const both = (status: Attendee['status']): Partial<CalendarEvent> =>
      invited([
        ['ada@example.com', 'declined'],
        ['ada.lovelace@example.org', status],
      ]);

    assert.deepEqual(await busyHours(both('none'), both('accepted'), both('declined')), [8, 10]);
  });

  it('the answer that the provider marks as the account’s own counts before all guests’', async () => {
    assert.deepEqual(
      await busyHours(
        invited([['somebody@else.example', 'none']], { response: 'declined' }),
        invited([['ada@example.com', 'declined']], { response: 'accepted' }),
        { response: 'declined' },
        { response: 'none' },
      ),
      [10, 14],
    );
  });

  it('a declined meeting leaves slots to be offered', async () => {
    await busyHours(invited([['ada@example.com', 'declined']]));

    const answer = await server.app.inject({
      method: 'POST',
      url: '/availability',
      headers: { authorization: `Bearer ${token}` },
      payload: { start: '2026-12-01T07:00:00Z', end: '2026-12-01T08:00:00Z', duration: 60 },
    });

    assert.equal(answer.json().slots.length, 1);
  });

  it('an occurrence that was declined by itself is free time, and its series still blocks', async () => {
    const recurrence = { rrules: ['FREQ=DAILY;COUNT=3'], rdates: [], exdates: [] };
    const recurrenceId = { type: 'zoned', local: '2026-12-01T10:00:00', zone: 'Europe/Paris' } as const;
    server.provider.put(
      '/work/',
      resource(
        'daily',
        event('2026-11-30T10:00:00', { recurrence, ...invited([['ada@example.com', 'accepted']]) }),
        event('2026-12-01T10:00:00', { recurrenceId, ...invited([['ada@example.com', 'declined']]) }),
      ),
    );
    await linkPrincipal();

    const { busy } = (await get(server, '/free-busy?start=2026-11-30&end=2026-12-04', token)).json();

    assert.deepEqual(
      busy.map(({ start }: { start: string }) => start.slice(0, 10)),
      ['2026-11-30', '2026-12-02'],
    );
  });

  it('an event shows the account’s own answer where its provider marks it, except to who may see busy time only', async () => {
    await busyHours({ response: 'tentative' }, {});
    const shown = async (bearer: string) =>
      (await get(server, `/events?${WINDOW}`, bearer))
        .json()
        .events.map(({ response }: { response?: string }) => response);

    assert.deepEqual(await shown(token), ['tentative', undefined]);
    assert.deepEqual(await shown(await server.token('free-busy')), [undefined, undefined]);
  });

  it('the addresses of an account are read once an hour, and again when it is reconnected', async () => {
    const asked = () => server.provider.calls.filter((call) => call === 'addresses').length;
    const read = async (later: number) => {
      server.clock.now += later;
      const answer = await get(server, '/calendars', await server.token('read'));
      assert.equal(answer.statusCode, 200);
    };
    await linkPrincipal();

    await read(0);
    await read(20_000);
    assert.equal(asked(), 1);
    await read(HOUR);
    assert.equal(asked(), 2);
    await linkPrincipal();
    await read(20_000);
    assert.equal(asked(), 3);
  });

  it('a server that does not say how it names its user has its calendars read, and what it said before stays', async () => {
    assert.deepEqual(await busyHours(invited([['ada@example.com', 'declined']])), []);
    const error = new ProviderError('unavailable', 'No principal');
    server.provider.failures.push({ call: 'addresses', error });
    server.clock.now += 2 * HOUR;
    token = await server.token('read');

    const answer = (await get(server, `/free-busy?${WINDOW}`, token)).json();

    assert.deepEqual([answer.busy, answer.errors], [[], undefined]);
    assert.ok(server.log.lines.some((line) => line.includes('addresses of an account could not be read')));
    const { connections } = (await get(server, '/connection-status', token)).json();
    assert.equal(connections.caldav[0].health.state, 'active');
  });

  it('of a server that names its user in endless ways the first ways are kept', async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => `a${i}@example.com`);
    server.provider.addresses = [`${'x'.repeat(400)}@example.com`, ...many];

    const hours = await busyHours(
      invited([['a49@example.com', 'declined']]),
      invited([['a50@example.com', 'declined']]),
    );

    assert.deepEqual(hours, [10]);
  });
});
