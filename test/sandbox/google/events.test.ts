import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';

import {
  ADA,
  type Api,
  allPages,
  apiOf,
  calendarScope,
  type OpenGoogle,
  openGoogle,
  signIn,
} from './google-client.ts';

const BRUSSELS = 'Europe/Brussels';
const READ_ONLY = { title: 'Team', timeZone: BRUSSELS, readOnly: true };
const at = (dateTime: string, timeZone = BRUSSELS) => ({ dateTime, timeZone });
const meeting = (title: string, day = '2026-11-23') => ({
  summary: title,
  start: at(`${day}T09:00:00`),
  end: at(`${day}T10:00:00`),
});
/** Weekly over the end of summer time. */
const weekly = {
  summary: 'Standup',
  start: at('2026-10-12T09:00:00'),
  end: at('2026-10-12T09:30:00'),
  recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
};

describe('events of the sandbox’s Google', () => {
  let open: OpenGoogle;
  let api: Api;
  let id: string;
  const path = (eventId = '', query = '') =>
    `/calendars/${encodeURIComponent(id)}/events${eventId && `/${eventId}`}${query}`;
  const insert = async (body: object, query = '') => (await api.call('POST', path('', query), { body })).body;
  const reasonOf = ({ body }: { body: { error: { errors: { reason: string }[] } } }) =>
    body.error.errors[0]?.reason;

  before(async () => {
    open = await openGoogle();
    const scope = `openid email ${calendarScope('events')} ${calendarScope('calendarlist.readonly')} ${calendarScope('freebusy')}`;
    api = apiOf(open.google, (await signIn(open.google, { scope })).access_token);
  });
  beforeEach(async () => {
    id = await open.google.manual.addCalendar(ADA.email, { title: 'Work', timeZone: BRUSSELS });
  });

  it('Google’s events come back with times in the calendar’s offset beside their own zone', async () => {
    const { start } = await insert({
      summary: 'Call',
      start: at('2026-11-23T09:00:00', 'America/New_York'),
      end: at('2026-11-23T10:00:00', 'America/New_York'),
    });

    assert.deepEqual(start, { dateTime: '2026-11-23T15:00:00+01:00', timeZone: 'America/New_York' });
  });

  it('Google’s events have an etag that If-Match is held against on update, patch and delete', async () => {
    const event = await insert(meeting('Review'));
    const renamed = await api.call('PATCH', path(event.id), {
      body: { summary: 'Retro' },
      headers: { 'if-match': event.etag },
    });
    const stale = { headers: { 'if-match': event.etag } };

    const patched = await api.call('PATCH', path(event.id), { body: { summary: 'No' }, ...stale });
    const updated = await api.call('PUT', path(event.id), { body: meeting('No'), ...stale });
    const deleted = await api.call('DELETE', path(event.id), stale);

    assert.equal(renamed.status, 200);
    assert.notEqual(renamed.body.etag, event.etag);
    assert.deepEqual([patched.status, updated.status, deleted.status], [412, 412, 412]);
    assert.equal(reasonOf(patched), 'conditionNotMet');
    assert.equal((await api.call('GET', path(event.id))).body.summary, 'Retro');
  });

  it('Google’s events keep on PATCH what it does not name, and lose it on PUT', async () => {
    const event = await insert({ ...meeting('Review'), location: 'Room 1', description: 'Bring data' });

    const patched = await api.call('PATCH', path(event.id), {
      body: { summary: 'Retro', description: null },
    });
    const replaced = await api.call('PUT', path(event.id), { body: meeting('Planning') });

    assert.deepEqual([patched.body.location, patched.body.description], ['Room 1', undefined]);
    assert.deepEqual([replaced.body.summary, replaced.body.location], ['Planning', undefined]);
  });

  it('Google’s events take an id of the client’s once, and refuse it ever after with 409', async () => {
    const body = { ...meeting('Mine'), id: 'abc0123456789' };

    const first = await api.call('POST', path(), { body });
    const second = await api.call('POST', path(), { body });
    await api.call('DELETE', path(body.id));
    const afterwards = await api.call('POST', path(), { body });

    assert.equal(first.body.id, body.id);
    assert.deepEqual([second.status, afterwards.status], [409, 409]);
    assert.equal(reasonOf(second), 'duplicate');
  });

  it('Google’s events are gone once: a second deletion is 410, and get still shows that they are cancelled', async () => {
    const event = await insert(meeting('Review'));

    const [first, second] = [
      await api.call('DELETE', path(event.id)),
      await api.call('DELETE', path(event.id)),
    ];

    assert.deepEqual([first.status, second.status], [204, 410]);
    assert.equal((await api.call('GET', path(event.id))).body.status, 'cancelled');
    assert.equal((await api.call('GET', path('nothere'))).status, 404);
  });

  it('Google’s events get a Meet conference only where the client says it knows conferences', async () => {
    const conferenceData = {
      createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'hangoutsMeet' } },
    };

    const without = await insert({ ...meeting('Call'), conferenceData });
    const withMeet = await insert({ ...meeting('Call'), conferenceData }, '?conferenceDataVersion=1');

    assert.equal(without.conferenceData, undefined);
    assert.match(withMeet.hangoutLink, /^https:\/\/meet\.google\.com\/[a-z]{3}-[a-z]{4}-[a-z]{3}$/);
    assert.equal(withMeet.conferenceData.entryPoints[0].uri, withMeet.hangoutLink);
    assert.equal(withMeet.conferenceData.createRequest.status.statusCode, 'success');
  });

  for (const [what, change, reason] of [
    ['without an end', { end: undefined }, 'required'],
    ['that ends before it starts', { end: at('2026-11-23T08:00:00') }, 'timeRangeEmpty'],
    ['with a date at one end only', { end: { date: '2026-11-24' } }, 'invalid'],
    ['with a time without offset or zone', { start: { dateTime: '2026-11-23T09:00:00' } }, 'invalid'],
    ['in a zone nobody knows', { start: at('2026-11-23T09:00:00', 'Mars/Olympus') }, 'invalid'],
    ['on a day that is none', { start: { date: '2026-02-30' } }, 'invalid'],
    ['with a rule nobody can follow', { recurrence: ['RRULE:FREQ=NEVER'] }, 'invalid'],
    ['with a title that is no text', { summary: 5 }, 'invalid'],
    ['with an attendee without address', { attendees: [{ displayName: 'Ada' }] }, 'invalid'],
    ['with attendees that are no list', { attendees: {} }, 'invalid'],
    ['with an id of other letters', { id: 'ABC-123' }, 'invalid'],
    [
      'that recurs without a zone',
      {
        start: { dateTime: '2026-11-23T09:00:00Z' },
        end: { dateTime: '2026-11-23T10:00:00Z' },
        recurrence: ['RRULE:FREQ=DAILY'],
      },
      'required',
    ],
  ] as const) {
    it(`Google’s events are refused ${what}`, async () => {
      const response = await api.call('POST', path(), { body: { ...meeting('Wrong'), ...change } });

      assert.equal(response.status, 400);
      assert.equal(reasonOf(response), reason);
      assert.deepEqual((await allPages(api, id)).items, []);
    });
  }

  it('Google’s events are refused when the body is no JSON object', async () => {
    for (const text of ['{', '[]', '"event"', 'null']) {
      const response = await fetch(`${open.google.apiUrl}${path()}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${(await signIn(open.google)).access_token}` },
        body: text,
      });

      assert.equal(response.status, 400, text);
    }
  });

  it('Google’s events cannot be written where the person only reads', async () => {
    id = await open.google.manual.addCalendar(ADA.email, READ_ONLY);

    const response = await api.call('POST', path(), { body: meeting('No') });

    assert.equal(response.status, 403);
    assert.equal(reasonOf(response), 'requiredAccessLevel');
  });

  it('Google’s events show readers of the calendar that a private event exists, without its details', async () => {
    id = await open.google.manual.addCalendar(ADA.email, READ_ONLY);
    await open.google.manual.createEvent(ADA.email, id, { title: 'Secret', privacy: 'private', ...times });
    await open.google.manual.createEvent(ADA.email, id, { title: 'Known', ...times });

    const { items } = await allPages(api, id);

    assert.deepEqual(items.map(({ summary }) => summary ?? '').sort(), ['', 'Known']);
  });
});

