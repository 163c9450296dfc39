/** Fifty writes at once through two instances of the program as shipped, on one PostgreSQL. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import {
  type Answered,
  openWritingSite,
  send,
  type WritableProvider,
  type WritingSite,
} from './writing-site.ts';

const FIFTY = Array.from({ length: 50 }, (_, i) => i);
const PROVIDERS: readonly WritableProvider[] = ['google', 'microsoft', 'caldav'];
const START = '2026-12-01T09:00:00.000Z';
const END = '2026-12-01T10:00:00.000Z';
/** A write that waited too long for its turn was not carried out, and may be sent again. */
const WAITED_TOO_LONG = new Set<unknown>(['calendar_busy', 'idempotency_key_in_use']);
const DAY = { start: Date.parse('2026-12-01'), end: Date.parse('2026-12-02') };

onEachDatabase((database, _open, place) => {
  // Two instances share a PostgreSQL; SQLite has one.
  if (database !== 'PostgreSQL') return;
  describe('fifty writes at once over two instances', () => {
    let site: WritingSite;
    before(async () => {
      const { databaseUrl } = await place();
      site = await openWritingSite({ databaseUrl, instances: 2 });
    });
    after(() => site?.close());

    /** The i-th goes to one instance, the next to the other. */
    const ask = async (i: number, method: string, body: object, headers: Record<string, string> = {}) => {
      const { url } = site.programs[i % site.programs.length] ?? site.program;
      const sent = {
        authorization: `Bearer ${site.token}`,
        'content-type': 'application/json',
        ...headers,
      };
      for (;;) {
        const answer = await send(`${url}/event`, method, sent, JSON.stringify(body));
        if (!WAITED_TOO_LONG.has(answer.body.code)) return answer;
      }
    };
    const countOf = async (provider: WritableProvider, title: string) =>
      (await site.shownAt(provider, DAY)).filter((event) => event.title === title).length;
    const read = ({ application, token }: WritingSite, named: Record<string, string>) =>
      send(`${application.url}/event?${new URLSearchParams(named)}`, 'GET', {
        authorization: `Bearer ${token}`,
      });

    for (const provider of PROVIDERS) {
      it(`fifty writes at once make one event at ${provider} when they carry one Idempotency-Key, and are answered alike`, async () => {
        const body = { ...site.calendars[provider], title: 'Once', start: START, end: END };
        const key = { 'idempotency-key': `fifty at ${provider}` };

        const answers = await Promise.all(FIFTY.map((i) => ask(i, 'POST', body, key)));

        assert.deepEqual(statusesOf(answers), [200]);
        assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
        assert.equal(await countOf(provider, 'Once'), 1);
      });

      it(`fifty writes at once are all applied at ${provider} when each changes a field of its own`, async () => {
        const calendar = site.calendars[provider];
        const many = { title: 'Many', start: START, end: END };
        const { body } = await ask(0, 'POST', { ...calendar, ...many, custom: { kept: 'yes' } });
        const named = { ...calendar, eventId: String(body.id) };
        const fields = {
          title: 'Changed',
          description: 'Agenda',
          location: 'Roof',
          // In Outlook, what is free is not tentative.
          ...(provider === 'microsoft' ? {} : { availability: 'free' }),
          privacy: 'private',
          status: 'tentative',
          conference: 'https://meet.example/room',
          attendees: ['ben@example.com'],
          end: '2026-12-01T11:00:00.000Z',
        };
        const each = Object.entries(fields);

        const answers = await Promise.all(
          FIFTY.map((i) => {
            const [name, value] = each[i % each.length] ?? [];
            return ask(i, 'PUT', { ...named, [String(name)]: value });
          }),
        );

        const refused = answers.find(({ status }) => status !== 200);
        assert.deepEqual(statusesOf(answers), [200], refused?.text ?? '');
        const now = (await read(site, named)).body;
        const { attendees, ...plain } = fields;
        const names = Object.keys(plain);
        assert.deepEqual(Object.fromEntries(names.map((name) => [name, now[name]])), plain);
        assert.match(JSON.stringify(now.attendees), /"email":"ben@example\.com"/);
        assert.deepEqual([now.start, now.custom], [START, { kept: 'yes' }]);
        assert.equal(await countOf(provider, 'Changed'), 1);
      });

      it(`fifty writes at once let exactly one through at ${provider} when all name the same version`, async () => {
        const calendar = site.calendars[provider];
        const { body } = await ask(0, 'POST', { ...calendar, title: 'Version', start: START, end: END });
        const named = { ...calendar, eventId: String(body.id) };
        const version = { 'if-match': String(body.etag) };

        const answers = await Promise.all(
          FIFTY.map((i) => ask(i, 'PUT', { ...named, location: `Room ${i}` }, version)),
        );

        const [winner, ...others] = answers.filter(({ status }) => status === 200);
        assert.ok(winner !== undefined && others.length === 0, `${others.length + 1} winners`);
        assert.deepEqual(statusesOf(answers), [200, 412]);
        assert.equal((await read(site, named)).body.location, winner.body.location);
      });
    }
  });
});

const statusesOf = (answers: readonly Answered[]): number[] =>
  [...new Set(answers.map(({ status }) => status))].sort();
