/** Undocumented behavior of Google, switched on in the sandbox: Kalends reads and writes the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GoogleSandboxOptions } from '../../../sandbox/google/google-sandbox.ts';
import {
  apply,
  assertMirrored,
  berlin,
  occurrences,
  rule,
  targetAt,
} from '../../contract/mirrored-writes.ts';
import { ADA } from '../../sandbox/google/google-client.ts';
import { sync } from '../../servers/mirror.ts';
import { FIELD, MEETING, SECOND, shareGoogle, unsupported, WEEKLY } from './google-write-site.ts';

const site = shareGoogle();
const { create, eventAt, eventAtGoogle, pathOf, update, withGoogle, writing } = site;

const THIRD = berlin('2026-11-30T09:00:00');
const HABITS: GoogleSandboxOptions = { uidFindsCancelled: false, instancesPerPage: 2 };

const startsOf = (href: string) => occurrences(site.mirror, href).map(({ start }) => start);
const deleteAt = async (href: string, instance = SECOND) =>
  apply(site.mirror, await writing().delete(site.calendarHref, targetAt(site.mirror, href, instance)));

describe('Google’s habits', () => {
  cancelledExceptions();
  shortenedLists();
  aliases();
});

function cancelledExceptions(): void {
  const rest = ['2026-11-16T09:00:00', '2026-11-30T09:00:00', '2026-12-07T09:00:00'];

  it('a deleted occurrence stays deleted when the series is renamed and iCalUID does not find it', async () => {
    await withGoogle(HABITS, async () => {
      const href = await create(WEEKLY);
      await deleteAt(href);

      await update(href, { title: 'Renamed' });

      assert.deepEqual(startsOf(href), rest);
      await assertMirrored(site.google.account, site.calendarHref, site.mirror);
    });
  });

  it('a deleted occurrence moves along with its series when iCalUID does not find it', async () => {
    await withGoogle(HABITS, async () => {
      const href = await create(WEEKLY);
      await deleteAt(href);

      await update(href, { start: berlin('2026-11-16T11:00:00'), end: berlin('2026-11-16T12:00:00') });
      const moved = startsOf(href);
      await sync(site.google.account, site.calendarHref, site.mirror);

      assert.deepEqual(moved, startsOf(href));
      assert.deepEqual(moved, ['2026-11-16T11:00:00', '2026-11-30T11:00:00', '2026-12-07T11:00:00']);
    });
  });

  for (const uidFindsCancelled of [true, false])
    it(`a series that moves twice has its occurrences again, uidFindsCancelled ${uidFindsCancelled}`, async () => {
      await withGoogle({ ...HABITS, uidFindsCancelled }, async () => {
        const at = (date: string, time = '09:00:00') => berlin(`2026-11-${date}T${time}`);
        const rules = rule('FREQ=DAILY;INTERVAL=2;COUNT=5');
        const href = await create({ ...WEEKLY, location: 'Room', recurrence: rules });
        const attendees = [{ email: 'guest@elsewhere.example', status: 'none' } as const];
        await update(href, { title: 'Own', description: 'Own', attendees }, at('18'));
        await deleteAt(href, at('20'));

        for (const date of ['17', '18']) {
          await sync(site.google.account, site.calendarHref, site.mirror);
          await update(href, { start: at(date), end: at(date, '10:00:00') });
        }

        const shown = occurrences(site.mirror, href).map(
          ({ start, title }) => `${start.slice(8, 10)} ${title}`,
        );
        assert.deepEqual(shown, ['18 Weekly', '20 Own', '24 Weekly', '26 Weekly']);
        const { description, location, attendees: guests } = eventAt(`${href}_20261118T080000Z`);
        assert.deepEqual([description, location, guests ?? []], [undefined, 'Room', []]);
        await sync(site.google.account, site.calendarHref, site.mirror);
        assert.deepEqual(
          startsOf(href).map((start) => start.slice(8, 10)),
          ['18', '20', '24', '26'],
        );
      });
    });

  it('a deleted occurrence that the new pattern lacks is no longer kept', async () => {
    await withGoogle(HABITS, async () => {
      const href = await create(WEEKLY);
      await deleteAt(href);

      await update(href, { recurrence: rule('FREQ=WEEKLY;INTERVAL=2;COUNT=2') });

      assert.equal(targetAt(site.mirror, href).stored.length, 1);
      assert.deepEqual(startsOf(href), ['2026-11-16T09:00:00', '2026-11-30T09:00:00']);
    });
  });

  it('a series is read with all its deleted occurrences, on whatever page they are', async () => {
    await withGoogle(HABITS, async () => {
      const href = await create({ ...WEEKLY, recurrence: rule('FREQ=WEEKLY;COUNT=9') });
      await deleteAt(href, SECOND);
      await deleteAt(href, berlin('2027-01-11T09:00:00'));
      await update(href, { title: 'Own' }, THIRD);

      const read = await writing().read(site.calendarHref, href);

      assert.deepEqual(read?.map(({ events: [event] }) => event?.status).sort(), [
        'cancelled',
        'cancelled',
        'confirmed',
        'confirmed',
      ]);
    });
  });

  it('a changed occurrence that somebody else deleted meanwhile is deleted in the answer to a change of the series', async () => {
    await withGoogle(HABITS, async () => {
      const href = await create(WEEKLY);
      await update(href, { title: 'Own' }, SECOND);
      await site.google.call('DELETE', pathOf(`${href}_20261123T080000Z`));

      await update(href, { title: 'Renamed' });

      assert.deepEqual(startsOf(href), rest);
      await assertMirrored(site.google.account, site.calendarHref, site.mirror);
    });
  });

  it('an occurrence that somebody else deleted meanwhile is deleted in the answer', async () => {
    await withGoogle(HABITS, async () => {
      const href = await create(WEEKLY);
      await site.google.call('DELETE', pathOf(`${href}_20261123T080000Z`));

      await deleteAt(href);

      assert.deepEqual(startsOf(href), rest);
      await assertMirrored(site.google.account, site.calendarHref, site.mirror);
    });
  });
}

function shortenedLists(): void {
  const guests = ['bob@example.com', 'cy@example.com', 'dee@example.com'];
  const attendees = guests.map((email) => ({ email, status: 'none' as const }));
  const namesAtGoogle = async (href: string) =>
    (await eventAtGoogle(href)).attendees?.map(({ email }) => email);

  it('all guests are in the answer to a change whose own answer at Google names only the user', async () => {
    await withGoogle({ mostGuestsWritten: 1 }, async () => {
      const href = await create({ ...MEETING, attendees });

      await update(href, { title: 'Renamed' });

      assert.deepEqual(
        eventAt(href).attendees.map(({ email }) => email),
        guests,
      );
      await assertMirrored(site.google.account, site.calendarHref, site.mirror);
    });
  });

  it('a guest list that Google shortened is not written back', async () => {
    await withGoogle({ mostGuests: 1 }, async () => {
      const href = await create({ ...MEETING, attendees });
      const sent = site.google.sent.length;

      const named = [...eventAt(href).attendees, { email: 'eve@example.com', status: 'none' as const }];
      await assert.rejects(update(href, { attendees: named }), unsupported(FIELD, 'attendees'));

      assert.equal(site.google.sent.length, sent);
    });
  });

  it('an answer to an invitation whose guest list Google shortened changes the user’s own entry alone', async () => {
    await withGoogle({ mostGuests: 1 }, async () => {
      site.calendarHref = ADA.email;
      const all = [...attendees, { email: ADA.email, status: 'none' as const }];
      const href = await create({ ...MEETING, attendees: all });

      const rsvp = { response: 'accepted', comment: undefined } as const;
      apply(site.mirror, await writing().respond(site.calendarHref, targetAt(site.mirror, href), rsvp));

      assert.equal(eventAt(href).response, 'accepted');
      const whole = await site.google.call('GET', `${pathOf(href)}`);
      assert.equal(whole.body.attendeesOmitted, true);
      assert.deepEqual(await namesAtGoogle(href), [ADA.email]);
    });
  });

  it('changed occurrences of a series that moves keep their guests where Google shortens lists', async () => {
    await withGoogle({ mostGuests: 1 }, async () => {
      const href = await create({ ...WEEKLY, attendees });
      await update(href, { title: 'Own' }, SECOND);
      site.google.sent.length = 0;

      await update(href, { start: berlin('2026-11-16T11:00:00'), end: berlin('2026-11-16T12:00:00') });

      const written = site.google.sent.flatMap(({ method, body }) => (method === 'GET' ? [] : [body]));
      assert.ok(written.length >= 2);
      for (const body of written)
        assert.ok(body === undefined || !JSON.stringify(body).includes('attendees'));
    });
  });
}

function aliases(): void {
  const invitation = {
    title: 'Theirs',
    start: { dateTime: '2026-11-16T09:00:00', timeZone: 'Europe/Berlin' },
    end: { dateTime: '2026-11-16T10:00:00', timeZone: 'Europe/Berlin' },
    organizer: 'grace@other.example',
    guest: 'a.lovelace@alias.example',
  };

  it('the answer of the user is that of the entry marked as theirs, whatever address it has', async () => {
    site.calendarHref = ADA.email;
    const href = site.google.google.receiveInvitation(ADA.email, invitation);
    await sync(site.google.account, site.calendarHref, site.mirror);
    assert.equal(eventAt(href).response, 'none');

    const rsvp = { response: 'declined', comment: undefined } as const;
    apply(site.mirror, await writing().respond(site.calendarHref, targetAt(site.mirror, href), rsvp));

    assert.equal(eventAt(href).response, 'declined');
    assert.equal((await eventAtGoogle(href)).attendees?.[0]?.responseStatus, 'declined');
  });

  it('an event that the user is not invited to has no response of the user', async () => {
    const href = await create({ ...MEETING, attendees: [{ email: 'bob@example.com', status: 'accepted' }] });

    assert.equal(eventAt(href).response, undefined);
  });
}
