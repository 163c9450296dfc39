/** Mails of Google and Microsoft to attendees when an organizer writes, and faults of single writes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { faultBoard } from '../../sandbox/core/faults.ts';
import type { ShownMessage } from '../../sandbox/core/sent-messages.page.ts';
import { apiOf, ADA as GOOGLE_ADA, openGoogle, READ_WRITE, signIn } from './google/google-client.ts';
import { create, openGraph, pathOf, single, WEEKLY } from './microsoft/graph.ts';
import { everyPage } from './microsoft/harness.ts';

const GUEST = 'guest@elsewhere.example';
const OTHER = 'other@elsewhere.example';
const told = (messages: readonly ShownMessage[]) =>
  messages.map(({ provider, method, to, occurrence }) => [provider, method, to, occurrence]);

describe('The messages of the sandbox’s Google', () => {
  const at = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
  const series = {
    summary: 'Standup',
    start: at('2026-10-12T09:00:00'),
    end: at('2026-10-12T09:30:00'),
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
    attendees: [{ email: GOOGLE_ADA.email }, { email: GUEST }],
  };
  const opened = async () => {
    const { google } = await openGoogle();
    const api = apiOf(google, (await signIn(google, { scope: READ_WRITE })).access_token);
    return { google, api, path: `/calendars/${GOOGLE_ADA.email}/events` };
  };

  it('attendees get a message of a write that says sendUpdates=all, and the organizer gets none', async () => {
    const { google, api, path } = await opened();

    const { body } = await api.call('POST', `${path}?sendUpdates=all`, { body: series });
    await api.call('PATCH', `${path}/${body.id}?sendUpdates=none`, { body: { summary: 'Daily' } });
    await api.call('DELETE', `${path}/${body.id}_20261019T090000Z?sendUpdates=all`);

    assert.deepEqual(told(google.sent()), [
      ['google', 'REQUEST', GUEST, undefined],
      ['google', 'CANCEL', GUEST, '20261019T090000Z'],
    ]);
    assert.equal(google.state().sent, google.sent());
  });

  it('an attendee who is removed gets a cancellation, and those who stay get the change', async () => {
    const { google, api, path } = await opened();
    const { body } = await api.call('POST', path, { body: series });

    const attendees = [{ email: OTHER }];
    await api.call('PATCH', `${path}/${body.id}?sendUpdates=all`, { body: { attendees } });

    assert.deepEqual(told(google.sent()), [
      ['google', 'REQUEST', OTHER, undefined],
      ['google', 'CANCEL', GUEST, undefined],
    ]);
  });
});

describe('The messages of the sandbox’s Microsoft', () => {
  const attendees = [{ emailAddress: { address: GUEST, name: 'Guest' }, type: 'required' }];

  it('every write of an organizer is mailed to the attendees of the event or occurrence', async (t) => {
    const { sandbox, graph, calendarId } = await openGraph(t);
    const event = await create(graph, calendarId, { ...WEEKLY, attendees });
    const day = 'startDateTime=2026-01-01T00:00:00Z&endDateTime=2027-12-31T00:00:00Z';
    const [, second] = (await everyPage(graph, `${pathOf(event)}/instances?${day}`)).value;
    assert.ok(second);

    await graph('PATCH', pathOf(event), { body: { subject: 'Other' } });
    await graph('DELETE', pathOf(second));
    await graph('DELETE', pathOf(event));

    const [made, changed, deleted, ended] = told(sandbox.sent());
    assert.deepEqual(made, ['microsoft', 'REQUEST', GUEST, undefined]);
    assert.deepEqual(changed, made);
    assert.deepEqual(deleted?.slice(0, 3), ['microsoft', 'CANCEL', GUEST]);
    assert.match(deleted?.[3] ?? '', /^\d{8}T\d{6}$/);
    assert.deepEqual(ended, ['microsoft', 'CANCEL', GUEST, undefined]);
  });

  it('an event without attendees is mailed to nobody', async (t) => {
    const { sandbox, graph, calendarId } = await openGraph(t);

    const event = await create(graph, calendarId, single('Alone'));
    await graph('DELETE', pathOf(event));

    assert.deepEqual(sandbox.sent(), []);
  });
});

describe('Faults of single writes', () => {
  it('a fault with skip lets that many matching requests pass, and reads do not count for writes', () => {
    const faults = faultBoard();
    faults.set({ provider: 'google', operation: 'write', skip: 1, times: 1, effect: { kind: 'reset' } });

    const met = ['events.insert', 'events.get', 'freebusy.query', 'events.patch', 'events.delete'].map(
      (operation) => faults.take({ provider: 'google', operation, user: undefined }).length,
    );

    assert.deepEqual(met, [0, 0, 0, 1, 0]);
    assert.deepEqual(faults.list(), []);
  });

  it('write stands for what changes events and calendars at every provider', () => {
    const faults = faultBoard();
    faults.set({ provider: 'caldav', operation: 'write', effect: { kind: 'reset' } });
    const operations = ['PUT', 'DELETE', 'PROPFIND', 'REPORT', 'GET', 'token', 'attachments.create'];

    const met = operations.filter(
      (operation) => faults.take({ provider: 'caldav', operation, user: undefined }).length > 0,
    );

    assert.deepEqual(met, ['PUT', 'DELETE', 'attachments.create']);
  });
});
