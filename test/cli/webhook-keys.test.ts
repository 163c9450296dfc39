/** kalends webhook rotate-keys and own-keys, and the applications that use them. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

const WEEK = 7 * 24 * 3_600_000;

describe('kalends webhook keys', () => {
  let cli: CommandLine;
  let id: string;
  beforeEach(async () => {
    cli = await openCommandLine();
    id = String((await cli.json(...CREATE)).document.client_id);
  });
  afterEach(() => cli.close());

  const hasOwnKeys = async (clientId = id) =>
    (await cli.json('client', 'show', clientId)).document.own_webhook_keys;

  it('own-keys switches an application and back, with an overlap of a week unless another is given', async () => {
    assert.equal(await hasOwnKeys(), false);
    const from = Date.now();

    const on = await cli.json('webhook', 'own-keys', id, 'on');

    const { overlap_until: until, ...rest } = on.document;
    assert.deepEqual(rest, { client_id: id, own_webhook_keys: true });
    assert.ok(Math.abs(Date.parse(String(until)) - from - WEEK) < 60_000);
    assert.equal(await hasOwnKeys(), true);
    const off = await cli.json('webhook', 'own-keys', id, 'off', '--overlap', '0');
    assert.deepEqual(off.document, { client_id: id, own_webhook_keys: false, overlap_until: null });
    assert.equal(await hasOwnKeys(), false);
  });

  it('client create gives an application its own keys if it is asked to', async () => {
    const { document } = await cli.json(...CREATE, '--own-webhook-keys');

    assert.equal(document.own_webhook_keys, true);
    assert.equal(await hasOwnKeys(String(document.client_id)), true);
    const { document: rotated } = await cli.json('webhook', 'rotate-keys', String(document.client_id));
    assert.match(String(rotated.id), /^whk_/);
    assert.equal(rotated.client_id, document.client_id);
  });

  it('refuses to rotate the keys of an application without own keys, and unknown applications', async () => {
    for (const [args, code] of [
      [['rotate-keys', id], 'instance_keys'],
      [['rotate-keys', 'nobody'], 'not_found'],
      [['own-keys', 'nobody', 'on'], 'not_found'],
      [['own-keys', id, 'ON'], 'usage'],
      [['own-keys', id], 'usage'],
      [['own-keys', id, 'on', '--overlap', 'soon'], 'usage'],
    ] as const) {
      const { exitCode, document } = await cli.json('webhook', ...args);
      assert.deepEqual([args, exitCode > 0, document.code ?? document.error], [args, true, code]);
    }
    assert.equal(await hasOwnKeys(), false);
  });

  it('doctor warns of an application with a developer that uses the keys of the instance, until it is switched', async () => {
    const db = openSqlite(`${cli.dataDir}/kalends.db`);
    await db.write(
      `INSERT INTO person (person_id, name, login, role, created_at) VALUES ('p', 'P', 'p@example.com', 'developer', 1)`,
    );
    await db.write(`INSERT INTO person_application (person_id, client_id) VALUES ('p', :id)`, { id });
    await db.close();
    const warning = async () => {
      const checks = (await cli.json('doctor')).document.checks as Record<string, string>[];
      return checks.find(({ name }) => name === 'webhook keys');
    };

    const before = await warning();
    await cli.json('webhook', 'own-keys', id, 'on');

    assert.equal(before?.status, 'warn');
    assert.match(before?.message ?? '', new RegExp(`${id}.*own-keys`));
    assert.equal(await warning(), undefined);
  });
});
