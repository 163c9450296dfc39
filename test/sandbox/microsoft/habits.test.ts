/** Undocumented behavior of Outlook, as switches of the sandbox. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import { FAULT_BODY, faultOf } from '../../../sandbox/core/control.schema.ts';
import type { FaultEffect } from '../../../sandbox/core/faults.ts';
import { MICROSOFT_HABITS } from '../../../sandbox/core/microsoft-habits.ts';
import { readBody } from '../../../src/http/fields.ts';
import { at, create, openGraph, pathOf, single, WEEKLY } from './graph.ts';
import { ADA, everyPage, type Json } from './harness.ts';

const IMMUTABLE = { prefer: 'IdType="ImmutableId"' };

async function openHabits(t: TestContext, ...kinds: readonly FaultEffect['kind'][]) {
  const opened = await openGraph(t);
  const set = (kind: FaultEffect['kind']) =>
    // These kinds have no other fields.
    opened.faults.set({ provider: 'microsoft', effect: { kind } as FaultEffect });
  for (const kind of kinds) set(kind);
  const { graph } = opened;
  const status = async (path: string) => (await graph('GET', path, { headers: IMMUTABLE })).status;
  return { ...opened, set, status };
}

const within = (calendarId: string, event: Json): string =>
  pathOf(event).replace('/me/', `/me/calendars/${calendarId}/`);

describe('Habits of the Microsoft sandbox', () => {
  it('every habit is switched on over HTTP by its kind alone', () => {
    for (const kind of MICROSOFT_HABITS) {
      const body = { provider: 'microsoft', effect: { kind } };
      assert.deepEqual(faultOf(readBody(body, FAULT_BODY)), body);
    }
  });

  it('what was deleted is found by its id in Deleted Items, with another version, and is in no listing', async (t) => {
    const { graph, calendarId, set, status } = await openHabits(t);
    const event = await create(graph, calendarId, single('Gone'));
    await graph('DELETE', pathOf(event));
    assert.equal(await status(pathOf(event)), 404);

    set('deleted_items');

    const { body } = await graph('GET', within(calendarId, event));
    assert.equal(body.subject, 'Gone');
    assert.notEqual(body.changeKey, event.changeKey);
    assert.deepEqual((await everyPage(graph, `/me/calendars/${calendarId}/events`)).value, []);
    await graph('DELETE', pathOf(event));
    assert.equal(await status(pathOf(event)), 404);
  });

  it('an id answers under the address of every calendar of the user’s own, if that is switched on', async (t) => {
    const { graph, manual, calendarId, set, status } = await openHabits(t);
    const other = await manual.addCalendar(ADA, { title: 'Other', timeZone: 'UTC' });
    const event = await create(graph, calendarId, single('Here'));
    assert.equal(await status(within(other, event)), 404);

    set('any_calendar');

    assert.equal(await status(within(other, event)), 200);
    assert.deepEqual((await everyPage(graph, `/me/calendars/${other}/events`)).value, []);
  });

  it('an event that is moved to another calendar keeps its immutable id', async (t) => {
    const { manual, calendarId, graph } = await openHabits(t);
    const other = await manual.addCalendar(ADA, { title: 'Other', timeZone: 'UTC' });
    const time = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
    const id = await manual.createEvent(ADA, calendarId, {
      title: 'Moved',
      start: time('2026-11-28T09:00:00'),
      end: time('2026-11-28T10:00:00'),
    });

    await manual.moveEvent(ADA, calendarId, { id, to: other });

    const idsIn = async (calendar: string) =>
      (await everyPage(graph, `/me/calendars/${calendar}/events`, IMMUTABLE)).value.map((event) => event.id);
    assert.deepEqual([await idsIn(calendarId), await idsIn(other)], [[], [id]]);
  });

  it('the exceptions of a series come in pages, if that is switched on', async (t) => {
    const { graph, calendarId } = await openHabits(t, 'paged_exceptions');
    const series = await create(graph, calendarId, WEEKLY);
    const window = 'startDateTime=2026-10-01T00:00:00Z&endDateTime=2027-01-15T00:00:00Z';
    const { value: occurrences } = await everyPage(graph, `${pathOf(series)}/instances?${window}&$top=50`);
    for (const one of occurrences.slice(0, 5))
      await graph('PATCH', pathOf(one), { body: { subject: 'Own' } });

    const { body } = await graph(
      'GET',
      `${pathOf(series)}?$select=subject,exceptionOccurrences&$expand=exceptionOccurrences`,
    );
    const more = await everyPage(graph, String(body['exceptionOccurrences@odata.nextLink']));

    assert.equal((body.exceptionOccurrences as Json[]).length, 2);
    assert.deepEqual(
      more.value.map(({ subject }) => subject),
      ['Own', 'Own', 'Own'],
    );
  });

  it('a guest’s copy lacks the guest’s own answer, under their aliases too, if that is switched on', async (t) => {
    const { graph, manual, calendarId } = await openHabits(t, 'no_own_answer');
    await manual.addAlias(ADA, 'countess@contoso.example');
    const id = await manual.invite(ADA, calendarId, {
      title: 'Review',
      start: at('2026-11-28T09:00:00', 'Europe/Berlin'),
      end: at('2026-11-28T10:00:00', 'Europe/Berlin'),
      attendees: [{ email: 'countess@contoso.example' }],
      organizer: { email: 'grace@contoso.example', name: 'Grace' },
    });
    await graph('POST', `${pathOf({ id })}/accept`, { body: {} });

    const { body } = await graph('GET', pathOf({ id }));

    assert.equal((body.responseStatus as Json).response, 'accepted');
    const guests = body.attendees as { readonly status: Json }[];
    assert.deepEqual(
      guests.map(({ status }) => status.response),
      ['none'],
    );
  });

  it('an online meeting puts its paragraph after the text, if that is switched on', async (t) => {
    const { graph, calendarId } = await openHabits(t, 'meeting_in_body');
    const body = { contentType: 'html', content: '<html><body>Agenda</body></html>' };

    const event = await create(graph, calendarId, { ...single('Online'), body, isOnlineMeeting: true });

    const { content } = event.body as { content: string };
    const { joinUrl } = event.onlineMeeting as { joinUrl: string };
    assert.match(content, /^<html><body>Agenda<div.*_{80}.*_{80}.*<\/body><\/html>$/s);
    assert.ok(content.includes(joinUrl));
  });

  it('files are put with an event and read again, and what is larger than 3 MB is refused', async (t) => {
    const { graph, calendarId } = await openHabits(t);
    const event = await create(graph, calendarId, single('With files'));
    const file = (contentBytes: string) => ({
      body: { '@odata.type': '#microsoft.graph.fileAttachment', name: 'a.txt', contentBytes },
    });

    const added = await graph('POST', `${pathOf(event)}/attachments`, file('SGVsbG8='));
    const tooLarge = await graph('POST', `${pathOf(event)}/attachments`, file('A'.repeat(4_100_000)));
    const { value } = await everyPage(graph, `${pathOf(event)}/attachments?$select=name,size`);

    assert.deepEqual([added.status, tooLarge.status], [201, 413]);
    assert.deepEqual(
      value.map(({ name, size, contentBytes }) => [name, size, contentBytes]),
      [['a.txt', 5, undefined]],
    );
    const whole = await graph('GET', `${pathOf(event)}/attachments/${String(added.body.id)}`);
    assert.equal(whole.body.contentBytes, 'SGVsbG8=');
    assert.equal((await graph('GET', pathOf(event))).body.hasAttachments, true);
  });
});
