/** The Google adapter on an independent emulator: signing in, renewing, listing, following. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Changes, SignedInAccount } from '../../../src/calendars/calendar-provider.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { googleProvider } from '../../../src/providers/google/google-provider.ts';
import { apply, draftOf } from '../../contract/mirrored-writes.ts';
import { type GoogleEmulator, startGoogleEmulator } from '../../servers/google-emulator.ts';
import type { Mirror } from '../../servers/mirror.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { failsAs } from './failure.ts';
import { sessionOf } from './google-session.ts';

const EMAIL = 'ada@example.com';
const app = { clientId: 'kalends.apps.googleusercontent.com', clientSecret: 'GOCSPX-secret' };
const redirectUri = 'http://127.0.0.1:8080/connect/google/callback';
const SEED = {
  users: [{ email: EMAIL, name: 'Ada Lovelace' }],
  oauth_clients: [{ client_id: app.clientId, client_secret: app.clientSecret, redirect_uris: [redirectUri] }],
  calendars: [
    { id: EMAIL, user_email: EMAIL, summary: 'Ada', primary: true, time_zone: 'Europe/Paris' },
    { id: 'team', user_email: EMAIL, summary: 'Team', access_role: 'reader' },
  ],
  calendar_events: Array.from({ length: 300 }, (_, i) => ({
    id: `e${i}`,
    user_email: EMAIL,
    calendar_id: EMAIL,
    summary: `Event ${i}`,
    start_date_time: new Date(Date.UTC(2026, 10, 2, 8, i)).toISOString(),
    end_date_time: new Date(Date.UTC(2026, 10, 2, 9, i)).toISOString(),
    attendees: [{ email: 'ben@example.com', display_name: 'Ben' }],
    hangout_link: 'https://meet.google.com/abc-defg-hij',
  })),
};

describe('the Google adapter on @emulators/google', () => {
  let egress: Egress;
  let emulator: GoogleEmulator;
  before(async () => {
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    emulator = await startGoogleEmulator(SEED);
  });
  after(async () => {
    await egress?.close();
    await emulator?.stop();
  });

  const provider = () =>
    googleProvider({
      egress,
      issuer: emulator.origin,
      apiUrl: `${emulator.origin}/calendar/v3`,
      log: recordingLog().log,
      now: Date.now,
    });
  const google = () => provider().signIn;

  /** Submits the form of the only account on the emulator's chooser, as a browser does. */
  async function choose(url: URL): Promise<URL> {
    const page = await (await fetch(url)).text();
    const fields = new URLSearchParams();
    for (const [, name = '', value = ''] of page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g))
      fields.set(name, value.replaceAll('&amp;', '&'));
    const answer = await fetch(`${emulator.origin}/o/oauth2/v2/auth/callback`, {
      method: 'POST',
      body: fields,
      redirect: 'manual',
    });
    return new URL(answer.headers.get('location') ?? '');
  }

  async function signIn(): Promise<SignedInAccount> {
    const request = { app, redirectUri, scope: 'read', state: 'state-1', language: 'en' } as const;
    const { url, pending } = await google().begin(request);
    return google().complete(await choose(url), pending, app);
  }

  it('the Google adapter signs in with PKCE, state and nonce, and knows the account by its address', async () => {
    const account = await signIn();

    assert.equal(account.accountId, EMAIL);
    assert.equal(account.display, EMAIL);
    assert.equal(account.calendarPermission, true);
    assert.match(account.credentials.refreshToken ?? '', /^google_refresh_/);
    assert.equal(account.credentials.appClientId, app.clientId);
  });

  it('Google’s code is redeemed once, and only with the verifier it was asked for with', async () => {
    const request = { app, redirectUri, scope: 'read', state: 'state-1', language: 'en' } as const;
    const { url, pending } = await google().begin(request);
    const callback = await choose(url);
    const other = (await google().begin(request)).pending;

    const crossed = google().complete(callback, { ...pending, codeVerifier: other.codeVerifier ?? '' }, app);
    await assert.rejects(crossed, failsAs('unauthorized'));
    await google().complete(callback, pending, app);
    await assert.rejects(google().complete(callback, pending, app), failsAs('unauthorized'));
  });

  it('an answer to another request is refused, by state and by nonce', async () => {
    const request = { app, redirectUri, scope: 'read', state: 'state-1', language: 'en' } as const;
    const { url, pending } = await google().begin(request);

    const otherState = google().complete(await choose(url), { ...pending, state: 'state-2' }, app);
    await assert.rejects(otherState, failsAs('invalid_response', 'provider_answer_unreadable'));
    const otherNonce = google().complete(await choose(url), { ...pending, nonce: 'nonce-2' }, app);
    await assert.rejects(otherNonce, failsAs('invalid_response', 'provider_answer_unreadable'));
  });

  it('Google’s access is renewed, and the refresh token that Google does not repeat is kept', async () => {
    const { credentials } = await signIn();

    const renewed = await google().renew(credentials, app);

    assert.notEqual(renewed.accessToken, credentials.accessToken);
    assert.equal(renewed.refreshToken, credentials.refreshToken);
    assert.equal(renewed.issuedAt, credentials.issuedAt);
  });

  it('distinguishes a wrong secret, for the operator to fix, from revoked access, for the user to fix', async () => {
    const { credentials } = await signIn();

    const wrongSecret = google().renew(credentials, { ...app, clientSecret: 'wrong' });
    await assert.rejects(wrongSecret, failsAs('misconfigured', 'app_credentials_refused'));
    await google().revoke(credentials, app);
    await assert.rejects(google().renew(credentials, app), failsAs('unauthorized', 'access_revoked'));
    await google().revoke(credentials, app);
  });

  it('Google’s calendars are listed', async () => {
    const { credentials } = await signIn();

    const calendars = await provider()
      .open(credentials, sessionOf(provider(), app, credentials))
      .listCalendars();

    assert.deepEqual(
      calendars.map(({ href, title, timeZone, access }) => [href, title, timeZone, access]),
      [
        [EMAIL, 'Ada', 'Europe/Paris', 'write'],
        ['team', 'Team', 'UTC', 'read'],
      ],
    );
  });

  it('Google’s events are all listed over pages, and an event that an application created', async () => {
    const { credentials } = await signIn();
    const created = await fetch(`${emulator.origin}/calendar/v3/calendars/${EMAIL}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        summary: 'Created',
        start: { dateTime: '2026-11-03T09:00:00+01:00' },
        end: { dateTime: '2026-11-03T10:00:00+01:00' },
      }),
    });
    const session = sessionOf(provider(), app, credentials);

    const parts: Changes[] = [];
    const storedVersions = async () => new Map<string, string | undefined>();
    for await (const part of provider()
      .open(credentials, session)
      .changesSince(EMAIL, undefined, storedVersions))
      parts.push(part);

    assert.equal(created.status, 200);
    const events = parts.flatMap(({ changed }) => changed.flatMap((resource) => resource.events));
    assert.equal(events.length, 301);
    assert.ok(parts.every(({ complete }) => complete));
    assert.ok(session.operations.length > 1 && session.operations.every((name) => name === 'events.list'));
    const [first] = events;
    assert.deepEqual(first?.start, { type: 'zoned', local: '2026-11-02T09:00:00', zone: 'Europe/Paris' });
    assert.deepEqual(first?.attendees, [{ email: 'ben@example.com', name: 'Ben', status: 'none' }]);
    assert.equal(first?.conference, 'https://meet.google.com/abc-defg-hij');
    assert.ok(events.some(({ title }) => title === 'Created'));
  });

  it('events that the Google adapter creates are shown alike by its own listing, and are deleted', async () => {
    const { credentials } = await signIn();
    const account = provider().open(credentials, sessionOf(provider(), app, credentials));
    const mirror: Mirror = new Map();
    const paris = (local: string) => ({ type: 'zoned', local, zone: 'Europe/Paris' }) as const;
    const timed = draftOf({
      title: 'Written',
      start: paris('2026-11-04T09:00:00'),
      end: paris('2026-11-04T10:00:00'),
      description: 'Words',
      location: 'Here',
      conference: 'https://example.zoom.us/j/1',
      attendees: [{ email: 'ben@example.com', name: 'Ben', status: 'none' }],
    });
    const date = (day: string) => ({ type: 'date', date: day }) as const;
    const wholeDay = draftOf({ title: 'Day', start: date('2026-11-05'), end: date('2026-11-06') });

    for (const [i, draft] of [timed, wholeDay].entries())
      apply(mirror, await account.writing.create(EMAIL, draft, String(i).padStart(32, 'a')));

    const listed: Mirror = new Map();
    for await (const { changed } of account.changesSince(EMAIL, undefined, async () => new Map()))
      for (const resource of changed) listed.set(resource.href, resource);
    const [event, day] = [...mirror.values()];
    assert.ok(event !== undefined && day !== undefined);
    for (const { href, events } of [event, day]) assert.deepEqual(listed.get(href)?.events, events);
    const { title, description, location, start, conference } = event.events[0] ?? timed;
    assert.deepEqual([title, description, location], ['Written', 'Words', 'Here']);
    assert.deepEqual([start, conference], [timed.start, timed.conference]);
    assert.deepEqual(day.events[0]?.end, wholeDay.end);
    const { href } = event;
    const target = { href, etag: event.etag, stored: [event] };
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual((await account.writing.delete(EMAIL, target)).removed, [href]);
  });

  it('Google says that a calendar does not exist, and that a token nobody gave is refused', async () => {
    const { credentials } = await signIn();
    const session = sessionOf(provider(), app, credentials);
    const account = provider().open(credentials, session);
    const storedVersions = async () => new Map<string, string | undefined>();
    const nowhere = account.changesSince('nowhere', undefined, storedVersions);

    await assert.rejects(async () => {
      for await (const _part of nowhere);
    }, failsAs('not_found'));
    const dead = { ...credentials, accessToken: 'never-given', refreshToken: 'never-given' };
    const refused = provider()
      .open(dead, sessionOf(provider(), app, dead))
      .listCalendars();
    await assert.rejects(refused, failsAs('unauthorized', 'access_revoked'));
  });

  it('the Google adapter continues with a new token if its current one is refused', async () => {
    const { credentials } = await signIn();
    const stale = { ...credentials, accessToken: 'never-given' };
    const session = sessionOf(provider(), app, stale);

    const calendars = await provider().open(stale, session).listCalendars();

    assert.equal(calendars.length, 2);
    assert.deepEqual(session.operations, ['calendarList.list', 'calendarList.list']);
  });
});