const times = {
  start: { dateTime: '2026-11-23T09:00:00', timeZone: BRUSSELS },
  end: { dateTime: '2026-11-23T10:00:00', timeZone: BRUSSELS },
};

describe('a series of the sandbox’s Google', () => {
  let open: OpenGoogle;
  let api: Api;
  let id: string;
  let seriesId: string;
  const instanceId = (start: string) => `${seriesId}_${start}`;
  const path = (eventId: string, query = '') =>
    `/calendars/${encodeURIComponent(id)}/events/${eventId}${query}`;
  const startsIn = async (query: Record<string, string>) =>
    (await allPages(api, id, { singleEvents: 'true', orderBy: 'startTime', ...query })).items.map(
      ({ start }) => start?.dateTime ?? start?.date,
    );

  before(async () => {
    open = await openGoogle();
    api = apiOf(open.google, (await signIn(open.google)).access_token);
  });
  beforeEach(async () => {
    id = await open.google.manual.addCalendar(ADA.email, { title: 'Work', timeZone: BRUSSELS });
    const { body } = await api.call('POST', `/calendars/${encodeURIComponent(id)}/events`, { body: weekly });
    seriesId = body.id;
  });

  it('a series at Google is listed as one master, or as its instances at the same time of day over a clock change', async () => {
    const { items } = await allPages(api, id);

    const starts = await startsIn({});

    assert.deepEqual(
      items.map(({ recurrence }) => recurrence),
      [weekly.recurrence],
    );
    assert.deepEqual(starts, [
      '2026-10-12T09:00:00+02:00',
      '2026-10-19T09:00:00+02:00',
      '2026-10-26T09:00:00+01:00',
      '2026-11-02T09:00:00+01:00',
    ]);
  });

  it('a series at Google names its instances by their original start in UTC', async () => {
    const { items } = await allPages(api, id, { singleEvents: 'true' });

    const second = await api.call('GET', path(instanceId('20261019T070000Z')));

    assert.deepEqual(items.map((item) => item.id).sort(), [
      instanceId('20261012T070000Z'),
      instanceId('20261019T070000Z'),
      instanceId('20261026T080000Z'),
      instanceId('20261102T080000Z'),
    ]);
    assert.equal(second.body.recurringEventId, seriesId);
    assert.deepEqual(second.body.originalStartTime, {
      dateTime: '2026-10-19T09:00:00+02:00',
      timeZone: BRUSSELS,
    });
    assert.equal((await api.call('GET', path(instanceId('20261020T070000Z')))).status, 404);
  });

  it('a series at Google keeps a moved instance as an exception of its own, which the window then finds at its new place', async () => {
    const moved = { start: at('2026-10-20T15:00:00'), end: at('2026-10-20T16:00:00') };

    const { body } = await api.call('PATCH', path(instanceId('20261019T070000Z')), { body: moved });
    const { items } = await allPages(api, id);

    assert.equal(body.id, instanceId('20261019T070000Z'));
    assert.deepEqual(items.map((item) => item.id).sort(), [seriesId, body.id].sort());
    assert.deepEqual(
      await startsIn({ timeMin: '2026-10-19T00:00:00+02:00', timeMax: '2026-10-21T00:00:00+02:00' }),
      ['2026-10-20T15:00:00+02:00'],
    );
  });

  it('a series at Google shows a deleted instance as a cancelled exception with only its original start', async () => {
    await api.call('DELETE', path(instanceId('20261026T080000Z')));

    const { items } = await allPages(api, id);

    const cancelled = items.find(({ status }) => status === 'cancelled');
    assert.deepEqual(Object.keys(cancelled ?? {}).sort(), [
      'etag',
      'id',
      'kind',
      'originalStartTime',
      'recurringEventId',
      'status',
    ]);
    assert.equal(cancelled?.recurringEventId, seriesId);
    assert.equal((await startsIn({})).length, 3);
  });

  it('a series at Google finds the one instance of an original start, wherever it is now', async () => {
    const moved = { start: at('2026-12-24T15:00:00'), end: at('2026-12-24T16:00:00') };
    await api.call('PATCH', path(instanceId('20261019T070000Z')), { body: moved });
    const original = encodeURIComponent('2026-10-19T09:00:00+02:00');

    const one = await api.call('GET', path(seriesId, `/instances?originalStart=${original}`));
    const all = await api.call('GET', path(seriesId, '/instances?maxResults=3'));
    const rest = await api.call(
      'GET',
      path(seriesId, `/instances?maxResults=3&pageToken=${all.body.nextPageToken}`),
    );

    assert.deepEqual(
      one.body.items.map((item: { id: string }) => item.id),
      [instanceId('20261019T070000Z')],
    );
    assert.deepEqual([all.body.items.length, rest.body.items.length], [3, 1]);
  });

  it('a series at Google keeps the exceptions its new pattern still names, and cancels the others', async () => {
    await api.call('PATCH', path(instanceId('20261019T070000Z')), { body: { summary: 'Kept' } });
    await api.call('PATCH', path(instanceId('20261102T080000Z')), { body: { summary: 'Dropped' } });

    await api.call('PATCH', path(seriesId), { body: { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'] } });

    const { items } = await allPages(api, id, { singleEvents: 'true', orderBy: 'startTime' });
    assert.deepEqual(
      items.map(({ summary }) => summary),
      ['Standup', 'Kept', 'Standup'],
    );
  });

  it('a series of whole days at Google names its instances by date', async () => {
    const { body } = await api.call('POST', `/calendars/${encodeURIComponent(id)}/events`, {
      body: {
        summary: 'Rent',
        start: { date: '2026-11-01' },
        end: { date: '2026-11-02' },
        recurrence: ['RRULE:FREQ=MONTHLY;COUNT=3', 'EXDATE;VALUE=DATE:20261201'],
      },
    });

    const { items } = await allPages(api, id, { singleEvents: 'true', timeMin: '2026-11-30T00:00:00Z' });

    assert.deepEqual(
      items.filter(({ summary }) => summary === 'Rent').map((item) => item.id),
      [`${body.id}_20270101`],
    );
  });
});

describe('what permission shows at the sandbox’s Google', () => {
  const busyScope = `openid email ${calendarScope('events.freebusy')} ${calendarScope('calendarlist.readonly')}`;

  it('the free-busy scope shows when events are, without their details', async () => {
    const { google } = await openGoogle();
    await google.manual.createEvent(ADA.email, ADA.email, {
      title: 'Doctor',
      location: 'Clinic',
      ...times,
    });
    const api = apiOf(google, (await signIn(google, { scope: busyScope })).access_token);

    const { items } = await allPages(api, 'primary');
    const creation = await api.call('POST', '/calendars/primary/events', { body: meeting('No') });

    assert.equal(items[0]?.start?.dateTime, '2026-11-23T08:00:00Z');
    assert.doesNotMatch(JSON.stringify(items), /Doctor|Clinic/);
    assert.equal(creation.status, 403);
  });

  it('the answer about busy times is merged, and leaves out what is free, cancelled or unknown', async () => {
    const { google } = await openGoogle();
    const event = (title: string, from: string, to: string, more = {}) =>
      google.manual.createEvent(ADA.email, ADA.email, {
        title,
        start: { dateTime: `2026-11-23T${from}:00`, timeZone: 'UTC' },
        end: { dateTime: `2026-11-23T${to}:00`, timeZone: 'UTC' },
        ...more,
      });
    await event('One', '09:00', '10:00');
    await event('Two', '09:30', '11:00');
    await event('Free', '13:00', '14:00', { availability: 'free' });
    await google.manual.deleteEvent(ADA.email, ADA.email, await event('Gone', '15:00', '16:00'));
    const api = apiOf(google, (await signIn(google, { scope: busyScope })).access_token);

    const { body } = await api.call('POST', '/freeBusy', {
      body: {
        timeMin: '2026-11-23T00:00:00Z',
        timeMax: '2026-11-24T00:00:00Z',
        items: [{ id: 'primary' }, { id: 'nobody@example.com' }],
      },
    });

    assert.deepEqual(body.calendars.primary.busy, [
      { start: '2026-11-23T09:00:00Z', end: '2026-11-23T11:00:00Z' },
    ]);
    assert.equal(body.calendars['nobody@example.com'].errors[0].reason, 'notFound');
  });

  it('permission is asked of every request: none and a wrong token are 401 with the challenge', async () => {
    const { google } = await openGoogle();

    const none = await fetch(`${google.apiUrl}/users/me/calendarList`);
    const wrong = await apiOf(google, 'ya29.wrong').call('GET', '/users/me/calendarList');

    assert.deepEqual([none.status, wrong.status], [401, 401]);
    assert.match(wrong.headers.get('www-authenticate') ?? '', /invalid_token/);
    assert.equal(wrong.body.error.code, 401);
  });
});
