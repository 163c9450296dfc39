import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GoogleSandboxOptions } from '../../../sandbox/google/google-sandbox.ts';
import { BRUSSELS, draft, weekly } from './drafts.ts';
import { ADA, type Api, apiOf, type OpenGoogle, openGoogle, READ_WRITE, signIn } from './google-client.ts';

const EVENTS = `/calendars/${encodeURIComponent(ADA.email)}/events`;
const at = (dateTime: string) => ({ dateTime, timeZone: BRUSSELS });
const MEETING = { summary: 'Call', start: at('2026-11-23T09:00:00'), end: at('2026-11-23T10:00:00') };
const GRACE = 'grace@other.example';
const ALIAS = 'countess@alias.example';

type Place = OpenGoogle & { readonly api: Api };

async function withGoogle(
  options: GoogleSandboxOptions,
  test: (place: Place) => Promise<void>,
): Promise<void> {
  const open = await openGoogle({}, options);
  const { access_token: token } = await signIn(open.google, { scope: READ_WRITE });
  await test({ ...open, api: apiOf(open.google, token) });
}

const reasonOf = ({ body }: { body: { error: { errors: { reason: string }[] } } }) =>
  body.error.errors[0]?.reason;

describe('habits of the sandbox’s Google', () => {
  cancelledExceptions();
  guestLists();
  invitations();
  attachments();
});

/** All pages. */
async function instancesOf(api: Api, id: string): Promise<{ status: string }[]> {
  const path = `${EVENTS}/${id}/instances?showDeleted=true`;
  const items: { status: string }[] = [];
  for (let page = ''; ; ) {
    const { body } = await api.call('GET', `${path}${page}`);
    items.push(...body.items);
    if (body.nextPageToken === undefined) return items;
    page = `&pageToken=${body.nextPageToken}`;
  }
}

function cancelledExceptions(): void {
  for (const uidFindsCancelled of [true, false])
    it(`a deleted occurrence is ${uidFindsCancelled ? '' : 'not '}found by iCalUID, and is on a page of the instances`, async () => {
      await withGoogle({ uidFindsCancelled, instancesPerPage: 2 }, async ({ google, api }) => {
        const id = await google.manual.createEvent(ADA.email, ADA.email, weekly('Standup'));
        const original = at('2026-10-19T09:00:00');
        await google.manual.deleteOccurrence(ADA.email, ADA.email, { id, original });

        const listed = await api.call('GET', `${EVENTS}?iCalUID=${id}@google.com`);
        const instances = await instancesOf(api, id);

        assert.equal(listed.body.items.length, uidFindsCancelled ? 2 : 1);
        const statuses = instances.map(({ status }) => status);
        assert.deepEqual([statuses.length, statuses.indexOf('cancelled')], [6, 1]);
      });
    });

  it('a cancelled event says what it was to its organizer alone, in the members that are asked for', async () => {
    await withGoogle({ cancelledDetails: true }, async ({ google, api }) => {
      const id = await google.manual.createEvent(ADA.email, ADA.email, weekly('Standup'));
      await google.manual.deleteOccurrence(ADA.email, ADA.email, { id, original: at('2026-10-19T09:00:00') });
      const theirs = google.receiveInvitation(ADA.email, { ...draft('Theirs'), organizer: GRACE });
      await api.call('DELETE', `${EVENTS}/${theirs}`);

      const occurrence = (await api.call('GET', `${EVENTS}/${id}_20261019T070000Z`)).body;
      const named = await api.call(
        'GET',
        `${EVENTS}/${id}/instances?showDeleted=true&fields=items(id,status)`,
      );
      const invitation = (await api.call('GET', `${EVENTS}/${theirs}`)).body;

      assert.deepEqual([occurrence.status, occurrence.summary], ['cancelled', 'Standup']);
      assert.equal(occurrence.start.dateTime, '2026-10-19T07:00:00Z');
      assert.deepEqual(Object.keys(named.body.items[1]), ['id', 'status']);
      assert.deepEqual([invitation.status, invitation.summary], ['cancelled', undefined]);
    });
  });
}

