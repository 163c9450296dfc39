/** Graph v1.0 of the sandbox's Microsoft: calendars and events, by plain fetch. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { at, BERLIN, create, openGraph, pathOf, single, WEEKLY } from './graph.ts';
import { ADA, codeOf, everyPage, graphClient, type Json, signIn } from './harness.ts';

describe('Calendars of the Microsoft sandbox', () => {
  it('calendars are listed in pages with their colour, permission and meeting providers', async (t) => {
    const { graph, manual } = await openGraph(t);
    await manual.addCalendar(ADA, {
      title: 'Birthdays',
      timeZone: 'Europe/Berlin',
      color: '#ff8c00',
      readOnly: true,
    });

    const { value, pages } = await everyPage(graph, '/me/calendars?$top=1');

    assert.equal(pages, 2);
    assert.deepEqual(
      value.map(({ name, canEdit, isDefaultCalendar, hexColor }) => ({
        name,
        canEdit,
        isDefaultCalendar,
        hexColor,
      })),
      [
        { name: 'Calendar', canEdit: true, isDefaultCalendar: true, hexColor: '' },
        { name: 'Birthdays', canEdit: false, isDefaultCalendar: false, hexColor: '#ff8c00' },
      ],
    );
    assert.deepEqual(value[0]?.allowedOnlineMeetingProviders, ['teamsForBusiness']);
  });

  it('calendars of others are shown with a .Shared permission only, and their events by their own path only', async (t) => {
    const { graph, manual, sandbox } = await openGraph(t);
    const owner = { email: 'grace@contoso.example', name: 'Grace Hopper' };
    const shared = await manual.shareCalendar(ADA, { title: 'Grace', timeZone: 'UTC', owner });
    const scope = 'openid Calendars.ReadWrite.Shared';
    const wide = graphClient(sandbox, (await signIn(sandbox.origin, { scope })).accessToken);
    const event = await create(wide, shared, single('Hers'));

    assert.equal((await everyPage(graph, '/me/calendars')).value.length, 1);
    assert.equal((await graph('GET', `/me/calendars/${shared}/events`)).status, 403);
    assert.equal((await everyPage(wide, '/me/calendars')).value.length, 2);
    assert.equal((await wide('GET', pathOf(event))).status, 404);
    assert.equal(
      (await wide('GET', `/me/calendars/${shared}/events/${encodeURIComponent(String(event.id))}`)).status,
      200,
    );
  });

  it('Graph answers 401 without a good token, and 403 where the permission is too small, in Graph’s shape', async (t) => {
    const { sandbox, graph, clock, calendarId } = await openGraph(t, 'openid Calendars.Read');

    const anonymous = await graphClient(sandbox, 'forged')('GET', '/me/calendars');
    const reading = await graph('POST', `/me/calendars/${calendarId}/events`, { body: single('x') });
    clock.turn(3_601_000);
    const expired = await graph('GET', '/me/calendars');

    assert.deepEqual([anonymous.status, codeOf(anonymous)], [401, 'InvalidAuthenticationToken']);
    assert.deepEqual([reading.status, codeOf(reading)], [403, 'ErrorAccessDenied']);
    assert.deepEqual([expired.status, codeOf(expired)], [401, 'InvalidAuthenticationToken']);
    assert.ok(((expired.body.error as Json).innerError as Json)['request-id']);
  });

  it('Calendars.ReadBasic leaves bodies out', async (t) => {
    const { graph, manual, calendarId } = await openGraph(t, 'openid Calendars.ReadBasic');
    const times = { dateTime: '2026-11-28T09:00:00', timeZone: 'Europe/Berlin' };
    await manual.createEvent(ADA, calendarId, {
      title: 'Secret?',
      start: times,
      end: times,
      description: 'Yes',
    });

    const { value } = await everyPage(graph, `/me/calendars/${calendarId}/events`);

    assert.equal(value[0]?.subject, 'Secret?');
    assert.equal(value[0]?.body, undefined);
    assert.equal(value[0]?.bodyPreview, undefined);
  });
});

describe('Events of the Microsoft sandbox', () => {
  it('Graph’s events show times in UTC or the preferred zone, with seven digits, beside the organizer’s zone', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const { id } = await create(graph, calendarId, single('Breakfast'));

    const utc = await graph('GET', pathOf({ id }));
    const windows = await graph('GET', pathOf({ id }), {
      headers: { prefer: 'outlook.timezone="Tokyo Standard Time"' },
    });
    const unknown = await graph('GET', pathOf({ id }), { headers: { prefer: 'outlook.timezone="Nowhere"' } });

    assert.deepEqual(utc.body.start, { dateTime: '2026-11-28T08:00:00.0000000', timeZone: 'UTC' });
    assert.equal(utc.body.originalStartTimeZone, BERLIN);
    assert.deepEqual(windows.body.start, {
      dateTime: '2026-11-28T17:00:00.0000000',
      timeZone: 'Tokyo Standard Time',
    });
    assert.equal(windows.headers.get('preference-applied'), 'outlook.timezone="Tokyo Standard Time"');
    assert.equal(unknown.status, 400);
  });

  it('an all-day event keeps its dates in any zone, and is wanted from midnight to midnight', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const day = {
      subject: 'Trip',
      isAllDay: true,
      start: at('2026-11-28T00:00:00'),
      end: at('2026-11-30T00:00:00'),
    };
    const event = await create(graph, calendarId, day);

    const body = { ...day, end: at('2026-11-29T09:00:00') };
    const crooked = await graph('POST', `/me/calendars/${calendarId}/events`, { body });

    assert.deepEqual(event.start, { dateTime: '2026-11-28T00:00:00.0000000', timeZone: 'UTC' });
    assert.deepEqual(event.end, { dateTime: '2026-11-30T00:00:00.0000000', timeZone: 'UTC' });
    assert.equal(crooked.status, 400);
  });

  it('every item has two ids that both find it, and their case counts', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const { id } = await create(graph, calendarId, single('Twice named'));
    const headers = { prefer: 'IdType="ImmutableId"' };

    const immutable = await graph('GET', pathOf({ id }), { headers });
    const mutable = await graph('GET', pathOf(immutable.body));

    assert.notEqual(immutable.body.id, id);
    assert.equal(mutable.body.id, id);
    assert.equal((await graph('GET', pathOf({ id: String(id).toLowerCase() }))).status, 404);
  });

  it('single events and masters are listed in pages, without occurrences', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    for (const subject of ['a', 'b', 'c']) await create(graph, calendarId, single(subject));
    await create(graph, calendarId, WEEKLY);

    const { value, pages } = await everyPage(
      graph,
      `/me/calendars/${calendarId}/events?$top=2&$select=subject,type`,
    );

    assert.equal(pages, 2);
    assert.deepEqual(
      value.map(({ subject, type, body }) => [subject, type, body]),
      [
        ['a', 'singleInstance', undefined],
        ['b', 'singleInstance', undefined],
        ['c', 'singleInstance', undefined],
        ['Standup', 'seriesMaster', undefined],
      ],
    );
  });

  it('a repeated transactionId is answered with the event it made the first time', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const body = { ...single('Once'), transactionId: '7e1c' };

    const first = await create(graph, calendarId, body);
    const second = await create(graph, calendarId, body);

    assert.equal(second.id, first.id);
    assert.equal((await everyPage(graph, `/me/calendars/${calendarId}/events`)).value.length, 1);
  });

  it('a change based on another state is refused (If-Match, 412)', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const event = await create(graph, calendarId, single('Before'));
    const headers = { 'if-match': String(event['@odata.etag']) };

    const first = await graph('PATCH', pathOf(event), { body: { subject: 'Between' }, headers });
    const stale = await graph('PATCH', pathOf(event), { body: { subject: 'After' }, headers });
    const deletion = await graph('DELETE', pathOf(event), { headers });

    assert.equal(first.body.subject, 'Between');
    assert.notEqual(first.body.changeKey, event.changeKey);
    assert.deepEqual([stale.status, codeOf(stale)], [412, 'ErrorIrresolvableConflict']);
    assert.equal(deletion.status, 412);
    assert.equal((await graph('DELETE', pathOf(event))).status, 204);
    assert.equal((await graph('GET', pathOf(event))).status, 404);
  });

  it('an event makes a Teams meeting, and only one', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const event = await create(graph, calendarId, { ...single('Call'), isOnlineMeeting: true });

    const changed = await graph('PATCH', pathOf(event), {
      body: { isOnlineMeeting: true, subject: 'Still' },
    });

    assert.match(
      String((event.onlineMeeting as Json).joinUrl),
      /^https:\/\/teams\.microsoft\.com\/l\/meetup-join\//,
    );
    assert.equal(event.onlineMeetingProvider, 'teamsForBusiness');
    assert.deepEqual(changed.body.onlineMeeting, event.onlineMeeting);
  });

  it('custom data is kept for those who ask for it by name', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const id = 'String {66f5a359-4659-4830-9070-00047ec6ac6e} Name kalends';
    const event = await create(graph, calendarId, {
      ...single('Tagged'),
      singleValueExtendedProperties: [{ id, value: '{}' }],
    });
    const expand = `$expand=singleValueExtendedProperties($filter=id eq '${id}')`;

    const bare = await graph('GET', pathOf(event));
    const whole = await graph('GET', `${pathOf(event)}?${expand}`);

    assert.equal(bare.body.singleValueExtendedProperties, undefined);
    assert.deepEqual(whole.body.singleValueExtendedProperties, [{ id, value: '{}' }]);
  });

  const refusals: [rule: string, body: object][] = [
    ['a member it does not know', { ...single('x'), colour: 'red' }],
    ['no start', { subject: 'x', end: at('2026-11-28T10:00:00') }],
    ['an end before the start', { ...single('x'), end: at('2026-11-28T08:00:00') }],
    ['an unknown zone', { ...single('x'), start: at('2026-11-28T09:00:00', 'Mars Standard Time') }],
    ['a time of another form', { ...single('x'), start: at('28.11.2026 9:00') }],
    [
      'a recipient without an address',
      { ...single('x'), attendees: [{ emailAddress: { address: 'Grace' } }] },
    ],
    [
      'a pattern it has no word for',
      { ...WEEKLY, recurrence: { ...WEEKLY.recurrence, pattern: { type: 'hourly' } } },
    ],
    [
      'a pattern without its days',
      { ...WEEKLY, recurrence: { ...WEEKLY.recurrence, pattern: { type: 'weekly' } } },
    ],
    ['a body that is no object', [1, 2]],
  ];
  for (const [rule, body] of refusals) {
    it(`Graph refuses ${rule} with 400 and a reason`, async (t) => {
      const { graph, calendarId } = await openGraph(t);

      const answer = await graph('POST', `/me/calendars/${calendarId}/events`, { body });

      assert.equal(answer.status, 400);
      assert.ok(String((answer.body.error as Json).message).length > 10);
    });
  }
});

describe('Limits of the Microsoft sandbox', () => {
  it('four requests of a mailbox at once are served and the others refused with Retry-After', async (t) => {
    const { graph, faults } = await openGraph(t);
    const effect = { kind: 'latency', ms: 3_000 } as const;
    faults.set({ provider: 'microsoft', operation: 'calendars.list', times: 4, effect });

    const answers = await Promise.all(Array.from({ length: 7 }, () => graph('GET', '/me/calendars')));
    const later = await graph('GET', '/me/calendars');

    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(answers.filter(({ status }) => status === 200).length, 4);
    assert.equal(refused.length, 3);
    assert.equal(refused[0]?.headers.get('retry-after'), '1');
    assert.match(JSON.stringify(refused[0]?.body), /MailboxConcurrency/);
    assert.equal(later.status, 200);
  });

  it('Graph tells when colleagues are busy, but not to personal accounts', async (t) => {
    const { graph, manual, sandbox, calendarId } = await openGraph(t);
    await create(graph, calendarId, single('Taken'));
    await manual.addPerson({ email: 'mary@outlook.com', name: 'Mary Shelley' });
    const { accessToken } = await signIn(sandbox.origin, { account: 'mary@outlook.com' });
    const body = {
      schedules: [ADA, 'nobody@contoso.example'],
      startTime: at('2026-11-28T07:00:00', 'UTC'),
      endTime: at('2026-11-28T10:00:00', 'UTC'),
      availabilityViewInterval: 60,
    };

    const colleagues = await graph('POST', '/me/calendar/getSchedule', { body });
    const personal = await graphClient(sandbox, accessToken)('POST', '/me/calendar/getSchedule', { body });

    const schedules = colleagues.body.value as Json[];
    assert.equal(schedules[0]?.availabilityView, '020');
    assert.deepEqual(
      schedules.map(({ error }) => (error as Json | undefined)?.responseCode),
      [undefined, 'ErrorMailRecipientNotFound'],
    );
    assert.equal(personal.status, 403);
  });
});
