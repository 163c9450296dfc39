/**
 * Requests of the published clients in seven languages that write an event, replayed (docs/wire.md 1.8, 1.9 and 6), on
 * calendars at Google, Microsoft and a CalDAV server; every response is read as that client reads it.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { READERS, type ReadEvent, readList, readWriteAnswer } from './sdk-reading.ts';
import { type Body, type Expected, JSON_TYPE, NINE, RULES, type SdkWriter, WRITERS } from './sdk-writers.ts';
import { openWritingSite, send, type WritableProvider, type WritingSite } from './writing-site.ts';

const BEN = [{ email: 'ben@example.com', status: 'none' }];
const PROVIDERS: readonly WritableProvider[] = ['google', 'microsoft', 'caldav'];
const MONTH = 'start=2026-12-01T00%3A00%3A00Z&end=2026-12-31T00%3A00%3A00Z';

describe('writing as the published clients do', () => {
  let site: WritingSite;
  before(async () => {
    site = await openWritingSite();
  });
  after(() => site?.close());

  const api = (path: string) => `${site.application.url}/api${path}`;
  const bearer = () => ({ authorization: `Bearer ${site.token}` });
  const json = (type = JSON_TYPE) => ({ ...bearer(), 'content-type': type });
  const write = (method: string, body: Body, { type = JSON_TYPE, url = api('/event') } = {}) =>
    send(url, method, json(type), JSON.stringify(body));
  /** All seven clients delete with parameters in the query and no body. */
  const deleteByQuery = (query: Record<string, string>, typed: boolean) =>
    send(`${api('/event')}?${new URLSearchParams(query)}`, 'DELETE', typed ? json() : bearer());
  const list = async (sdk: SdkWriter) => {
    const answer = await send(api(`/events?${MONTH}`), 'GET', sdk.typedDelete ? json() : bearer());
    assert.equal(answer.status, 200, answer.text);
    return readList(READERS[sdk.name], answer.body);
  };

  for (const provider of PROVIDERS)
    for (const sdk of WRITERS) {
      it(`the service carries the ${sdk.name} client through an event’s life at ${provider}`, async () => {
        const calendar = site.calendars[provider];
        const reader = READERS[sdk.name];
        const type = sdk.jsonType;

        const made = await write('POST', { ...calendar, ...sdk.create }, { type });
        assert.equal(made.status, 200, made.text);
        const created = readWriteAnswer(reader, made.body);
        const changed = await write('PUT', { ...calendar, eventId: created.id, ...sdk.update }, { type });
        assert.equal(changed.status, 200, changed.text);
        const updated = readWriteAnswer(reader, changed.body);
        const listed = (await list(sdk)).find(({ id }) => id === created.id);
        const gone = await deleteByQuery(
          { ...calendar, eventId: created.id, ...sdk.deleteExtra },
          sdk.typedDelete,
        );

        assertHas(created, sdk.created);
        assertHas(updated, sdk.updated);
        assert.equal(updated.id, created.id);
        assert.deepEqual(guestsOf(created), BEN);
        assert.deepEqual(guestsOf(updated), Array.isArray(sdk.update.attendees) ? [] : BEN);
        assert.deepEqual(listed, updated);
        assert.deepEqual([gone.status, gone.body.success, typeof gone.body.message], [200, true, 'string']);
        assert.ok((await list(sdk)).every(({ id }) => id !== created.id));
      });
    }

  for (const provider of PROVIDERS) {
    const series = {
      start: '2026-12-07T09:00:00Z',
      end: '2026-12-07T10:00:00Z',
      recurrence: { frequency: 'DAILY', interval: 1, count: 5, byDay: [], byMonthDay: [], byMonth: [] },
    };
    const daysOf = async (...titles: string[]) =>
      (await list(WRITERS[0] as SdkWriter)) // the list is not empty
        .filter(({ title }) => titles.includes(title))
        .map(({ title, start }) => `${title} ${start.slice(8, 10)}`);
    const instancesOf = async (title: string) =>
      (await list(WRITERS[0] as SdkWriter)).filter((event) => event.title === title); // as above

    for (const { name, rule, days } of RULES)
      it(`the service takes a recurrence rule as the ${name} client writes it, at ${provider}`, async () => {
        const title = `Rule of ${name} at ${provider}`;
        const times = { start: '2026-12-07T09:00:00Z', end: '2026-12-07T10:00:00Z' };
        const made = await write('POST', { ...site.calendars[provider], ...times, title, recurrence: rule });

        assert.equal(made.status, 200, made.text);
        readWriteAnswer(READERS[name], made.body);
        const starts = (await instancesOf(title)).map(({ start }) => Number(start.slice(8, 10)));
        assert.deepEqual(starts, days);
      });

    it(`the service takes the modes of the .NET client, which cannot leave out title and dates, at ${provider}`, async () => {
      const calendar = site.calendars[provider];
      const unset = { title: '', start: '0001-01-01T00:00:00', end: '0001-01-01T00:00:00' };
      const type = 'application/json; charset=utf-8';
      const made = await write('POST', { ...calendar, ...series, title: 'Stand-up' }, { type });
      assert.equal(made.status, 200, made.text);
      const [, second, third, , fifth] = await instancesOf('Stand-up');
      assert.ok(second && third && fifth);
      const recurringEventId = String(made.body.id);
      assert.equal(second.recurringEventId, recurringEventId);
      const named = ({ id }: ReadEvent) => ({ ...calendar, eventId: id, recurringEventId });

      const one = await write(
        'PUT',
        { ...unset, ...named(second), location: 'Roof', updateMode: 'this' },
        { type },
      );
      const rest = await write(
        'PUT',
        { ...unset, ...named(third), title: 'Sit-down', updateMode: 'following' },
        { type },
      );
      assert.deepEqual([one.status, rest.status], [200, 200], one.text + rest.text);
      readWriteAnswer(READERS['.NET'], one.body);
      const { id } = readWriteAnswer(READERS['.NET'], rest.body);

      assert.deepEqual(await daysOf('Stand-up', 'Sit-down'), [
        ...['Stand-up 07', 'Stand-up 08', 'Sit-down 09', 'Sit-down 10', 'Sit-down 11'],
      ]);
      assert.deepEqual(
        (await instancesOf('Stand-up')).map(({ location }) => location),
        [undefined, 'Roof'],
      );
      const later = (await instancesOf('Sit-down')).at(-1);
      assert.ok(later);
      const cut = { ...calendar, eventId: later.id, recurringEventId: id, deleteMode: 'this' };
      assert.equal((await deleteByQuery(cut, false)).status, 200);
      assert.deepEqual(await daysOf('Sit-down'), ['Sit-down 09', 'Sit-down 10']);
      for (const eventId of [recurringEventId, id])
        assert.equal((await deleteByQuery({ ...calendar, eventId, deleteMode: 'all' }, true)).status, 200);
      assert.deepEqual(await daysOf('Stand-up', 'Sit-down'), []);
    });

    it(`the service takes a DELETE with its parameters in the body, as documented, and lets the query win, at ${provider}`, async () => {
      const calendar = site.calendars[provider];
      const [remaining, first, second] = await Promise.all(
        ['Kept', 'First', 'Second'].map(async (title) => {
          const { body } = await write('POST', { ...calendar, ...NINE, title });
          return { ...calendar, eventId: String(body.id) };
        }),
      );
      assert.ok(remaining && first && second);

      const byBody = await write('DELETE', { ...first, recurringEventId: null, deleteMode: '' });
      const query = new URLSearchParams(second);
      const byBoth = await write('DELETE', remaining, { url: `${api('/event')}?${query}` });
      const again = await deleteByQuery(second, true);

      assert.deepEqual([byBody.status, byBoth.status, again.status], [200, 200, 404]);
      assert.deepEqual(await daysOf('Kept', 'First', 'Second'), ['Kept 01']);
      // An explicit length of zero, which some HTTP libraries add to a DELETE with a content type.
      const empty = await send(`${api('/event')}?${new URLSearchParams(remaining)}`, 'DELETE', json(), '');
      assert.equal(empty.status, 200, empty.text);
    });

    it(`the service serves the same at the mount of the requirement, at ${provider}`, async () => {
      const calendar = site.calendars[provider];
      const { url } = site.application;
      for (const mount of ['', '/api/oauth']) {
        const made = await write(
          'POST',
          { ...calendar, ...NINE, title: 'Mounted' },
          { url: `${url}${mount}/event` },
        );
        const named = { ...calendar, eventId: String(made.body.id) };
        const gone = await write('DELETE', named, { url: `${url}${mount}/event` });

        assert.deepEqual([made.status, gone.status], [200, 200], made.text + gone.text);
      }
    });

    it(`the service takes a Node caller’s local midnights for the days meant, at ${provider}`, async () => {
      const days = { start: '2026-12-14T23:00:00.000Z', end: '2026-12-16T23:00:00.000Z', allDay: true };
      const made = await write('POST', { ...site.calendars[provider], ...days, title: 'Away' });

      assert.equal(made.status, 200, made.text);
      const { start, end } = readWriteAnswer(READERS.Node, made.body);
      assert.deepEqual([start, end], ['2026-12-15T00:00:00.000Z', '2026-12-17T00:00:00.000Z']);
    });

    it(`the service words a refusal so that every client can read it, at ${provider}`, async () => {
      const calendar = site.calendars[provider];
      const refused = await write('POST', { ...calendar, title: null, start: 'soon', attendees: [{}] });
      const missing = await write('PUT', { ...calendar, eventId: 'nowhere', title: 'x' });

      assert.deepEqual([refused.status, missing.status], [400, 404]);
      for (const { body } of [refused, missing])
        for (const name of ['error', 'message', 'code']) assert.equal(typeof body[name], 'string', name);
      // Strings where lists belong end the PHP client with a TypeError (docs/wire.md 3.1).
      const details = Object.entries(refused.body.details ?? {});
      assert.deepEqual(details.map(([name]) => name).sort(), ['attendees', 'end', 'start', 'title']);
      for (const [, texts] of details)
        assert.ok(Array.isArray(texts) && texts.every((text) => typeof text === 'string'));
    });
  }

  it('the service answers a write with a dead token 401 before anything is done, so that the retry makes one event', async () => {
    const body = JSON.stringify({ ...site.calendars.google, ...NINE, title: 'Retried' });

    const dead = await send(api('/event'), 'POST', { ...json(), authorization: 'Bearer dead' }, body);
    const retried = await send(api('/event'), 'POST', json(), body);

    assert.deepEqual(
      [dead.status, dead.body.error, typeof dead.body.message],
      [401, 'Unauthorized', 'string'],
    );
    assert.equal(retried.status, 200, retried.text);
    const events = await site.shownAt('google', { start: Date.parse(NINE.start), end: Date.parse(NINE.end) });
    assert.equal(events.filter(({ title }) => title === 'Retried').length, 1);
  });

  it('the service takes primary for the main calendar of the Google account, all of an event’s life', async () => {
    const primary = { provider: 'google', calendarId: 'primary' };

    const made = await write('POST', { ...primary, ...NINE, title: 'Main' });
    assert.equal(made.status, 200, made.text);
    const eventId = String(made.body.id);
    const changed = await write('PUT', { ...primary, eventId, title: 'Main 2' });
    const gone = await deleteByQuery({ ...primary, eventId }, true);

    assert.deepEqual([changed.status, gone.status], [200, 200], changed.text + gone.text);
    const { calendarId } = readWriteAnswer(READERS.Java, made.body);
    assert.notEqual(calendarId, 'primary');
    assert.notEqual(calendarId, site.calendars.google.calendarId);
  });

  it('the service makes a Meet link of the documentation’s conference object, and answers it as a string', async () => {
    const made = await write('POST', {
      ...site.calendars.google,
      ...NINE,
      title: 'Meet',
      conference: { url: '', provider: 'google-meet', autoGenerate: true, data: {} },
    });

    assert.equal(made.status, 200, made.text);
    for (const reader of Object.values(READERS))
      assert.match(readWriteAnswer(reader, made.body).conference ?? '', /^https:\/\//);
  });
});

/** Asserts that the event has every expected member. */
function assertHas(event: ReadEvent, expected: Expected): void {
  const names = Object.keys(expected);
  assert.deepEqual(Object.fromEntries(names.map((name) => [name, event[name]])), expected);
}

/** Returns the attendees without the organizer, whom some providers list (docs/wire.md 2.5). */
function guestsOf({ attendees = [] }: ReadEvent) {
  return attendees
    .filter((attendee) => !('organizer' in attendee && attendee.organizer))
    .map(({ email, status }) => ({ email, status }));
}
