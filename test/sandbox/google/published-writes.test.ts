/** Google's published client writes to the sandbox's Google, which treats it as Google is reported to. */
import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';

import { auth, calendar, type calendar_v3 } from '@googleapis/calendar';

import { ADA, calendarScope, type OpenGoogle, openGoogle, READ_WRITE, signIn } from './google-client.ts';

const BRUSSELS = 'Europe/Brussels';
const at = (dateTime: string) => ({ dateTime, timeZone: BRUSSELS });
const MEETING = { summary: 'Review', start: at('2026-11-23T09:00:00'), end: at('2026-11-23T10:00:00') };

describe('Google’s published client writing to the sandbox’s Google', () => {
  let open: OpenGoogle;
  let client: calendar_v3.Calendar;
  let calendarId: string;
  before(async () => {
    open = await openGoogle();
    const scope = `${READ_WRITE} ${calendarScope('calendars')}`;
    const oauth = new auth.OAuth2();
    oauth.setCredentials({ access_token: (await signIn(open.google, { scope })).access_token });
    client = calendar({ version: 'v3', auth: oauth, rootUrl: `${new URL(open.google.apiUrl).origin}/` });
  });
  beforeEach(async () => {
    calendarId = await open.google.manual.addCalendar(ADA.email, { title: 'Work', timeZone: BRUSSELS });
  });
  const insert = async (requestBody: calendar_v3.Schema$Event): Promise<calendar_v3.Schema$Event> =>
    (await client.events.insert({ calendarId, requestBody })).data;
  const isRefused = (status: number, reason: string) => (error: unknown) => {
    assert.ok(error instanceof Error && 'status' in error && 'response' in error);
    assert.deepEqual([error.status, Object(error.response).data.error.errors[0].reason], [status, reason]);
    return true;
  };
  const SERIES = { ...MEETING, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
  const instances = async (eventId: calendar_v3.Schema$Event['id']) =>
    (await client.events.instances({ calendarId, eventId: eventId ?? '' })).data.items ?? [];
  const shared = (role: 'reader' | 'writerWithoutPrivateAccess' | 'writer') =>
    open.google.shareCalendar(ADA.email, { title: 'Team', timeZone: BRUSSELS, role });

  it('a writer without private access changes events, and sees of private ones only their time', async () => {
    calendarId = shared('writerWithoutPrivateAccess');
    const event = await insert(MEETING);
    const eventId = event.id ?? '';

    const visibility = 'private';
    const patched = (await client.events.patch({ calendarId, eventId, requestBody: { visibility } })).data;

    assert.equal(event.summary, 'Review');
    assert.deepEqual(
      [patched.summary, patched.visibility, patched.start],
      [undefined, visibility, event.start],
    );
    assert.equal(
      (await client.calendarList.get({ calendarId })).data.accessRole,
      'writerWithoutPrivateAccess',
    );
  });

  it('a stricter visibility of one occurrence becomes that of the series, and a looser one is ignored', async () => {
    const { id } = await insert(SERIES);
    const [first, second, third] = await instances(id);
    const patch = (event: calendar_v3.Schema$Event | undefined, requestBody: calendar_v3.Schema$Event) =>
      client.events.patch({ calendarId, eventId: event?.id ?? '', requestBody });
    await patch(second, { summary: 'Own' });
    const visibilities = async () => (await instances(id)).map(({ visibility }) => visibility);

    await patch(first, { visibility: 'private' });
    const stricter = await visibilities();
    await patch(third, { visibility: 'public' });
    const looser = await visibilities();
    await patch({ id: id ?? null }, { visibility: 'public' });

    assert.deepEqual(stricter, ['private', 'private', 'private']);
    assert.deepEqual(looser, stricter);
    assert.deepEqual(await visibilities(), ['public', 'public', 'public']);
  });

  it('a calendar is deleted by its data owner alone, whom the calendar and the list name', async () => {
    const shared = open.google.shareCalendar(ADA.email, { title: 'Team', timeZone: BRUSSELS, role: 'owner' });

    await assert.rejects(client.calendars.delete({ calendarId: shared }), isRefused(403, 'forbidden'));
    const { data } = await client.calendars.get({ calendarId: shared });
    const { data: entry } = await client.calendarList.get({ calendarId: shared });
    await client.calendars.delete({ calendarId });

    assert.deepEqual([data.dataOwner, entry.dataOwner], ['someone.else@example.com', data.dataOwner]);
    assert.equal(entry.accessRole, 'owner');
    assert.equal((await client.calendars.get({ calendarId: 'primary' })).data.dataOwner, undefined);
  });

  it('of a birthday only color, title, reminders and its day are changed', async () => {
    const day = (date: string, next: string) => ({ start: { date }, end: { date: next } });
    const eventType = 'birthday';
    const recurrence = ['RRULE:FREQ=YEARLY'];
    const { id } = await insert({
      summary: 'Ada',
      eventType,
      recurrence,
      ...day('2026-12-10', '2026-12-11'),
    });
    const patch = (requestBody: calendar_v3.Schema$Event) =>
      client.events.patch({ calendarId, eventId: id ?? '', requestBody });
    const restricted = isRefused(400, 'eventTypeRestriction');

    await patch({ summary: 'Countess', colorId: '5', ...day('2026-12-11', '2026-12-12') });
    await patch({ reminders: { useDefault: false } });

    await assert.rejects(patch({ description: 'Cake' }), restricted);
    await assert.rejects(patch({ visibility: 'public' }), restricted);
    await assert.rejects(patch({ recurrence: ['RRULE:FREQ=DAILY'] }), restricted);
    await assert.rejects(patch(day('2026-12-11', '2026-12-14')), restricted);
    const timed = { start: { ...MEETING.start, date: null }, end: { ...MEETING.end, date: null } };
    await assert.rejects(patch(timed), restricted);
  });

  it('a null removes a member at any depth, from the stored event and from the request', async () => {
    const properties = { private: { a: '1', b: '2' } };
    const { id } = await insert({ ...MEETING, extendedProperties: properties });
    const patch = async (requestBody: object) =>
      (await client.events.patch({ calendarId, eventId: id ?? '', requestBody })).data;

    const without = await patch({
      extendedProperties: { private: { a: null, c: null }, shared: { d: null } },
    });
    const fresh = await patch({ source: { title: 'Ticket', url: null }, reminders: { overrides: null } });

    assert.deepEqual(without.extendedProperties, { private: { b: '2' }, shared: {} });
    assert.deepEqual(fresh.source, { title: 'Ticket' });
    assert.equal(JSON.stringify(fresh).includes('null'), false);
  });
});
