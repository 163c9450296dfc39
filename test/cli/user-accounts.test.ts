/** Tests the command line's operations on users and accounts, which match the dashboard's. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { auditText } from '../harness/audit-text.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
type Rows = Record<string, unknown>[];

describe('kalends user and connection, as the dashboard', () => {
  let cli: CommandLine;
  let clientId: string;
  let key: string;
  const withStorage = async <T>(work: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<T>) => {
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    return work(storage).finally(() => storage.close());
  };
  const audited = async (action: string) =>
    (await cli.json('audit', 'list', '--action', action)).document.entries as Rows;

  /** Ada has an unhealthy account and two accounts of the same name; Adam has none. */
  before(async () => {
    cli = await openCommandLine();
    clientId = String((await cli.json(...CREATE)).document.client_id);
    await withStorage(async ({ db, users, accounts }) => {
      const ada = { clientId, userId: 'ada' };
      for (const userId of ['ada', 'adam', 'bob']) await users.loadOrCreateUser(clientId, userId, Date.now());
      // One after the other, since accounts are listed in the order in which they were linked.
      let linkedAt = Date.now();
      const link = (accountId: string, display: string) => {
        linkedAt += 1;
        return accounts.linkAccount(newAccount({ ...ada, accountId, display }), linkedAt);
      };
      const account = await link('one', 'Grace@example.com');
      for (const accountId of ['two', 'three']) await link(accountId, 'Twin');
      await accounts.setHealth(account, REFUSED, Date.now());
      key = account.accountKey;
      await grantAll(db, ada);
      await db.write(
        `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
         VALUES ('c1', :key, '/1', 0, 'Work', 'UTC', 'read', '{}'), ('c2', :key, '/2', 1, 'Home', 'UTC', 'read', '{}')`,
        { key },
      );
      await db.write('UPDATE job SET run_at = CAST(:later AS BIGINT)', { later: Date.now() + 3_600_000 });
    });
  });
  after(() => cli.close());

  it('kalends user list --search finds users by the beginning of an id or an address, page by page', async () => {
    const find = async (...options: string[]) =>
      (await cli.json('user', 'list', clientId, ...options)).document;
    const idsOf = ({ users }: Record<string, unknown>) => (users as Rows).map(({ user_id }) => user_id);

    const first = await find('--search', 'ad', '--limit', '1');
    const second = await find('--search', 'ad', '--limit', '1', '--after', String(first.next));

    assert.deepEqual([...idsOf(first), ...idsOf(second)], ['ada', 'adam']);
    assert.equal(second.next, null);
    const found = await find('--search', 'gRACE@');
    assert.deepEqual(idsOf(found), ['ada']);
    const [ada] = found.users as Rows;
    assert.deepEqual([ada?.account, ada?.account_count, ada?.ailing_count], ['Grace@example.com', 3, 1]);
    for (const [option, value, error] of [
      ['--after', 'e30', 'invalid_request'],
      ['--after', '?', 'invalid_request'],
      ['--limit', '0', 'usage'],
      ['--limit', '1001', 'usage'],
    ] as const)
      assert.equal((await find('--search', 'a', option, value)).error, error);
  });

  it('kalends user show shows what happened to an account, who must act and how to fix it', async () => {
    const { document } = await cli.json('user', 'show', clientId, 'ada');
    const { stdout } = await cli.run(['user', 'show', clientId, 'ada']);

    const account = (document.accounts as Rows).find((one) => one.key === key);
    const history = account?.history as Rows;
    assert.deepEqual(
      [account?.reason, account?.message, account?.turn],
      ['password_refused', 'Refused', 'user'],
    );
    assert.deepEqual(
      history.map(({ happened, reason }) => [happened, reason]),
      [
        ['reauth_required', 'password_refused'],
        ['connected', null],
      ],
    );
    assert.equal((document.grants as Rows).length, 1);
    assert.match(stdout, /action by\s+User\n\s+how to fix it\s+The user creates a new app password/);
    assert.match(stdout, /history\s+\S+Z reauth_required, password_refused/);
  });

  it('kalends user sync makes the syncs of all accounts or of one due, and writes that to the audit log', async () => {
    const { document: one } = await cli.json('user', 'sync', clientId, 'ada', 'Grace@example.com');
    const due = await withStorage(({ db }) =>
      db.all<{ key: string }>('SELECT key FROM job WHERE run_at <= :now', { now: Date.now() }),
    );
    const { document: all } = await cli.json('user', 'sync', clientId, 'ada');

    assert.deepEqual([one.accounts, all.accounts], [1, 3]);
    assert.deepEqual(
      due.map((job) => job.key),
      [key],
    );
    assert.equal((await audited('account.sync_requested')).length, 2);
  });

  it('kalends user calendars lists the calendars of an account, page by page', async () => {
    const list = async (...options: string[]) =>
      (await cli.json('user', 'calendars', clientId, 'ada', key, ...options)).document;

    const first = await list('--limit', '1');
    const second = await list('--limit', '1', '--after', String(first.next));

    const titles = [first, second].flatMap(({ calendars }) => (calendars as Rows).map(({ title }) => title));
    assert.deepEqual(titles, ['Work', 'Home']);
    assert.equal(second.next, null);
  });

  it('kalends user reconnect-link prints a link for the only account that needs reconnecting', async () => {
    const { stdout } = await cli.run(['user', 'reconnect-link', clientId, 'ada']);
    const { document } = await cli.json('user', 'reconnect-link', clientId, 'ada');
    const entries = await audited('account.reconnect_link_created');

    assert.match(stdout, /^https?:\/\/[^/]+\/reconnect\/[\w-]{100,}\s*$/);
    assert.deepEqual(Object.keys(document), ['client_id', 'user_id', 'account', 'url', 'expires_at']);
    assert.deepEqual(document.account, { provider: 'caldav', key, id: 'one' });
    const days = (Date.parse(String(document.expires_at)) - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7);
    assert.deepEqual([entries.length, entries[0]?.after], [2, { provider: 'caldav' }]);
    assert.ok(!JSON.stringify(entries).includes(String(document.url)));
  });

  it('kalends user reconnect-link works if flows have to be pushed, and for an account that works', async () => {
    await cli.json('client', 'update', clientId, '--pushed-requests', 'required');
    const { exitCode } = await cli.json('user', 'reconnect-link', clientId, 'ada', 'three');

    assert.equal(exitCode, 0);
  });

  it('kalends connection list lists unhealthy accounts by reason, and those with one reason', async () => {
    const { document: all } = await cli.json('connection', 'list');
    const { document: one } = await cli.json('connection', 'list', '--reason', 'password_refused');
    const { document: none } = await cli.json('connection', 'list', '--reason', 'access_revoked');
    const wrong = await cli.json('connection', 'list', '--reason', 'bad_luck');

    const [group, ...others] = all.reasons as Rows;
    assert.deepEqual([group?.reason, group?.count, others.length], ['password_refused', 1, 0]);
    for (const accounts of [group?.accounts, one.accounts] as Rows[])
      assert.deepEqual(
        accounts.map((account) => [account.user_id, account.key, account.turn]),
        [['ada', key, 'user']],
      );
    assert.match(String(one.mends), /reconnects the account/);
    assert.deepEqual(none.accounts, []);
    assert.equal(wrong.exitCode, 2);
  });

  it('kalends user disconnect removes only the named account, after a confirmation', async () => {
    const disconnect = (...names: string[]) => cli.json('user', 'disconnect', clientId, 'ada', ...names);

    assert.equal((await disconnect('Twin', '--yes')).document.error, 'ambiguous');
    assert.equal((await disconnect('nothing', '--yes')).document.error, 'not_found');
    assert.equal((await disconnect(key)).exitCode, 2);
    const { document } = await disconnect('Grace@example.com', '--yes');

    assert.equal(document.disconnected, true);
    const { document: ada } = await cli.json('user', 'show', clientId, 'ada');
    assert.deepEqual(
      (ada.accounts as Rows).map(({ id }) => id),
      ['two', 'three'],
    );
    const [entry] = await audited('account.disconnected');
    assert.doesNotMatch(auditText(entry), /ada|grace/i);
    const { stdout } = await cli.run(['connection', 'list']);
    assert.equal(stdout, 'No problems.\n');
  });

  it('kalends user reconnect-link needs the account if none or several need reconnecting, and a grant', async () => {
    const link = async (...args: string[]) =>
      (await cli.json('user', 'reconnect-link', clientId, ...args)).document.error;
    const none = await link('adam');
    const keys = await withStorage(async ({ accounts }) => {
      const linked = await accounts.listAccounts(clientId, 'ada');
      for (const account of linked) await accounts.setHealth(account, REFUSED, Date.now());
      return linked.map(({ accountKey }) => accountKey);
    });
    const several = await link('ada');
    const unknown = await link('ada', 'nobody');
    await cli.json('user', 'revoke', clientId, 'ada');
    const ungranted = await link('ada', keys[0] ?? '');

    assert.deepEqual(
      [none, several, unknown, ungranted],
      ['not_found', 'ambiguous', 'not_found', 'grant_required'],
    );
  });
});
