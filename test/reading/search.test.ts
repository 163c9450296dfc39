/** `q` on GET /events: a search over the mirror, the same on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../src/store/drivers/database.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';

const original = (local: string) =>
  ({ recurrenceId: { type: 'zoned', local, zone: 'Europe/Paris' } }) as const;
const weekly = { rrules: ['FREQ=WEEKLY'], rdates: [], exdates: [] };

onEachDatabase((database, open) => {
  describe(`a search on ${database}`, () => {
    let server: Awaited<ReturnType<typeof openCalendarServer>>;
    let token: string;
    let db: Database;
    before(async () => {
      db = await open();
      for (const client of ['acme'])
        await db.write(
          `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at) VALUES (:client, 'A', 'https://app.example/cb', 0, 0)`,
          { client },
        );
      await db.write(
        `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at) VALUES ('acme', 'ada', 0, 0)`,
      );
      server = await openCalendarServer({ db });
      const { provider } = server;
      provider.addCalendar(calendar('/work/'));
      provider.put(
        '/work/',
        resource('cafe', event('2026-11-10T09:00:00', { title: 'CAFÉ ☕ mit Zoë' })),
        resource('strasse', event('2026-11-11T09:00:00', { location: 'Große Straße 100%' })),
        resource('quotes', event('2026-11-14T09:00:00', { title: "L’été d‘Ada, Oʼahu, rock 'n' roll" })),
        resource('tatweel', event('2026-11-15T09:00:00', { title: 'كـــتاب' })),
        resource('note', event('2026-11-12T09:00:00', { description: 'line one\n\nΟΔΟΣ  two_words ﬁne' })),
        resource(
          'guest',
          event('2026-11-13T09:00:00', {
            attendees: [{ email: 'Grace@Example.com', name: 'Grace Höpper', status: 'none' }],
          }),
        ),
        resource(
          'weekly',
          event('2026-10-05T09:00:00', { title: 'Standup', recurrence: weekly }),
          event('2026-11-09T15:00:00', { title: 'Retro', ...original('2026-11-09T09:00:00') }),
        ),
      );
      await link(server);
      token = await server.token('read');
    });
    after(() => server.close());

    const ask = async (q: string, more = '') => {
      const answer = await get(
        server,
        `/events?start=2026-11-01&end=2026-12-01&q=${encodeURIComponent(q)}${more}`,
        token,
      );
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json<{ events: { id: string; title: string }[]; nextPageToken?: string }>();
    };
    const idsBy = async (q: string, more = '') => (await ask(q, more)).events.map(({ id }) => id);

    const table: [string, string[]][] = [
      ['cafe', ['cafe']],
      ['Café', ['cafe']],
      ['CAFE\u0301 zoe', ['cafe']],
      ['zoe cafe', ['cafe']],
      ['zoe tea', []],
      ['☕', ['cafe']],
      ['GROSSE strasse', ['strasse']],
      ['100%', ['strasse']],
      ['1%0', []],
      ['two_words', ['note']],
      ['two words', ['note']],
      ['twoxwords', []],
      ['οδος fine', ['note']],
      ['grace@example.com', ['guest']],
      ['hopper', ['guest']],
      ["'; DROP TABLE event; --", []],
      ['!', []],
      ["l'ete", ['quotes']],
      ['d’ada Oʼahu', ['quotes']],
      ['rock ‘n’ roll', ['quotes']],
      ["l'''ete", []],
      ['كتاب', ['tatweel']],
      ['كتـاب', ['tatweel']],
    ];
    for (const [q, ids] of table) {
      it(`a search finds ${JSON.stringify(ids)} by ${JSON.stringify(q)}`, async () => {
        assert.deepEqual(await idsBy(q), ids);
      });
    }

    it('a search finds apostrophes in texts that were stored before they were folded', async () => {
      await db.write("UPDATE event SET search_text = REPLACE(search_text, '''', '’')");

      assert.deepEqual(await idsBy("l'ete d'ada"), ['quotes']);
      assert.deepEqual(await idsBy('l’ete rock'), ['quotes']);
    });

    it('a search finds the instances of a series by the words of each', async () => {
      const standup = await idsBy('standup');

      assert.equal(standup.length, 4);
      assert.ok(!standup.includes('weekly_20261109T080000Z'));
      assert.deepEqual(await idsBy('retro'), ['weekly_20261109T080000Z']);
      assert.deepEqual(await idsBy('retro', '&singleEvents=false'), ['weekly']);
      assert.deepEqual(await idsBy('standup', '&singleEvents=false'), ['weekly']);
      const [master] = (await ask('retro', '&singleEvents=false')).events;
      assert.deepEqual((master as { recurrence?: object }).recurrence, { frequency: 'WEEKLY', interval: 1 });
    });

    it('a search follows an endless series through two centuries for one exception at no great cost', async () => {
      assert.deepEqual(await idsBy('retro', '&start=2026-01-01&end=2200-01-01'.replace('&start', '&x')), [
        'weekly_20261109T080000Z',
      ]);
    });

    it('a search keeps its words on the pages that follow', async () => {
      const ids: string[] = [];
      let page = await ask('standup', '&pageSize=1');
      for (;;) {
        ids.push(...page.events.map(({ id }) => id));
        if (page.nextPageToken === undefined) break;
        page = (await get(server, `/events?nextPageToken=${page.nextPageToken}`, token)).json();
      }

      assert.deepEqual(ids, await idsBy('standup'));
    });

    it('a search is refused with too many words, with none, and for scope free-busy', async () => {
      const status = async (q: string, bearer = token) =>
        (await get(server, `/events?q=${encodeURIComponent(q)}`, bearer)).statusCode;
      const next = (await ask('standup', '&pageSize=1')).nextPageToken;
      const busy = await server.token('free-busy');

      assert.deepEqual(
        [await status('a b c d e f g h i'), await status('\u0301'), await status('x'.repeat(201))],
        [400, 400, 400],
      );
      assert.equal(await status('standup', busy), 403);
      assert.equal((await get(server, `/events?nextPageToken=${next}`, busy)).statusCode, 403);
      assert.equal(await status(''), 200);
    });
  });
});
