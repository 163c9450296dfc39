/** kalends audit …, and the entries of each command that changes something. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { appendAudit } from '../../src/store/audit/append-audit.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

type Entry = Readonly<Record<string, unknown>>;
const HOOK = 'https://app.example/hook?token=canary-query';
const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts');

describe('kalends audit', () => {
  let cli: CommandLine;
  beforeEach(async () => {
    cli = await openCommandLine();
  });
  afterEach(() => cli.close());

  const withStorage = async <T>(work: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<T>) => {
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    return work(storage).finally(() => storage.close());
  };
  const entries = async (...options: string[]) =>
    (await cli.json('audit', 'list', ...options)).document.entries as Entry[];
  const actions = async (...options: string[]) => (await entries(...options)).map(({ action }) => action);
  const create = async (...options: string[]) => (await cli.json(...CREATE, ...options)).document;

  /** Runs a command that has to succeed, and returns the actions of its entries. */
  const actionsOf = async (...args: string[]) => {
    const [newest] = await entries('--limit', '1');
    const { exitCode, document } = await cli.json(...args);
    assert.equal(exitCode, 0, JSON.stringify(document));
    const all = await entries();
    return all.filter(({ number }) => Number(number) > Number(newest?.number ?? 0)).map((one) => one.action);
  };

  it('each command that changes something leaves its entry, and none of its secrets', async () => {
    const created = await create('--webhook-url', HOOK);
    const id = String(created.client_id);
    const secretFile = path.join(cli.dataDir, 'secret');
    await writeFile(secretFile, 'canary-provider-secret');
    await withStorage(async ({ db, users, accounts }) => {
      const ada = { clientId: id, userId: 'canary-ada' };
      await users.loadOrCreateUser(id, ada.userId, Date.now());
      await accounts.linkAccount(newAccount({ ...ada, display: 'canary@cal.example' }), Date.now());
      await grantAll(db, ada);
      await db.write(
        `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, account_key, provider, calendar_id,
           sequence, change_type, event_count, shows, body, state, attempts, next_at, created_at)
         SELECT 'm1', 'we_' || client_id, client_id, user_id, account_key, provider, 'canary-calendar', 1, 'updated', 1,
                'events', 'canary', 'dead', 1, 0, 1790000000000 FROM account`,
      );
    });
    const google = ['--google-client-id', 'id', '--google-client-secret-file', secretFile];
    const added = ['webhook', 'add', id, '--url', `${HOOK}2`, '--share-address'];
    const day = ['--from', '2026-09-01T00:00:00Z', '--to', '2026-10-01T00:00:00Z', '--user', 'canary-ada'];
    const endpoint = `we_${id}`;
    const cases: readonly [string[], string[]][] = [
      [
        ['client', 'update', id, '--display-name', 'Shop', '--theme', 'dark', ...google],
        ['provider_app.set', 'branding.updated', 'client.updated'],
      ],
      [['client', 'update', id, '--google-client-id', ''], ['provider_app.removed']],
      [['client', 'update', id, '--display-name', 'Shop'], []],
      [['client', 'rotate-secret', id], ['client.secret_rotated']],
      [added, ['endpoint.created']],
      [['webhook', 'pause', endpoint], ['endpoint.paused']],
      [['webhook', 'pause', endpoint], []],
      [['webhook', 'resume', endpoint], ['endpoint.resumed']],
      [['webhook', 'rotate-secret', endpoint], ['endpoint.secret_rotated']],
      [['webhook', 'rotate-keys'], ['webhook_keys.rotated']],
      [['webhook', 'own-keys', id, 'on'], ['webhook_keys.switched']],
      [['webhook', 'own-keys', id, 'on'], []],
      [['webhook', 'rotate-keys', id], ['webhook_keys.rotated']],
      [['webhook', 'replay', id, 'm1'], ['delivery.replayed']],
      [['webhook', 'replay', id, ...day], []],
      [['keys', 'rotate'], ['signing_keys.rotated']],
      [['user', 'revoke', id, 'canary-ada'], ['user.revoked']],
      [['user', 'delete', id, 'canary-ada', '--yes'], ['user.deleted']],
      [['client', 'delete', id, '--yes'], ['client.deleted']],
    ];

    for (const [args, expected] of cases)
      assert.deepEqual(await actionsOf(...args), expected, args.join(' '));

    const rows = JSON.stringify(await withStorage(({ db }) => db.all('SELECT * FROM audit_entry')));
    for (const secret of ['canary', 'whsec_', 'kalends_', String(created.client_secret)])
      assert.ok(!rows.includes(secret), secret);
    const first = (await entries()).at(-1);
    assert.deepEqual(first?.actor, { kind: 'command_line', name: userInfo().username });
    assert.deepEqual([first?.action, first?.client_id], ['client.created', id]);
  });

  it('a command that is refused leaves no entry', async () => {
    const { client_id: id } = await create();
    const before = await actions();
    const refused = [
      ['client', 'update', String(id), '--redirect-uri', 'javascript:alert(1)'],
      ['client', 'update', 'nobody', '--name', 'Nobody'],
      ['client', 'rotate-secret', 'nobody'],
      ['client', 'delete', 'nobody', '--yes'],
      ['client', 'delete', String(id)],
      ['user', 'delete', String(id), 'nobody', '--yes'],
      ['webhook', 'pause', 'nothing'],
      ['webhook', 'remove', 'nothing', '--yes'],
      ['webhook', 'replay', String(id), 'nothing'],
    ];

    for (const args of refused) assert.notEqual((await cli.json(...args)).exitCode, 0, args.join(' '));

    assert.deepEqual(await actions(), before);
  });

  it('lists the newest first, by application, action and time, page by page', async () => {
    const one = String((await create()).client_id);
    const other = String((await create()).client_id);
    await cli.json('client', 'update', one, '--name', 'One');

    assert.deepEqual(await actions('--client', one), ['client.updated', 'client.created']);
    assert.deepEqual(await actions('--client', other, '--action', 'client.updated'), []);
    assert.deepEqual(await actions('--since', '1h'), ['client.updated', 'client.created', 'client.created']);
    assert.deepEqual(await actions('--since', '2100-01-01'), []);
    assert.deepEqual(await actions('--limit', '1', '--before', '3'), ['client.created']);
    const { stdout } = await cli.run(['audit', 'list', '--client', one]);
    assert.match(
      stdout,
      /^NUMBER +AT +ACTOR +ACTION +CLIENT_ID +SUBJECT +CHANGE\n3 +.*name: "My app" → "One"$/m,
    );
  });

  it('refuses an impossible filter with a sentence about possible values', async () => {
    for (const [option, value] of [
      ['--action', 'client.burnt'],
      ['--since', 'yesterday'],
      ['--since', '2026-02-31'],
      ['--limit', '0'],
      ['--limit', '201'],
      ['--before', '-1'],
    ] as const) {
      const { exitCode, document } = await cli.json('audit', 'list', option, value);
      assert.deepEqual([exitCode, document.error], [2, 'usage'], `${option} ${value}`);
      assert.match(String(document.message), /must be/);
    }
  });

  it('exports all entries, the oldest first, one line of JSON each', async () => {
    await withStorage(({ db }) =>
      db.transaction(async (tx) => {
        const actor = { kind: 'person', id: 'p1', name: 'Eve\u202e' } as const;
        for (let at = 0; at < 2_500; at++)
          await appendAudit(tx, { at, actor, address: '203.0.113.7', action: 'person.signed_in' });
      }),
    );

    const { exitCode, stdout } = await cli.run(['audit', 'export']);
    const since = await cli.run(['audit', 'export', '--since', '1970-01-01T00:00:02Z']);

    const lines = stdout.trimEnd().split('\n');
    assert.equal(exitCode, 0);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).number),
      Array.from({ length: 2_500 }, (_, i) => i + 1),
    );
    assert.ok(!stdout.includes('\u202e'), 'nothing that a terminal would take for more than text');
    assert.equal(since.stdout.trimEnd().split('\n').length, 500);
  });

  it('ends an export silently when its reader closes the pipe', async () => {
    await withStorage(({ db }) =>
      db.transaction(async (tx) => {
        for (let at = 0; at < 5_000; at++)
          await appendAudit(tx, {
            at,
            actor: { kind: 'system' },
            address: undefined,
            action: 'user.revoked',
          });
      }),
    );
    const env = { ...process.env, KALENDS_DATA_DIR: cli.dataDir };
    const child = spawn(process.execPath, [MAIN, 'audit', 'export'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = new Promise((resolve) => child.once('exit', resolve));
    let complaints = '';
    child.stderr.on('data', (text) => {
      complaints += text;
    });

    child.stdout.once('data', () => child.stdout.destroy());

    assert.equal(await closed, 0);
    assert.equal(complaints, '');
  });
});
