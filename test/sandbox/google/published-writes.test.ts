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
});
