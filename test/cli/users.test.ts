import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { accountApart, grantAll, newAccount } from '../contract/calendar-rows.ts';
import { auditText } from '../harness/audit-text.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

describe('kalends user', () => {
  let cli: CommandLine;
  let clientId: string;
  /** The family of ada's one grant. */
  let familyId: number;

  const withStorage = async <T>(work: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<T>) => {
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    return work(storage).finally(() => storage.close());
  };

  beforeEach(async () => {
    cli = await openCommandLine();
    const { document } = await cli.json(...CREATE);
    clientId = String(document.client_id);
    await withStorage(async ({ db, users, accounts }) => {
      const ada = { clientId, userId: 'ada' };
      await users.loadOrCreateUser(clientId, 'ada', Date.now());
      await users.loadOrCreateUser(clientId, '-bob', Date.now());
      const login = { ...ada, accountId: 'ada@cal.example', display: 'Ada' };
      await accounts.linkAccount(newAccount(login), Date.now());
      familyId = (await grantAll(db, ada)).familyId;
    });
  });
  afterEach(() => cli.close());

  it('kalends user list shows the users of one application, or of all', async () => {
    const { document: one } = await cli.json('user', 'list', clientId);
    const { document: all } = await cli.json('user', 'list');

    const rows = (one.users as Record<string, unknown>[]).map((user) => [
      user.user_id,
      user.account_count,
      user.grant_count,
    ]);
    assert.deepEqual(rows.sort(), [
      ['-bob', 0, 0],
      ['ada', 1, 1],
    ]);
    assert.deepEqual(all, one);
  });

  it('kalends user list counts no account that is still being connected', async () => {
    await withStorage(({ accounts }) =>
      accounts.linkAccount(
        accountApart('still open', { clientId, accountId: 'eve@cal.example' }),
        Date.now(),
      ),
    );

    const { document } = await cli.json('user', 'show', clientId, 'ada');

    assert.deepEqual([document.account_count, (document.accounts as object[]).length], [1, 1]);
  });

  it('kalends user show names the linked accounts and their health, and no credential', async () => {
    const { document } = await cli.json('user', 'show', clientId, 'ada');
    const { stdout } = await cli.run(['user', 'show', clientId, 'ada']);

    const [account] = document.accounts as Record<string, unknown>[];
    assert.equal(account?.id, 'ada@cal.example');
    assert.equal(account?.state, 'active');
    assert.match(stdout, /account\s+caldav: Ada \(active\)/);
    assert.doesNotMatch(JSON.stringify(document), /password/);
  });

  it('kalends user finds a user whose id begins with a dash behind --', async () => {
    const { exitCode, stdout } = await cli.run(['user', 'show', '--json', '--', clientId, '-bob']);

    assert.equal(exitCode, 0);
    assert.equal(JSON.parse(stdout).user_id, '-bob');
  });

  it('kalends user revoke ends the grants and keeps the accounts', async () => {
    const { document } = await cli.json('user', 'revoke', clientId, 'ada');

    assert.equal(document.ended_grants, 1);
    assert.equal(await withStorage(({ families }) => families.findLivingGrant(familyId)), undefined);
    assert.equal((await cli.json('user', 'show', clientId, 'ada')).document.account_count, 1);
  });

  it('kalends user delete takes the user, the grants and the accounts', async () => {
    const { exitCode, document } = await cli.json('user', 'delete', clientId, 'ada', '--yes');

    assert.equal(exitCode, 0);
    const { deleted_at: at, ...counts } = document.receipt as Record<string, unknown>;
    assert.ok(!Number.isNaN(Date.parse(String(at))));
    const had = { accounts: 1, grants: 1, calendars: 0, events: 0, changes: 0, deliveries: 0 };
    assert.deepEqual(counts, had);
    assert.deepEqual([document.access_to_end, document.off_disk], [0, true]);
    const { document: log } = await cli.json('audit', 'list', '--action', 'user.deleted');
    const [entry] = log.entries as Record<string, unknown>[];
    assert.deepEqual(entry?.before, had);
    assert.doesNotMatch(auditText(entry), /ada/);
    assert.equal((await cli.json('user', 'show', clientId, 'ada')).document.error, 'not_found');
    assert.equal(await withStorage(({ families }) => families.findLivingGrant(familyId)), undefined);
  });

  it('kalends user export writes one document to standard output, without the password, and says so in the audit log', async () => {
    const { exitCode, stdout } = await cli.run(['user', 'export', clientId, 'ada']);

    assert.equal(exitCode, 0);
    const document = JSON.parse(stdout);
    assert.equal(document.user_id, 'ada');
    assert.equal(document.accounts[0].account_id, 'ada@cal.example');
    assert.equal(document.grants.length, 1);
    assert.doesNotMatch(stdout, /canary-secret/);
    const { document: log } = await cli.json('audit', 'list', '--action', 'user.exported');
    assert.equal((log.entries as object[]).length, 1);
  });

  it('kalends user export writes a file for its owner alone, and over none that exists', async () => {
    const file = path.join(cli.dataDir, 'ada.json');

    const { document } = await cli.json('user', 'export', clientId, 'ada', '--output', file);
    const again = await cli.json('user', 'export', clientId, 'ada', '--output', file);

    const { mode, size } = await stat(file);
    assert.equal(mode & 0o777, 0o600);
    assert.equal(document.bytes, size);
    assert.equal(JSON.parse(await readFile(file, 'utf8')).user_id, 'ada');
    assert.equal(again.document.error, 'refused');
  });

  it('kalends user says which of the two, application or user, is not there', async () => {
    const application = await cli.json('user', 'show', 'projNobody', 'ada');
    const user = await cli.json('user', 'show', clientId, 'eve');

    assert.match(String(application.document.message), /no application "projNobody"/);
    assert.match(String(user.document.message), /no user "eve"/);
  });
});
