/** The redirect URIs of an application in the administration API, on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { MOST_REDIRECT_URIS } from '../../src/oauth/redirect-uri.ts';
import { onEachDatabase } from '../harness/databases.ts';
import {
  type AdministrationApp,
  ENVIRONMENT_KEY as key,
  openAdministrationApp,
} from './administration-app.ts';

const [A, B, C] = ['https://app.example/a', 'http://localhost:3000/b', 'com.example.app:/c'];

onEachDatabase((database, open) => {
  describe(`redirect URIs in the administration API on ${database}`, () => {
    let administration: AdministrationApp;
    before(async () => {
      administration = await openAdministrationApp(await open());
    });
    after(() => administration.app.close());

    const create = (uris: object) =>
      administration.send('post', '/applications', { key, body: { name: 'Several', ...uris } });
    const created = async (...uris: string[]) =>
      String((await create({ redirect_uris: uris })).document.client_id);
    const patch = (id: string, body: object) =>
      administration.send('patch', `/applications/${id}`, { key, body });
    const urisOf = async (id: string) => {
      const { document } = await administration.send('get', `/applications/${id}`, { key });
      return [document.redirect_uri, document.redirect_uris];
    };

    it('an application is created with one redirect URI, or with several in their order', async () => {
      const [one, several, both] = [
        await create({ redirect_uri: A }),
        await create({ redirect_uris: [B, A] }),
        await create({ redirect_uri: C, redirect_uris: [C, A] }),
      ];

      const uris = [one, several, both].map(({ document }) => [
        document.redirect_uri,
        document.redirect_uris,
      ]);
      assert.deepEqual(uris, [
        [A, [A]],
        [B, [B, A]],
        [C, [C, A]],
      ]);
      for (const { document } of [one, several, both])
        assert.deepEqual(await urisOf(String(document.client_id)), [
          document.redirect_uri,
          document.redirect_uris,
        ]);
    });

    it('a list replaces all redirect URIs, and a new default keeps the others', async () => {
      const id = await created(A, B);

      assert.deepEqual((await patch(id, { redirect_uris: [C, A] })).document.redirect_uris, [C, A]);
      assert.deepEqual((await patch(id, { redirect_uri: B })).document.redirect_uris, [B, A]);
      await patch(id, { name: 'Renamed' });
      assert.deepEqual(await urisOf(id), [B, [B, A]]);
    });

    it('redirect URIs are removed and added at the end, the default too', async () => {
      const id = await created(A, B);

      const { document } = await patch(id, { add_redirect_uris: [C], remove_redirect_uris: [A] });

      assert.deepEqual([document.redirect_uri, document.redirect_uris], [B, [B, C]]);
      assert.deepEqual(await urisOf(id), [B, [B, C]]);
    });

    it('the last redirect URI cannot be removed', async () => {
      const id = await created(A, B);
      for (const body of [{ remove_redirect_uris: [A, B] }, { redirect_uris: [] }]) {
        const { status, document } = await patch(id, body);
        assert.deepEqual([status, document.code], [409, 'last_redirect_uri']);
      }
      assert.deepEqual(await urisOf(id), [A, [A, B]]);
    });

    const many = Array.from({ length: MOST_REDIRECT_URIS }, (_, i) => `https://app.example/${i}`);
    const refused: readonly [string, object, Readonly<Record<string, readonly string[]>>][] = [
      [
        'one that occurs twice',
        { redirect_uris: [A, B, A] },
        { redirect_uris: [`The redirect URI "${A}" occurs twice`] },
      ],
      [
        'one that is registered',
        { add_redirect_uris: [B] },
        { add_redirect_uris: [`The redirect URI "${B}" occurs twice`] },
      ],
      [
        'a default that is registered',
        { redirect_uri: B },
        { redirect_uri: [`The redirect URI "${B}" occurs twice`] },
      ],
      [
        'one to remove that is not registered',
        { remove_redirect_uris: [C] },
        { remove_redirect_uris: [`The redirect URI "${C}" is not registered`] },
      ],
      [
        'more than 20',
        { add_redirect_uris: many },
        { add_redirect_uris: ['An application can have at most 20 redirect URIs'] },
      ],
      [
        'each invalid one',
        { redirect_uris: [A, 'https://app.example/#x', '', 'https://a.example/\nhttps://b.example'] },
        {
          redirect_uris: [
            'The redirect URI "https://app.example/#x" must have no fragment (the part behind #)',
            'The redirect URI "" must not be empty',
            'The redirect URI "https://a.example/\nhttps://b.example" must consist of the characters URLs have: percent-encode spaces, quotes and letters beyond ASCII',
          ],
        },
      ],
      [
        'one beside a list whose first is another one',
        { redirect_uri: B, redirect_uris: [A, B] },
        { redirect_uri: ['redirect_uri must be the first of redirect_uris'] },
      ],
      [
        'a text instead of a list',
        { redirect_uris: A },
        { redirect_uris: ['redirect_uris must be a list of texts'] },
      ],
    ];
    for (const [name, body, details] of refused)
      it(`refuses ${name}`, async () => {
        const id = await created(A, B);
        const { status, document } = await patch(id, { name: 'Changed', ...body });

        assert.equal(status, 400);
        assert.deepEqual(document.details, details);
        const shown = await administration.send('get', `/applications/${id}`, { key });
        assert.deepEqual([shown.document.name, shown.document.redirect_uris], ['Several', [A, B]]);
      });

    it('an application without a redirect URI, or with more than 20, is not created', async () => {
      for (const uris of [{}, { redirect_uris: [] }, { redirect_uris: [''] }]) {
        const { status, document } = await create(uris);
        assert.deepEqual([status, document.details], [400, { redirect_uri: ['redirect_uri is missing'] }]);
      }
      const { status, document } = await create({ redirect_uris: [A, ...many] });
      assert.deepEqual([status, document.code], [400, 'invalid_redirect_uri']);
      assert.equal((await create({ redirect_uris: many })).status, 201);
    });

    it('ten redirect URIs that are added at once are all registered', async () => {
      const id = await created(A);
      const added = many.slice(0, 10);

      await Promise.all(added.map((uri) => patch(id, { add_redirect_uris: [uri] })));

      const [first, all] = await urisOf(id);
      assert.equal(first, A);
      assert.deepEqual([...(all as string[])].sort(), [A, ...added].sort());
    });

    it('of two removals at once of the last two, one is refused', async () => {
      const id = await created(A, B);

      const responses = await Promise.all([A, B].map((uri) => patch(id, { remove_redirect_uris: [uri] })));

      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409]);
    });

    it('a change of redirect URIs has a new ETag, and is refused with an old one', async () => {
      const id = await created(A);
      const { headers } = await administration.send('get', `/applications/${id}`, { key });
      const add = (uri: string) =>
        administration.send('patch', `/applications/${id}`, {
          ...{ key, body: { add_redirect_uris: [uri] } },
          headers: { 'if-match': String(headers.etag) },
        });

      const first = await add(B);
      assert.equal(first.status, 200);
      assert.notEqual(first.headers.etag, headers.etag);
      assert.equal((await add(C)).status, 412);
      assert.deepEqual(await urisOf(id), [A, [A, B]]);
    });

    it('the audit log has the redirect URIs before and after', async () => {
      const id = await created(A);
      await patch(id, { add_redirect_uris: [B] });

      const entries = await administration.stores.audit.listEntries({ clientId: id }, { limit: 10 });
      const changes = entries.map(({ before, after }) => [before?.redirect_uris, after?.redirect_uris]);
      assert.deepEqual(changes, [
        [[A], [A, B]],
        [undefined, [A]],
      ]);
    });
  });
});
