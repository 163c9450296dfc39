/** The audit log page: which entries each member sees, their names and the filters. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Caller, NewAuditEntry } from '../../src/audit/audit-entry.ts';
import { appendAudit } from '../../src/store/audit/append-audit.ts';
import type { Database, Values } from '../../src/store/drivers/database.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, type DashboardBrowser, openDashboardApp } from './dashboard-app.ts';

const ROOT = { kind: 'command_line', name: 'root' } as const;
const AUDIT = '/dashboard/audit';

onEachDatabase((database, open) => {
  describe(`the audit page, on ${database}`, () => {
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    let developer: DashboardBrowser;
    before(async () => {
      dashboard = await openDashboardApp(await open());
      const { stores, clock } = dashboard;
      owner = await dashboard.signedIn('owner');
      developer = await dashboard.signedIn('developer');
      const caller: Caller = { actor: ROOT, address: undefined, now: () => clock.now };
      for (let change = 0; change < 60; change += 1)
        await stores.clients.updateClient(
          'acme',
          { name: `<i>Acme</i> ${change}` },
          { now: clock.now + change, by: caller },
        );
      const renamed = { name: 'Other by another name' };
      await stores.clients.updateClient('other', renamed, { now: clock.now, by: caller });
    });
    after(() => dashboard.app.close());

    it('shows what was changed, from what to what, as text', async () => {
      const { body } = await owner.get(AUDIT);

      assert.match(textOf(body), /root \(command line\) changed the settings of Other by another name/);
      assert.match(body, /<small class="code">client\.updated<\/small>/);
      assert.match(textOf(body), /name The other → Other by another name/);
      assert.ok(!body.includes('<i>Acme'));
    });

    it('lists older entries on further pages, each once', async () => {
      const seen = await namesOnAllPages(owner, `${AUDIT}?action=client.updated&client=acme`);

      assert.deepEqual(seen, [...Array(60).keys()]);
    });

    it('a developer sees the applications given to them, whatever the address says', async () => {
      for (const query of [
        '',
        '?client=other',
        '?client=other&client=acme',
        '?client=%27',
        '?before=x',
        '?action=no',
        '?actor=command_line&period=7d',
        '?actor=%00&subject=%00',
      ]) {
        const { status, body } = await developer.get(`${AUDIT}${query}`);
        assert.equal(status, 200);
        assert.ok(!body.includes('Other by another name'), query);
      }
      assert.match((await developer.get(AUDIT)).body, /Acme/);
    });

    it('offers the names of other members as a filter to owners alone', async () => {
      const viewer = await dashboard.signedIn('viewer');

      assert.match((await owner.get(AUDIT)).body, /Some developer<\/option>/);
      for (const browser of [developer, viewer]) {
        const { body } = await browser.get(AUDIT);
        assert.ok(!body.includes('Some owner'));
        assert.ok(body.includes(`${browser.personId}"`));
      }
    });

    it('has a chip for each filter, and its older page keeps all filters', async () => {
      const { body } = await owner.get(`${AUDIT}?action=client.updated&client=acme&period=30d`);
      const text = body.replaceAll('&#61;', '=').replaceAll('&#38;', '&');

      assert.match(textOf(body), /Application: <i>Acme<\/i> 59/);
      assert.match(textOf(body), /Action code: client\.updated/);
      assert.ok(text.includes(`href="${AUDIT}?action=client.updated&period=30d" aria-label=`));
      assert.match(text, /href="[^"]*client=acme&action=client\.updated&period=30d&before=\d+"/);
    });

    it('filters by author, object and time, and says when nothing matches', async () => {
      const counts = await Promise.all(
        [
          'actor=command_line',
          `actor=${owner.personId}`,
          'subject=we_1',
          'to=2000-01-01T00:00',
          'client=x',
        ].map(async (query) => {
          const { body } = await owner.get(`${AUDIT}?${query}`);
          const isEmpty = /No changes match these filters/.test(body);
          assert.equal(isEmpty, /class="button" href="\/dashboard\/audit">Clear filters/.test(body));
          return isEmpty ? 0 : 1;
        }),
      );

      assert.deepEqual(counts, [1, 0, 0, 0, 0]);
      const { status, body } = await owner.get(`${AUDIT}?from=yesterday`);
      assert.equal(status, 400);
      assert.match(body, /The time is not valid/);
    });
  });

  describe(`the names on the audit page, on ${database}`, () => {
    it('shows members, endpoints and applications by name, with the same queries for any number', async () => {
      const queries: string[] = [];
      const dashboard = await openDashboardApp(counting(await open(), queries));
      const { db, signedIn } = dashboard;
      const owner = await signedIn('owner');
      await appendAll(db, changesOfEndpoints(1, owner.personId));
      await owner.get(AUDIT);
      queries.length = 0;
      await owner.get(AUDIT);
      const one = queries.splice(0).length;
      await appendAll(db, changesOfEndpoints(15, owner.personId));

      const { body } = await owner.get(AUDIT);

      assert.equal(queries.length, one);
      assert.match(textOf(body), /Grace paused the endpoint we_14 of The acme/);
      assert.match(textOf(body), /Grace ended all sessions of Some owner/);
      assert.match(textOf(body), /client_ids The acme, deleted → The other/);
      assert.match(body, new RegExp(`person.signed_out_everywhere · ${owner.personId}`));
      await dashboard.app.close();
    });

    it('cuts a page of long values, so that it stays small, and loses no entry', async () => {
      const dashboard = await openDashboardApp(await open());
      const owner = await dashboard.signedIn('owner');
      const fields = Object.fromEntries([...Array(16).keys()].map((n) => [`field_${n}`, 'w'.repeat(300)]));
      const long = [...Array(40).keys()].map((n) => ({
        ...entryOf('client.updated'),
        before: fields,
        after: { ...fields, name: `Acme ${n}` },
      }));
      await appendAll(dashboard.db, long);

      const seen = await namesOnAllPages(owner, AUDIT);

      assert.deepEqual(seen, [...Array(40).keys()]);
      await dashboard.app.close();
    });
  });
});

const textOf = (body: string): string =>
  body
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#60;', '<')
    .replaceAll('&#62;', '>')
    .replaceAll('&#47;', '/');

/** Returns the numbers behind "Acme" in the changes on this page and on the older ones, in order. */
async function namesOnAllPages(browser: DashboardBrowser, first: string): Promise<number[]> {
  const seen: number[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const { body } = await browser.get(path);
    assert.ok(Buffer.byteLength(body) <= 60 * 1024, `${path}: ${Buffer.byteLength(body)} bytes`);
    const changes = [...body.matchAll(/<span class="kind">name<\/span>.*?<\/li>/g)].map(([line]) => line);
    seen.push(...changes.map((line) => Number(/Acme[^<]* (\d+)<\/bdi><\/li>/.exec(line)?.[1])));
    const text = body.replaceAll('&#61;', '=').replaceAll('&#38;', '&');
    path = /href="([^"]*before=\d+)"/.exec(text)?.[1];
  }
  return seen.toSorted((a, b) => a - b);
}

