/** The documented behavior of the running program when its database fails and when time passes. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';

import pg from 'pg';

import { onEachDatabase } from '../harness/databases.ts';
import { type Program, type Registration, startProgram } from '../harness/program.ts';
import { openBrowser, textOf } from './browser.ts';
import { authorizeUrl, jsonOf } from './flow.ts';

const TWO_HOURS_MS = 7_200_000;

onEachDatabase((database, _open, place) => {
  describe(`a database and a clock that do not wait, on ${database}`, () => {
    let program: Program;
    let application: Registration & { url: string };
    let databaseUrl: string | undefined;
    before(async () => {
      ({ databaseUrl } = await place());
      program = await startProgram({ databaseUrl });
      application = { ...(await program.createClient()), url: program.url };
    });
    after(() => program?.dispose());

    /** Changes the database without the program. */
    const administer = async (sql: string) => {
      if (databaseUrl === undefined) {
        const db = new DatabaseSync(path.join(program.dataDir, 'kalends.db'), { timeout: 5000 });
        db.exec(sql);
        return db.close();
      }
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      await client.query(sql).finally(() => client.end());
    };
    const start = (accept: string) =>
      fetch(authorizeUrl(application, { userId: 'ada' }), { redirect: 'manual', headers: { accept } });

    it('GET /authorize answers 400 when the user cannot be created, and 500 for any other failure of the database', async () => {
      for (const [table, status, error] of [
        ['application_user', 400, 'invalid_request'],
        ['authorization_request', 500, 'server_error'],
        ['application', 500, 'server_error'],
      ] as const) {
        await administer(`ALTER TABLE ${table} RENAME TO renamed_away`);
        const page = await start('text/html');
        const json = await start('application/json');
        await administer(`ALTER TABLE renamed_away RENAME TO ${table}`);

        assert.equal(page.status, status, table);
        assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
        assert.equal(page.headers.get('location'), null);
        assert.equal(json.status, status, table);
        const body = await jsonOf(json);
        assert.equal(body.error, error);
        assert.equal(typeof body.message, 'string');
        assert.doesNotMatch(JSON.stringify(body) + textOf(await page.text()), /renamed_away|relation|SQL/i);
      }
      assert.equal((await start('text/html')).status, 302, 'and goes on when the database does');
    });

    it('an authorization request is kept for two hours and no longer', async () => {
      const browser = openBrowser();
      const opened = await browser.open(authorizeUrl(application, { userId: 'slow' }));
      const age = (ms: number) =>
        administer(`UPDATE authorization_request SET created_at = created_at - ${ms} WHERE user_id = 'slow'`);

      await age(TWO_HOURS_MS - 60_000);
      const inTime = await browser.open(opened.url);
      await age(60_000);
      const late = await browser.open(opened.url);

      assert.equal(inTime.status, 200);
      assert.equal(late.status, 400);
      assert.match(textOf(late.body), /Start again/);
    });
  });
});
