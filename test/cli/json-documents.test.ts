/** The documents of `--json`, byte for byte: programs read them. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

const EXPECTED = new URL('json-documents.txt', import.meta.url);
const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
const FACTS = [
  ...[
    '--display-name',
    'Shop',
    '--application-url',
    'https://app.example/',
    '--support-email',
    'help@app.example',
  ],
  ...['--support-url', 'https://app.example/help', '--privacy-url', 'https://app.example/privacy'],
  ...[
    '--terms-url',
    'https://app.example/terms',
    '--primary-color',
    '#1f4fd8',
    '--theme',
    'dark',
    '--footer',
    'off',
  ],
  ...[
    '--providers',
    'google,caldav',
    '--webhook-url',
    'https://app.example/hook',
    '--google-client-id',
    'app-1',
  ],
];

describe('kalends --json', () => {
  let cli: CommandLine;
  before(async () => {
    cli = await openCommandLine();
  });
  after(() => cli.close());

  // UPDATE_DOCUMENTS=yes writes the file again after an intended change of a document.
  it('prints the documents of test/cli/json-documents.txt', async () => {
    let transcript = '';
    const run = async (...args: string[]) => {
      const { stdout, exitCode } = await cli.run([...args, '--json'], undefined);
      transcript += `$ ${args.slice(0, 3).join(' ')} (${exitCode})\n${stdout}`;
      return stdout.startsWith('{') ? (JSON.parse(stdout) as Record<string, string>) : {};
    };
    const { client_id: bare = '' } = await run(...CREATE);
    const secretFile = `${cli.dataDir}/secret`;
    await writeFile(secretFile, 'secret');
    const { client_id: full = '' } = await run(
      ...CREATE,
      ...FACTS,
      '--google-client-secret-file',
      secretFile,
    );
    assert.notEqual(full, '', transcript);
    await seed(cli, full);
    for (const id of [bare, full]) await run('client', 'show', id);
    await run('client', 'list');
    for (const step of ['show', 'submit', 'approve', 'show', 'submit'])
      await run('client', 'verification', step, full);
    await run('client', 'update', full, '--support-email', 'new@app.example', '--webhook-url', '');
    await run('client', 'update', full, '--webhook-url', 'https://app.example/hook?secret=1');
    for (const step of ['show', 'submit']) await run('client', 'verification', step, full);
    await run('client', 'verification', 'list');
    await run('client', 'verification', 'request-changes', full, '--note', 'Please explain.');
    await run('client', 'verification', 'show', full);
    await run('client', 'verification', 'withdraw', full, '--note', 'Why');
    const { endpoint_id: endpoint = '' } = await run(
      ...['webhook', 'add', full, '--url', 'https://other.example/', '--hears', 'events,calendars', '--own'],
    );
    await run('webhook', 'list');
    await run('webhook', 'pause', endpoint);
    await run('webhook', 'list', full);
    await run('webhook', 'update', endpoint, '--hears', 'connections', '--own', 'off');
    await run('webhook', 'deliveries', full);
    for (const user of ['ada', 'bob']) await run('user', 'show', full, user);
    await run('user', 'list');
    await run('user', 'list', full, '--search', 'a');
    await run('user', 'calendars', full, 'ada', 'Grace@example.com');
    await run('connection', 'list');
    await run('connection', 'list', '--reason', 'password_refused');
    await run('requests', 'list');
    await run('admin', 'list');
    await run('admin', 'invite', 'grace@example.com', '--role', 'developer', '--client', full);
    await run('admin', 'invitations');
    await run('admin', 'show', 'owner@example.com');
    await run('user', 'delete', full, 'bob', '--yes');
    await run('audit', 'list', '--limit', '200');

    const normal = normalize(transcript);
    if (process.env.UPDATE_DOCUMENTS === 'yes') await writeFile(EXPECTED, normal);
    assert.equal(normal, await readFile(EXPECTED, 'utf8'));
  });
});

/** Without what differs from run to run. */
const normalize = (transcript: string): string =>
  transcript
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/("(?:\w+_)?secret": )"[^"]*"/g, '$1"SECRET"')
    .replaceAll(/("kind": "command_line",\s+"name": )"[^"]*"/g, '$1"NAME"')
    .replaceAll(/("(?:subject|submission|\w+_id)": )"[\w-]{12,}"/g, '$1"ID"')
    .replaceAll(/\b(?:user|we)_[\w-]{12,}/g, 'ID')
    .replaceAll(/(?<![\w-])[\w-]{22,}/g, 'ID');

async function seed(cli: CommandLine, clientId: string): Promise<void> {
  const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
  const { db, users, accounts, people, requestLog } = storage;
  const now = Date.now();
  for (const userId of ['ada', 'bob']) await users.loadOrCreateUser(clientId, userId, now);
  const ada = { clientId, userId: 'ada' };
  const account = await accounts.linkAccount(
    newAccount({ ...ada, accountId: 'one', display: 'Grace@example.com' }),
    now,
  );
  await accounts.linkAccount(newAccount({ ...ada, accountId: 'two', display: 'Twin' }), now + 1);
  await accounts.setHealth(account, REFUSED, now + 2);
  await grantAll(db, ada);
  await db.write(
    `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
     VALUES ('c1', :key, '/1', 0, 'Work', 'UTC', 'read', '{}'), ('c2', :key, '/2', 1, 'Home', 'UTC', 'read', '{}')`,
    { key: account.accountKey },
  );
  const request = {
    method: 'GET',
    durationMs: 12,
    clientId,
    network: '192.0.2.0/24',
    ...{ repeated: 1, isClaimed: false },
    userId: 'ada',
  };
  const body = JSON.stringify({
    error: 'Forbidden',
    message: 'Write access denied',
    code: 'insufficient_scope',
  });
  await requestLog.addRequests([
    { ...request, requestId: 'r1', at: now - 2, route: '/events', status: 403, body },
    {
      ...request,
      requestId: 'r2',
      at: now - 1,
      route: undefined,
      status: 404,
      body: undefined,
      clientId: undefined,
      userId: undefined,
    },
  ]);
  const link = {
    invitationId: 'i',
    purpose: 'invite',
    role: 'owner',
    login: undefined,
    clientIds: [],
    personId: undefined,
  } as const;
  await people.addInvitation({ ...link, createdAt: now, expiresAt: now + 60_000 }, 'hash', { by: undefined });
  await people.acceptInvitation(
    'hash',
    { personId: 'owner', name: 'Owner', login: 'owner@example.com', password: 'a hash' },
    { now, by: undefined },
  );
  await storage.close();
}
