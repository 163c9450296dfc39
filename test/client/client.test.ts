/** The published client at the program as it is shipped: the flow, and every call about calendars. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  type CalendarEvent,
  type ChangesPage,
  KalendsError,
  kalends,
} from '../../packages/client/src/kalends.ts';
import { openBrowser, textOf } from '../e2e/browser.ts';
import { allow, linkAccount } from '../e2e/flow.ts';
import { ADA, type ClientSite, memoryStore, openClientSite, STATE } from './client-site.ts';

const refusedAs = (code: string, status: number) => (error: unknown) =>
  error instanceof KalendsError && error.code === code && error.status === status;

/** Grace’s invitation is in ada’s calendar before anybody connects it. */
async function invite({ sandbox, calendarId }: ClientSite): Promise<void> {
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', 'BEGIN:VEVENT', 'UID:invitation'],
    ...[
      'DTSTAMP:20260101T000000Z',
      'DTSTART:20260202T090000Z',
      'DTEND:20260202T100000Z',
      'SUMMARY:Invitation',
    ],
    'ORGANIZER:mailto:grace@people.example',
    ...['grace@people.example', ADA].map((email) => `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${email}`),
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ];
  const answer = await fetch(`${calendarId}invitation.ics`, {
    method: 'PUT',
    headers: {
      authorization: `Basic ${btoa(`${ADA}:${sandbox.passwordOf(ADA)}`)}`,
      'content-type': 'text/calendar',
    },
    body: lines.join('\r\n'),
  });
  assert.equal(answer.status, 201);
}

