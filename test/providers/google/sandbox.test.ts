/** The Google adapter on the sandbox's Google: whatever people do there, the mirror shows what Google shows. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { ProviderCalendar } from '../../../src/calendars/calendar.ts';
import type { SignedInAccount } from '../../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { googleProvider } from '../../../src/providers/google/google-provider.ts';
import { eventReader } from '../../../src/store/events/event-reader.ts';
import { syncEvents } from '../../../src/sync/event-sync.ts';
import { mirrorWith } from '../../contract/mirror-rows.ts';
import { type Open, onEachDatabase } from '../../harness/databases.ts';
import { pageFrom } from '../../harness/listed-events.ts';
import { renderHere } from '../../harness/render-here.ts';
import {
  ADA,
  APP,
  CALLBACK,
  calendarScope,
  type OpenGoogle,
  openGoogle,
  walk,
} from '../../sandbox/google/google-client.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { failsAs } from './failure.ts';
import { sessionOf } from './google-session.ts';

const DAY = 86_400_000;
const PARIS = 'Europe/Paris';
const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;
const YEAR = { start: at('2026-06-01T00:00:00Z'), end: at('2027-06-01T00:00:00Z') };

onEachDatabase((database, openDatabase) => {
  describe(`the Google adapter on the sandbox, mirrored in ${database}`, () => suite(openDatabase));
});

function suite(openDatabase: Open): void {
  let egress: Egress;
  let open: OpenGoogle;
  before(() => {
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  });
  after(() => egress?.close());
  beforeEach(async () => {
    open = await openGoogle();
  });

  const provider = ({ google, clock }: OpenGoogle = open) =>
    googleProvider({
      egress,
      issuer: google.issuer,
      apiUrl: google.apiUrl,
      log: recordingLog().log,
      now: () => clock.now(),
    });
  async function signIn(
    untick: string[] = [],
    scope: 'read' | 'read-write' = 'read',
  ): Promise<SignedInAccount> {
    const { signIn: google } = provider();
    const request = { app: APP, redirectUri: CALLBACK, scope, state: 'state-1', language: 'en' };
    const { url, pending } = await google.begin(request);
    return google.complete(await walk(url, { untick }), pending, APP);
  }
  async function openAccount() {
    const { credentials } = await signIn();
    const session = sessionOf(provider(), APP, credentials, () => open.clock.now());
    return { account: provider().open(credentials, session), session };
  }
  /** Ada's main calendar, mirrored in a database of its own. */
  async function mirrored(calendarId = ADA.email) {
    const { account, session } = await openAccount();
    const listed = await account.listCalendars();
    const calendar = listed.find(({ href }) => href === calendarId);
    assert.ok(calendar !== undefined);
    const db = await openDatabase();
    const { mirror, calendarKey } = await mirrorWith(db, calendar);
    const sync = async () => {
      const now = open.clock.now();
      const lease = { key: calendarKey, holder: `run ${now} ${Math.random()}` };
      const leased = await mirror.leaseCalendar(lease, now, now + DAY);
      assert.ok(leased !== undefined, 'The lease was held');
      try {
        const deps = { mirror, rendering: renderHere, now: () => now, startedAt: now };
        await syncEvents({ calendar: leased, lease, account, owner: 'ada', resumes: false }, deps);
      } catch (failure) {
        if (!(failure instanceof ProviderError)) throw failure;
        const { kind, message } = failure;
        await mirror.failSync(lease, { kind, message }, now);
        return failure;
      }
      return undefined;
    };
    const reader = eventReader(db);
    const listInstances = async (window = YEAR) => {
      const page = { window, singleEvents: true, pageSize: 10_000, after: undefined };
      const { events } = await pageFrom(reader, page, new Map([[calendarKey, calendar.timeZone]]));
      return events.map(instanceOf).sort(byStart);
    };
    const google = async (window = YEAR) =>
      (await open.google.manual.instances(ADA.email, calendarId, window)).toSorted(byStart);
    return { sync, listInstances, google, session, mirror, calendarKey };
  }

  it('the Google adapter signs in through the chooser and the consent page', async () => {
    const account = await signIn();

    assert.equal(account.accountId, ADA.email);
    assert.equal(account.calendarPermission, true);
    assert.ok(account.grantedScopes.includes(calendarScope('events.readonly')));
  });

  it('the Google adapter tells that the calendar permission was unticked, and what is missing without it', async () => {
    const account = await signIn([calendarScope('events.readonly')]);
    const { credentials } = account;
    const session = sessionOf(provider(), APP, credentials, () => open.clock.now());
    const opened = provider().open(credentials, session);

    assert.equal(account.calendarPermission, false);
    assert.equal((await opened.listCalendars()).length, 1);
    const events = opened.changesSince(ADA.email, undefined, async () => new Map());
    await assert.rejects(
      async () => {
        for await (const _part of events);
      },
      failsAs('permission_missing', 'calendar_permission_missing'),
    );
  });

  it('the Google adapter asks for more on top of what was granted before', async () => {
    await signIn();
    const larger = await signIn([], 'read-write');

    const { covers } = provider().signIn;
    assert.equal(covers(larger.grantedScopes, 'read-write'), true);
    assert.ok(larger.grantedScopes.includes(calendarScope('events.readonly')));
  });

  it('the Google adapter continues when the access token expires', async () => {
    const { account, session } = await openAccount();
    const { accessToken } = session.credentials;
    open.clock.turn(2 * 3_600_000);

    assert.equal((await account.listCalendars()).length, 1);
    assert.notEqual(session.credentials.accessToken, accessToken);
  });

  it('the Google adapter names the death of a test app’s access, a revoked one, and a secret that was changed', async () => {
    open = await openGoogle({ status: 'testing' });
    const { credentials } = await signIn();
    open.clock.turn(7 * DAY);
    await assert.rejects(
      provider().signIn.renew(credentials, APP),
      failsAs('unauthorized', 'google_testing_expired'),
    );
    const fresh = (await signIn()).credentials;
    const wrong = { ...APP, clientSecret: 'expired' };
    await assert.rejects(
      provider().signIn.renew(fresh, wrong),
      failsAs('misconfigured', 'app_credentials_refused'),
    );
    await open.google.manual.revokeAccess(ADA.email);
    await assert.rejects(provider().signIn.renew(fresh, APP), failsAs('unauthorized', 'access_revoked'));
  });

  it('the Google adapter ends the access at Google', async () => {
    const { account, session } = await openAccount();

    await provider().signIn.revoke(session.credentials, APP);

    await assert.rejects(account.listCalendars(), failsAs('unauthorized', 'access_revoked'));
    await provider().signIn.revoke(session.credentials, APP);
  });

  it('the Google adapter lists the calendars as people named and shared them', async () => {
    const id = await open.google.manual.addCalendar(ADA.email, {
      title: 'Team',
      color: '#0b8043',
      timeZone: 'Asia/Tokyo',
      readOnly: true,
    });
    const { account } = await openAccount();

    const calendar = (await account.listCalendars()).find(({ href }) => href === id);

    const { title, timeZone, access, color }: Partial<ProviderCalendar> = calendar ?? {};
    assert.deepEqual([title, timeZone, access, color], ['Team', 'Asia/Tokyo', 'read', '#0b8043']);
  });

  it('the Google adapter may write in calendars that it owns, or that are shared for changes to events', async () => {
    const roles = ['owner', 'writer', 'writerWithoutPrivateAccess', 'reader', 'freeBusyReader'] as const;
    for (const role of roles)
      open.google.shareCalendar(ADA.email, { id: role, title: role, timeZone: 'UTC', role });
    const { account } = await openAccount();

    const calendars = new Map((await account.listCalendars()).map(({ href, access }) => [href, access]));

    assert.deepEqual(
      roles.map((role) => calendars.get(role)),
      ['write', 'write', 'write', 'read', 'read'],
    );
  });

  it('the Google adapter shows a weekly series with a moved and a deleted instance over a DST change as Google does', async () => {
    const { manual } = open.google;
    const start = (day: string) => ({ dateTime: `${day}T09:00:00`, timeZone: PARIS });
    const mirror = await mirrored();
    const id = await manual.createEvent(ADA.email, ADA.email, {
      title: 'Stand-up',
      start: start('2026-10-12'),
      end: { dateTime: '2026-10-12T09:30:00', timeZone: PARIS },
      recurrence: { frequency: 'weekly', count: 5 },
    });
    await mirror.sync();
    await manual.changeOccurrence(ADA.email, ADA.email, {
      id,
      original: start('2026-10-26'),
      start: { dateTime: '2026-12-24T11:00:00', timeZone: PARIS },
      end: { dateTime: '2026-12-24T12:00:00', timeZone: PARIS },
    });
    await manual.deleteOccurrence(ADA.email, ADA.email, { id, original: start('2026-10-19') });
    await mirror.sync();

    const instances = await mirror.listInstances();

    assert.deepEqual(instances, await mirror.google());
    assert.deepEqual(
      instances.map(({ start: startsAt }) => new Date(startsAt).toISOString().slice(0, 16)),
      ['2026-10-12T07:00', '2026-11-02T08:00', '2026-11-09T08:00', '2026-12-24T10:00'],
    );
    await manual.deleteEvent(ADA.email, ADA.email, id);
    await mirror.sync();
    assert.deepEqual(await mirror.listInstances(), []);
    assert.equal((await mirror.mirror.storedVersions(mirror.calendarKey)).size, 0);
  });

  it('the Google adapter needs one request to learn that nothing changed', async () => {
    const mirror = await mirrored();
    await mirror.sync();
    const before = open.google.requests();

    await mirror.sync();

    assert.equal(open.google.requests() - before, 1);
  });

  it('the Google adapter loses no deletion when Google forgets the sync token', async () => {
    const { manual } = open.google;
    const mirror = await mirrored();
    const draft = { title: 'A', start: { date: '2026-11-23' }, end: { date: '2026-11-24' } };
    const id = await manual.createEvent(ADA.email, ADA.email, draft);
    await manual.createEvent(ADA.email, ADA.email, { ...draft, title: 'B' });
    await mirror.sync();
    await manual.deleteEvent(ADA.email, ADA.email, id);
    await manual.forgetSyncTokens(ADA.email, ADA.email);

    assert.equal(await mirror.sync(), undefined);

    assert.deepEqual(
      (await mirror.listInstances()).map(({ title }) => title),
      ['B'],
    );
  });
}

type Listed = Awaited<ReturnType<typeof pageFrom>>['events'][number];

function instanceOf({ content, times }: Listed) {
  const { title, allDay, start, end } = JSON.parse(`{${content}}`);
  return { title, start: times?.start ?? at(start), end: times?.end ?? at(end), allDay };
}

const byStart = (a: { start: number; title: string }, b: { start: number; title: string }) =>
  a.start - b.start || (a.title < b.title ? -1 : Number(a.title > b.title));
