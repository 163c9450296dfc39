/**
 * Contract of the messages that a calendar server sends when Kalends writes events with attendees, asserted in the
 * inboxes of its own users and in the emails it sent.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { SchedulingServer } from '../../servers/scheduling.ts';
import { BOB, openSchedulingSite, type SchedulingSite } from '../../servers/scheduling-site.ts';

export type SchedulingContract = {
  readonly name: string;
  readonly options: { readonly skip: string | false };
  start(calendars: readonly string[]): Promise<SchedulingServer>;
  readonly habits: SchedulingHabits;
};

/** Differences in the messages of servers. The messages that Kalends must not cause are the same for all. */
export type SchedulingHabits = {
  /** People of other servers are written to by mail. */
  readonly mails: boolean;
  /** An update of what somebody was invited to also lies in their inbox; in their calendar it is at any rate. */
  readonly updatesInbox: boolean;
  /** Messages tell the rules of a series and its exceptions. */
  readonly tellsRules: boolean;
  /** The server takes every write of an attendee for a reply. */
  readonly answersAlways: boolean;
};

const HOUR = { start: '2027-01-04T09:00:00Z', end: '2027-01-04T10:00:00Z' };
const WEEKLY = { ...HOUR, timeZone: 'Europe/Paris', recurrence: { frequency: 'WEEKLY', count: 5 } };