describe('the client', () => {
  let site: ClientSite;
  let place: { provider: 'caldav'; calendarId: string };
  let user: ReturnType<ClientSite['client']['user']>;
  before(async () => {
    site = await openClientSite();
    await invite(site);
    place = { provider: 'caldav', calendarId: site.calendarId };
    user = site.client.user(memoryStore(await site.tokensOf('ada')));
  });
  after(() => site?.close());

  const addressOf = ({ provider, calendarId, id }: CalendarEvent) => ({ provider, calendarId, eventId: id });
  const oneHour = (title: string, day: string) => ({
    title,
    start: `${day}T09:00:00Z`,
    end: new Date(`${day}T10:00:00Z`),
  });
  const listed = (start: string, end: string, pageSize = 2) =>
    Array.fromAsync(user.events({ start, end, pageSize }));
  const changesSince = (cursor: string) => Array.fromAsync(user.changes({ cursor }));

  describe('leading a user through the flow', () => {
    it('the published client sends the browser where it comes back from with a code for tokens', async () => {
      const tokens = await site.tokensOf('grace');

      assert.deepEqual(Object.keys(tokens).sort(), ['accessToken', 'expiresAt', 'refreshToken']);
      assert.ok(Math.abs(tokens.expiresAt - Date.now() - 3_600_000) < 60_000);
    });

    it('the published client proves with PKCE that it is who asked', async () => {
      const verifier = 'v'.repeat(43);
      const codeChallenge = Buffer.from(
        await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)),
      ).toString('base64url');
      const callback = { state: STATE, userId: 'grace' };
      const back = async () => {
        const browser = openBrowser();
        await browser.open(site.client.authorizationUrl({ ...callback, codeChallenge }));
        await linkAccount(browser, site.login);
        return String((await allow(browser)).destination);
      };

      const wrong = { ...callback, codeVerifier: 'w'.repeat(43) };
      await assert.rejects(
        site.client.completeAuthorization({ ...wrong, url: await back() }),
        refusedAs('invalid_grant', 400),
      );
      const right = { ...callback, codeVerifier: verifier };
      assert.ok((await site.client.completeAuthorization({ ...right, url: await back() })).accessToken);
    });

    it('the published client finishes with the address that a popup told the page which opened it', async () => {
      const flow = { state: STATE, userId: 'hedy' };
      const browser = openBrowser();
      await browser.open(site.client.authorizationUrl({ ...flow, display: 'popup', language: 'en' }));
      await linkAccount(browser, site.login);
      const { body } = await allow(browser);

      const [, message = ''] = / data-message="([^"]*)"/.exec(body) ?? [];
      const { redirect_uri: url } = JSON.parse(textOf(message));
      assert.ok((await site.client.completeAuthorization({ ...flow, url })).accessToken);
    });

    it('the published client names scope, language, theme, display and providers as the service reads them', () => {
      const url = site.client.authorizationUrl({
        userId: 'ada b+c',
        state: 's&t',
        scope: 'read',
        language: 'fr',
        theme: 'dark',
        display: 'popup',
        providers: ['google', 'apple'],
      });

      assert.equal(`${url.origin}${url.pathname}`, `${site.program.url}/authorize`);
      assert.deepEqual(Object.fromEntries(url.searchParams), {
        client_id: site.options.clientId,
        user_id: 'ada b+c',
        response_type: 'code',
        redirect_uri: site.options.redirectUri,
        state: 's&t',
        scope: 'read',
        lng: 'fr',
        theme: 'dark',
        display: 'popup',
        providers: 'google,apple',
      });
    });

    it('the published client refuses to begin without a state', () => {
      assert.throws(() => site.client.authorizationUrl({ userId: 'ada', state: '' }), TypeError);
    });

    it('the published client refuses an answer to another browser’s request, and one about another user, and spends no code', async () => {
      const url = await site.authorize('ada');
      const { client } = site;

      for (const [input, code] of [
        [{ url, state: 'other', userId: 'ada' }, 'state_mismatch'],
        [{ url: `${site.options.redirectUri}?code=ada&state=`, state: '', userId: 'ada' }, 'state_mismatch'],
        [{ url, state: STATE, userId: 'mallory' }, 'user_mismatch'],
        [{ url: `/callback?state=${encodeURIComponent(STATE)}`, state: STATE, userId: '' }, 'user_mismatch'],
      ] as const)
        await assert.rejects(client.completeAuthorization(input), refusedAs(code, 0));
      assert.ok((await client.completeAuthorization({ url, state: STATE, userId: 'ada' })).accessToken);
    });

    it('the published client tells that the user gave up, and that a code is spent', async () => {
      const state = encodeURIComponent(STATE);
      const gaveUp = `/callback?error=access_denied&error_description=No&state=${state}`;
      const flow = { state: STATE, userId: 'hedy' };
      await assert.rejects(
        site.client.completeAuthorization({ ...flow, url: gaveUp }),
        refusedAs('access_denied', 0),
      );

      const url = `/callback?code=hedy&state=${state}`;
      await assert.rejects(
        site.client.completeAuthorization({ ...flow, url }),
        refusedAs('invalid_grant', 400),
      );
    });
  });

  it('the published client tells accounts and calendars with all that the service knows of them', async () => {
    const { connections, limitReached } = await user.connectionStatus();
    const { calendars, errors } = await user.calendars();

    assert.equal(limitReached, false);
    assert.equal(connections.caldav[0]?.health.state, 'active');
    assert.deepEqual(errors, []);
    const [calendar] = calendars;
    assert.deepEqual(
      [calendar?.title, calendar?.timeZone, calendar?.access, calendar?.account],
      ['Work', 'Europe/Berlin', 'write', connections.caldav[0]?.id],
    );
  });

  it('the published client makes, renames and deletes a calendar', async () => {
    const made = await user.createCalendar({ provider: 'caldav' }, { title: 'Trips', color: '#d50000' });
    const where = { provider: made.provider, calendarId: made.id };
    const renamed = await user.updateCalendar(where, { title: 'Travel', description: 'All of them' });
    const { calendars } = await user.calendars();
    const { success } = await user.deleteCalendar(where);

    assert.deepEqual([made.title, made.color, made.access], ['Trips', '#d50000', 'write']);
    assert.deepEqual([renamed.title, renamed.description], ['Travel', 'All of them']);
    assert.deepEqual(
      calendars.find(({ id }) => id === made.id),
      renamed,
    );
    assert.equal(success, true);
    await assert.rejects(user.updateCalendar(where, { title: 'Late' }), refusedAs('calendar_not_found', 404));
  });

  it('the published client makes, finds, changes and deletes an event', async () => {
    const made = await user.createEvent(place, {
      ...oneHour('Plan', '2026-03-02'),
      description: 'Words',
      custom: { ticket: 7 },
    });
    const changed = await user.updateEvent(addressOf(made), { title: 'Plan B', description: '' });
    const current = await user.event(addressOf(made));
    const { success } = await user.deleteEvent(addressOf(made), { ifMatch: current.etag ?? '' });

    assert.deepEqual(
      [made.title, made.start, made.custom],
      ['Plan', '2026-03-02T09:00:00.000Z', { ticket: 7 }],
    );
    assert.deepEqual([changed.title, changed.description, changed.id], ['Plan B', undefined, made.id]);
    assert.deepEqual(current, changed);
    assert.equal(success, true);
    await assert.rejects(user.event(addressOf(made)), refusedAs('event_not_found', 404));
  });

  it('the published client makes one event under one idempotency key', async () => {
    const how = { idempotencyKey: crypto.randomUUID() };

    const twins = await Promise.all(
      [0, 1, 2].map(() => user.createEvent(place, oneHour('Once', '2026-03-10'), how)),
    );

    assert.equal(new Set(twins.map(({ id }) => id)).size, 1);
    assert.equal((await listed('2026-03-10', '2026-03-11')).length, 1);
    const other = user.createEvent(place, oneHour('Other', '2026-03-10'), how);
    await assert.rejects(other, refusedAs('idempotency_key_reused', 422));
  });

  it('the published client refuses a change that is based on an old version, and tells the event as it is', async () => {
    const made = await user.createEvent(place, oneHour('First', '2026-03-12'));
    await user.updateEvent(addressOf(made), { title: 'Second' });

    const late = user.updateEvent(addressOf(made), { title: 'Late' }, { ifMatch: made.etag ?? '' });

    await assert.rejects(late, (error: unknown) => {
      assert.ok(refusedAs('precondition_failed', 412)(error) && error instanceof KalendsError);
      assert.equal(Reflect.get(Object(error.body), 'event').title, 'Second');
      return true;
    });
  });

  it('the published client tells which field is wrong', async () => {
    const wrong = user.createEvent(place, { title: 'Backwards', start: '2026-03-02', end: '2026-03-01' });

    await assert.rejects(wrong, (error: unknown) => {
      assert.ok(error instanceof KalendsError && error.status === 400);
      assert.deepEqual(Object.keys(error.details), ['end']);
      assert.ok(error.requestId);
      return true;
    });
  });

  it('the published client lists a series over all pages, and changes one instance or the rest of it', async () => {
    const series = await user.createEvent(place, {
      ...oneHour('Weekly', '2026-04-06'),
      recurrence: { frequency: 'WEEKLY', count: 5 },
      timeZone: 'Europe/Berlin',
    });
    const [, second, , fourth] = await listed('2026-04-01', '2026-05-31');
    assert.ok(second && fourth);

    await user.updateEvent(addressOf(second), { title: 'Special' }, { mode: 'this' });
    await user.deleteEvent(addressOf(fourth), { mode: 'following', recurringEventId: series.id });

    assert.deepEqual([series.recurrence?.count, second.recurringEventId], [5, series.id]);
    const remaining = await listed('2026-04-01', '2026-05-31');
    assert.deepEqual(
      remaining.map(({ title, start }) => `${title} ${start.slice(5, 10)}`),
      ['Weekly 04-06', 'Special 04-13', 'Weekly 04-20'],
    );
    await user.deleteEvent(addressOf(second), { mode: 'all' });
    assert.deepEqual(await listed('2026-04-01', '2026-05-31'), []);
  });

  it('the published client searches, and chooses calendars', async () => {
    await user.createEvent(place, oneHour('Budget review', '2026-06-01'));
    await user.createEvent(place, oneHour('Lunch', '2026-06-02'));
    const june = { start: new Date('2026-06-01T00:00:00Z'), end: '2026-07-01' };
    const titles = async (query: object) =>
      (await user.eventsPage({ ...june, ...query })).events.map(({ title }) => title);

    assert.deepEqual(await titles({ q: 'budget' }), ['Budget review']);
    assert.deepEqual(await titles({ calendarIds: { caldav: ['nowhere'] } }), []);
    assert.deepEqual(await titles({ calendarIds: [site.calendarId], pageSize: 1 }), ['Budget review']);
  });

  it('the published client answers an invitation', async () => {
    const window = { start: '2026-02-02', end: '2026-02-03' };
    const [invitation] = await listed(window.start, window.end);
    assert.ok(invitation);

    const answered = await user.respond(addressOf(invitation), 'accepted');

    assert.equal(answered?.attendees?.find(({ email }) => email === ADA)?.status, 'accepted');
    assert.deepEqual((await listed(window.start, window.end))[0]?.attendees, answered?.attendees);
  });

  it('the published client tells when the user is busy, and finds a free slot, for one user and for several', async () => {
    await user.createEvent(place, oneHour('Busy', '2027-08-02'));
    const window = { start: '2027-08-02T08:00:00Z', end: new Date('2027-08-02T11:00:00Z') };

    const { busy } = await user.freeBusy(window);
    const single = await user.availability({ ...window, duration: 60 });
    const shared = await site.client.availability(['ada', 'grace'], { ...window, duration: 60 });

    assert.deepEqual(busy, [{ start: '2027-08-02T09:00:00.000Z', end: '2027-08-02T10:00:00.000Z' }]);
    const slots = ['2027-08-02T08:00:00.000Z', '2027-08-02T10:00:00.000Z'];
    for (const { slots: free } of [single, shared])
      assert.deepEqual(
        free.map(({ start }) => start),
        slots,
      );
  });

  it('the published client follows all changes from a cursor, page after page', async () => {
    const [{ cursor } = { cursor: '' }] = await Array.fromAsync(user.changes());
    const updated = await user.createEvent(place, oneHour('Kept', '2026-09-01'));
    const gone = await user.createEvent(place, oneHour('Gone', '2026-09-02'));
    const [between] = (await changesSince(cursor)).slice(-1);
    await user.updateEvent(addressOf(updated), { title: 'Kept still' });
    await user.deleteEvent(addressOf(gone));

    const first = await Array.fromAsync(user.changes({ cursor, pageSize: 1 }));
    const later = await changesSince(between?.cursor ?? '');

    const summaryOf = (pages: readonly ChangesPage[]) =>
      pages
        .flatMap(({ changes }) => changes.map(({ changeType, event }) => `${changeType} ${event.id}`))
        .sort();
    assert.ok(first.length > 1);
    assert.deepEqual(summaryOf(first), [`created ${updated.id}`, `deleted ${gone.id}`].sort());
    assert.deepEqual(summaryOf(later), [`deleted ${gone.id}`, `updated ${updated.id}`]);
    const deleted = later
      .flatMap(({ changes }) => changes)
      .find(({ changeType }) => changeType === 'deleted');
    assert.deepEqual(Object.keys(deleted?.event ?? {}).sort(), ['account', 'calendarId', 'id', 'provider']);
  });

  it('the published client begins with everything there is when it is asked to', async () => {
    const pages = await Array.fromAsync(user.changes({ initial: true, pageSize: 3 }));

    const all = pages.flatMap(({ changes }) => changes);
    assert.ok(all.length > 3 && all.every(({ changeType }) => changeType === 'created'));
    await assert.rejects(user.changesPage({ cursor: 'nonsense' }), refusedAs('invalid_cursor', 400));
  });

  it('the published client creates a link with which a user reconnects an account', async () => {
    const [account] = (await user.connectionStatus()).connections.caldav;
    assert.ok(account);
    const named = { provider: 'caldav', account: account.id } as const;

    const { url, expiresAt } = await site.client.reconnectLink('ada', named);

    const opened = await fetch(url, { redirect: 'manual' });
    assert.equal(opened.status, 302);
    assert.ok(Date.parse(expiresAt) > Date.now());
    const unknown = site.client.reconnectLink('nobody', named);
    await assert.rejects(unknown, refusedAs('user_not_found', 404));
  });

  it('the published client ends every grant of the user, and lets go of an account', async () => {
    const tokens = await site.tokensOf('hopper');
    const hopper = site.client.user(memoryStore(tokens));

    assert.equal((await hopper.disconnect('caldav')).success, true);
    assert.deepEqual((await hopper.connectionStatus()).connections.caldav, []);
    await site.client.revoke(tokens.accessToken);
    await assert.rejects(hopper.calendars(), refusedAs('invalid_grant', 400));
  });

  it('the published client says where there is nobody, and why', async () => {
    const nobody = kalends({ ...site.options, url: 'http://127.0.0.1:9', retries: 0 });

    await assert.rejects(nobody.revoke('token'), refusedAs('unreachable', 0));
    await assert.rejects(
      nobody.revoke('token'),
      /^KalendsError: The service cannot be reached at 127\.0\.0\.1:9: ./,
    );
  });
});
