import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { decideApproval } from '../../src/connect/flow/account-groups.ts';
import { openStorage } from '../../src/open-storage.ts';
import { newAccount, presentedOf } from '../contract/calendar-rows.ts';
import { openRequest } from '../harness/authorization-requests.ts';
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
    await withStorage(async ({ users, accounts, requests, codes }) => {
      const now = Date.now();
      await users.loadOrCreateUser(clientId, 'ada', now);
      await users.loadOrCreateUser(clientId, '-bob', now);
      const request = openRequest({ transactionId: 't1', clientId, createdAt: now });
      await requests.createRequest(request, 10);
      const login = { clientId, userId: 'ada', provider: 'caldav', accountId: 'ada@cal.example' } as const;
      const transaction = { transactionId: 't1', expiresAt: now + 60_000 };
      const credentials = { password: 'p' };
      await accounts.linkAccount(newAccount({ ...login, display: 'Ada', transaction, credentials }), now);
      const terms = { returningUsers: 'prove', now } as const;
      const approver = { request, deviceHash: undefined, now };
      await requests.approveRequest(approver, (user) => decideApproval(request, user, terms));
      const [code] = await codes.findCodes(clientId, 'ada');
      assert.ok(code);
      const family = await codes.redeemCode(presentedOf(code), now);
      assert.ok(family);
      familyId = family.grant.familyId;
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
    const { exitCode } = await cli.json('user', 'delete', clientId, 'ada', '--yes');

    assert.equal(exitCode, 0);
    assert.equal((await cli.json('user', 'show', clientId, 'ada')).document.error, 'not_found');
    assert.equal(await withStorage(({ families }) => families.findLivingGrant(familyId)), undefined);
  });

  it('kalends user says which of the two, application or user, is not there', async () => {
    const application = await cli.json('user', 'show', 'projNobody', 'ada');
    const user = await cli.json('user', 'show', clientId, 'eve');

    assert.match(String(application.document.message), /no application "projNobody"/);
    assert.match(String(user.document.message), /no user "eve"/);
  });
});