function guestLists(): void {
  const attendees = [{ email: 'bob@example.com' }, { email: ADA.email }];

  it('maxAttendees leaves the calendar’s own guest, and says that others are missing', async () => {
    await withGoogle({}, async ({ api }) => {
      const { id } = (await api.call('POST', EVENTS, { body: { ...MEETING, attendees } })).body;

      const { body } = await api.call('GET', `${EVENTS}/${id}?maxAttendees=1`);

      assert.deepEqual(
        [body.attendeesOmitted, body.attendees.length, body.attendees[0].self],
        [true, 1, true],
      );
    });
  });

  it('a response to PATCH may omit attendees, and a PATCH with attendeesOmitted changes one response', async () => {
    await withGoogle({ mostGuestsWritten: 1 }, async ({ api }) => {
      const { id } = (await api.call('POST', EVENTS, { body: { ...MEETING, attendees } })).body;
      const own = { email: ADA.email, responseStatus: 'accepted', comment: 'lost' };

      const body = { attendeesOmitted: true, attendees: [own] };
      const patched = (await api.call('PATCH', `${EVENTS}/${id}`, { body })).body;

      assert.deepEqual([patched.attendeesOmitted, patched.attendees.length], [true, 1]);
      const whole = (await api.call('GET', `${EVENTS}/${id}`)).body.attendees;
      assert.deepEqual(
        whole.map(({ responseStatus, comment }: Record<string, string>) => [responseStatus, comment]),
        [
          ['needsAction', undefined],
          ['accepted', undefined],
        ],
      );
    });
  });
}

function invitations(): void {
  const invitation = { ...draft('Theirs'), organizer: GRACE, guest: ALIAS };

  it('an invitation names its organizer, and marks the person under whatever address they are invited', async () => {
    await withGoogle({}, async ({ google, api }) => {
      const id = google.receiveInvitation(ADA.email, invitation);

      const { organizer, attendees } = (await api.call('GET', `${EVENTS}/${id}`)).body;

      assert.deepEqual(organizer, { email: GRACE });
      assert.deepEqual(attendees, [{ email: ALIAS, responseStatus: 'needsAction', self: true }]);
    });
  });

  for (const guestChanges of ['refused', 'ignored'] as const)
    it(`a guest changes their own copy of an event, and what all share is ${guestChanges}`, async () => {
      await withGoogle({ guestChanges }, async ({ google, api }) => {
        const path = `${EVENTS}/${google.receiveInvitation(ADA.email, invitation)}`;

        const own = {
          colorId: '3',
          transparency: 'transparent',
          extendedProperties: { private: { a: 'b' } },
        };
        assert.equal((await api.call('PATCH', path, { body: own })).status, 200);
        const answer = { attendees: [{ email: ALIAS, responseStatus: 'declined' }] };
        assert.equal((await api.call('PATCH', path, { body: answer })).status, 200);
        const shared = await api.call('PATCH', path, { body: { summary: 'Mine' } });

        assert.equal(shared.status, guestChanges === 'ignored' ? 200 : 403);
        if (guestChanges === 'refused') assert.equal(reasonOf(shared), 'forbiddenForNonOrganizer');
        const { summary, colorId, attendees } = (await api.call('GET', path)).body;
        assert.deepEqual([summary, colorId, attendees[0].responseStatus], ['Theirs', '3', 'declined']);
      });
    });

  it('the organizer may let guests change the event', async () => {
    await withGoogle({}, async ({ google, api }) => {
      const id = google.receiveInvitation(ADA.email, { ...invitation, guestsCanModify: true });

      const { body } = await api.call('PATCH', `${EVENTS}/${id}`, { body: { summary: 'Ours' } });

      assert.equal(body.summary, 'Ours');
    });
  });

  it('every nth event that people create has another organizer', async () => {
    await withGoogle({ invitationEvery: 2 }, async ({ google, api }) => {
      for (const title of ['One', 'Two']) await google.manual.createEvent(ADA.email, ADA.email, draft(title));

      const { items } = (await api.call('GET', EVENTS)).body;

      const own = items.map(({ organizer }: { organizer: { self?: boolean } }) => organizer.self ?? false);
      assert.deepEqual(own.sort(), [false, true]);
    });
  });
}

function attachments(): void {
  it('attachments are written where the request says that it knows of them, and stay as they are otherwise', async () => {
    await withGoogle({}, async ({ api }) => {
      const files = [{ fileUrl: 'https://drive.example/a' }];
      const body = { ...MEETING, attachments: files };
      const without = (await api.call('POST', EVENTS, { body })).body;
      const { id, attachments: kept } = (
        await api.call('POST', `${EVENTS}?supportsAttachments=true`, { body })
      ).body;
      const patched = (await api.call('PATCH', `${EVENTS}/${id}`, { body: { attachments: [] } })).body;
      const emptied = await api.call('PATCH', `${EVENTS}/${id}?supportsAttachments=true`, {
        body: { attachments: [] },
      });

      assert.deepEqual(
        [without.attachments, kept, patched.attachments, emptied.body.attachments],
        [undefined, files, files, undefined],
      );
    });
  });
}