const entryOf = (action: NewAuditEntry['action'], change: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  ...{ at: 1, actor: { kind: 'person', id: 'p-grace', name: 'Grace' }, address: '192.0.2.7', action },
  clientId: 'acme',
  ...change,
});

/** Returns entries about so many endpoints, and one about a member. */
const changesOfEndpoints = (count: number, personId: string): NewAuditEntry[] => [
  ...[...Array(count).keys()].map((n) => entryOf('endpoint.paused', { subject: `we_${n}` })),
  entryOf('person.signed_out_everywhere', { clientId: undefined, subject: personId }),
  entryOf('person.role_changed', {
    ...{ clientId: undefined, subject: personId },
    ...{ before: { client_ids: ['acme', 'deleted'] }, after: { client_ids: ['other'] } },
  }),
];

async function appendAll(db: Database, entries: readonly NewAuditEntry[]): Promise<void> {
  await db.transaction(async (tx) => {
    for (const entry of entries) await appendAudit(tx, entry);
  });
}

/** Returns the database, which notes its reads in `queries`. */
function counting(db: Database, queries: string[]): Database {
  const methods = (['write', 'batch', 'script', 'close', 'transaction', 'change'] as const).map(
    (name) => [name, (db[name] as (...args: never[]) => unknown).bind(db)] as const,
  );
  return Object.assign(Object.create(db) as Database, Object.fromEntries(methods), {
    all: (sql: string, values?: Values) => {
      queries.push(sql);
      return db.all(sql, values);
    },
    get: (sql: string, values?: Values) => {
      queries.push(sql);
      return db.get(sql, values);
    },
  });
}
