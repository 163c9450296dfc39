/** A write that is refused has sent nothing: whether the account may do it is known before the first request that changes. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { calendarObject } from '../servers/icalendar.ts';
import { acmeException, acmeSeries, text } from '../servers/odd-series.ts';
import { type OddSite, openOddSite } from './odd-site.ts';

const invitation = (...more: readonly string[]): string =>
  calendarObject(
    text(
      'BEGIN:VEVENT',
      'UID:invitation',
      'DTSTAMP:20260101T000000Z',
      'DTSTART:20261116T090000Z',
      'DTEND:20261116T100000Z',
      'RRULE:FREQ=WEEKLY;COUNT=6',
      'SUMMARY:Invitation',
      'ORGANIZER:mailto:grace@example.com',
      ...more,
      'END:VEVENT',
    ),
  );
const ADA = 'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ada@example.com';
const TOGETHER = acmeSeries(
  acmeException('SUMMARY:From here').replace('RECURRENCE-ID;', 'RECURRENCE-ID;RANGE=THISANDFUTURE;'),
);
const MODES = ['this', 'following', 'all'] as const;

describe('a refused write', () => {
  let at: OddSite;
  beforeEach(async () => {
    at = await openOddSite();
  });
  afterEach(() => at.close());

  for (const updateMode of MODES)
    it(`of a guest who changes ${updateMode} has sent nothing`, async () => {
      await at.given('a.ics', invitation(ADA));
      const eventId = await at.idAt('2026-11-30');

      const answer = await at.send('PUT', { eventId, updateMode, title: 'Mine' });

      assert.deepEqual([answer.status, answer.body.code], [422, 'organizer_only']);
      assert.deepEqual(at.writes(), []);
    });

  it('of a guest who ends a series has sent nothing', async () => {
    await at.given('a.ics', invitation(ADA));

    const answer = await at.send('DELETE', { eventId: await at.idAt('2026-11-30'), deleteMode: 'following' });

    assert.deepEqual([answer.status, answer.body.code], [422, 'organizer_only']);
    assert.deepEqual(at.writes(), []);
  });

  for (const mode of ['this', 'all'] as const)
    it(`of a user who responds to ${mode} and is not invited has sent nothing`, async () => {
      await at.given('a.ics', invitation());
      const eventId = await at.idAt('2026-11-30');

      const answer = await at.respond({ eventId, response: 'accepted', updateMode: mode });

      assert.deepEqual([answer.status, answer.body.code], [422, 'field_not_supported_by_provider']);
      assert.deepEqual(at.writes(), []);
    });

  for (const updateMode of ['this', 'following'] as const)
    it(`of ${updateMode}, where another program changed all later instances together, has sent nothing`, async () => {
      await at.given('a.ics', TOGETHER);
      const eventId = await at.idAt('2026-12-21');

      const answer = await at.send('PUT', { eventId, updateMode, title: 'Mine' });

      assert.deepEqual([answer.status, answer.body.code], [422, 'mode_not_supported_by_provider']);
      assert.deepEqual(at.writes(), []);
    });

  it('of a version that is not the newest has sent nothing', async () => {
    await at.given('a.ics', acmeSeries());
    const eventId = await at.idAt('2026-11-30');
    for (const [method, mode] of [
      ['PUT', 'updateMode'],
      ['DELETE', 'deleteMode'],
    ] as const) {
      const answer = await at.send(
        method,
        { eventId, [mode]: 'following', title: 'x' },
        { 'if-match': '"0"' },
      );
      assert.equal(answer.status, 412);
    }
    assert.deepEqual(at.writes(), []);
  });
});