export function schedulingContract({ name, options, start, habits }: SchedulingContract): void {
  describe(`messages sent by ${name}`, options, () => {
    let site: SchedulingSite;
    before(async () => {
      site = await openSchedulingSite(start);
    });
    after(() => site?.close());

    const guests = () => [{ email: site.grace.address }, { email: BOB }];
    /** Ada invites Grace, who is on her server, and Bob, who is not. */
    async function invited(title: string, times: object = HOUR) {
      const event = await site.ada.sent('POST', { title, ...times, attendees: guests() });
      const sent = await site.takeSent();
      const [copy] = (await site.grace.events()).filter((one) => one.title === title);
      assert.ok(copy, 'The invitation is in the calendar of the guest');
      site.takeWrites();
      return { event, copy, sent };
    }
    const toBob = (method: string) => (habits.mails ? [`${method} ${BOB} by mail`] : []);
    const toBoth = (method: string) => [...toBob(method), `${method} ${site.grace.address}`].sort();
    /** The lines of an update that everybody was invited to before. */
    const updated = () => (habits.updatesInbox ? toBoth('REQUEST') : toBob('REQUEST'));
    /** Returns the addresses that can be seen to receive an update. */
    const readers = () => [
      ...(habits.mails ? [BOB] : []),
      ...(habits.updatesInbox ? [site.grace.address] : []),
    ];
    const of = ({ id }: { id: string }, day: string) => ({
      eventId: `${id.replace(/_\d{8}T\d{6}Z$/, '')}_2027${day}T090000Z`,
    });

    it('a new event invites each of its guests', async () => {
      const { sent } = await invited('New');

      assert.deepEqual(sent, toBoth('REQUEST'));
    });

    it('an event without guests is nobody else’s business', async () => {
      await site.ada.sent('POST', { title: 'Alone', ...HOUR });

      assert.deepEqual(await site.takeSent(), []);
    });

    it('a change by the organizer is told to each guest', async () => {
      const { event } = await invited('Moved');

      await site.ada.sent('PUT', {
        eventId: event.id,
        start: '2027-01-05T09:00:00Z',
        end: '2027-01-05T10:00:00Z',
      });

      assert.deepEqual(await site.takeSent(), updated());
      const moved = (await site.grace.events()).find(({ title }) => title === 'Moved');
      assert.equal(moved?.start, '2027-01-05T09:00:00.000Z');
    });

    it('who is taken off the list is sent a cancellation', async () => {
      const { event } = await invited('Fewer');

      await site.ada.sent('PUT', { eventId: event.id, attendees: [{ email: site.grace.address }] });

      const sent = (await site.takeSent()).filter((line) => line.includes(BOB));
      assert.deepEqual(sent, toBob('CANCEL'));
    });

    it('an answer is sent to the organizer, and stands in the organizer’s event', async () => {
      const { copy } = await invited('Answered');

      await site.grace.sent('POST', { eventId: copy.id, response: 'accepted' }, '/event/rsvp');

      const sent = await site.takeSent();
      assert.deepEqual(
        sent.filter((line) => line.startsWith('REPLY')),
        [`REPLY ${site.ada.address}`],
      );
      assert.ok(!sent.some((line) => line.startsWith('CANCEL') || line.includes(BOB)), sent.join('\n'));
      const answered = (await site.ada.events()).find(({ title }) => title === 'Answered');
      const guest = answered?.attendees.find(({ email }) => email === site.grace.address);
      assert.equal(guest?.status, 'accepted');
    });

    it('a deletion by the organizer cancels the event for each guest', async () => {
      const { event } = await invited('Cancelled');

      await site.ada.sent('DELETE', { eventId: event.id });

      assert.deepEqual(await site.takeSent(), toBoth('CANCEL'));
    });

    it('a guest who deletes an invitation declines it', async () => {
      const { copy } = await invited('Declined');

      await site.grace.sent('DELETE', { eventId: copy.id });

      const sent = await site.takeMessages();
      const replies = sent.filter(({ method }) => method === 'REPLY');
      assert.deepEqual(
        replies.map(({ to }) => to),
        [site.ada.address],
      );
      assert.match(replies[0]?.icalendar ?? '', /PARTSTAT=DECLINED/);
      assert.ok(!sent.some(({ method }) => method === 'CANCEL'));
    });

    it('an instance that the organizer deletes is no reason to cancel the series', async () => {
      const { event } = await invited('Less one', WEEKLY);

      await site.ada.sent('DELETE', { ...of(event, '0111'), deleteMode: 'this' });

      const sent = await site.takeMessages();
      assert.deepEqual([...new Set(sent.map(({ to }) => to))].sort(), readers().sort());
      const whole = sent.filter(({ method, instance }) => method === 'CANCEL' && instance === '');
      assert.deepEqual(whole, []);
      const left = (await site.grace.events()).filter(
        ({ title, status }) => title === 'Less one' && status !== 'cancelled',
      );
      if (habits.tellsRules) assert.equal(left.length, 4);
    });

    it('a guest who deletes an instance declines that one', async () => {
      const { copy } = await invited('Not then', WEEKLY);

      await site.grace.sent('DELETE', { ...of(copy, '0111'), deleteMode: 'this' });

      const replies = (await site.takeMessages()).filter(({ method }) => method === 'REPLY');
      assert.deepEqual(
        replies.map(({ to }) => to),
        [site.ada.address],
      );
      // By its own name with sabre/dav, by the series' EXDATE with Cyrus.
      if (habits.tellsRules)
        assert.match(replies[0]?.icalendar ?? '', /^(RECURRENCE-ID|EXDATE)\b.*20270111/m);
      const organized = (await site.ada.events()).filter(
        ({ title, status }) => title === 'Not then' && status !== 'cancelled',
      );
      assert.equal(organized.length, 5, 'It takes place without them');
    });

    it('a split by the organizer invites to the new series and updates the old one: nothing is cancelled', async () => {
      const { event } = await invited('Split', WEEKLY);

      const later = await site.ada.sent('PUT', {
        ...of(event, '0118'),
        updateMode: 'following',
        title: 'Later',
      });

      const sent = await site.takeMessages();
      const uids = new Set(sent.map(({ uid }) => uid));
      assert.notEqual(later.id, event.id);
      assert.equal(uids.size, 2, 'The old series and the new one');
      assert.deepEqual([...new Set(sent.map(({ method }) => method))], ['REQUEST']);
      for (const guest of readers())
        assert.deepEqual(new Set(sent.filter(({ to }) => to === guest).map(({ uid }) => uid)), uids, guest);
      const seen = (await site.grace.events()).filter(({ title }) => ['Split', 'Later'].includes(title));
      if (!habits.tellsRules) return;
      assert.deepEqual(
        seen.map(({ title }) => title),
        ['Split', 'Split', 'Later', 'Later', 'Later'],
      );
    });

    const refused: readonly (readonly [rule: string, method: 'PUT' | 'DELETE', body: object])[] = [
      ['split', 'PUT', { updateMode: 'following', title: 'Mine' }],
      [
        'move from one instance on',
        'PUT',
        { updateMode: 'following', start: '2027-01-18T11:00:00Z', end: '2027-01-18T12:00:00Z' },
      ],
      ['end', 'DELETE', { deleteMode: 'following' }],
      ['rename', 'PUT', { updateMode: 'all', title: 'Mine' }],
      ['rename an instance of', 'PUT', { updateMode: 'this', title: 'Mine' }],
      ['invite others to', 'PUT', { updateMode: 'all', attendees: [{ email: 'eve@elsewhere.example' }] }],
      ['give another rule to', 'PUT', { updateMode: 'all', recurrence: { frequency: 'DAILY', count: 2 } }],
    ];
    /** One series for all of them: it stays as it is. */
    let theirs: ReturnType<typeof invited> | undefined;
    for (const [what, method, body] of refused) {
      it(`refuses to let an attendee ${what} a series: 422 organizer_only, nothing is written or sent`, async () => {
        theirs ??= invited('Not hers', WEEKLY);
        const { copy } = await theirs;

        const answer = await site.grace.send(method, { ...of(copy, '0118'), ...body });

        assert.deepEqual([answer.status, answer.body.code ?? answer.body.error], [422, 'organizer_only']);
        assert.deepEqual(
          { writes: site.takeWrites(), sent: await site.takeSent() },
          { writes: [], sent: [] },
        );
      });
    }

    it('what a guest keeps for themselves is told to nobody', async () => {
      const { copy } = await invited('Hers');

      await site.grace.sent('PUT', { eventId: copy.id, availability: 'free' });

      const sent = await site.takeSent();
      assert.deepEqual(sent, habits.answersAlways ? [`REPLY ${site.ada.address}`] : []);
    });
  });
}
