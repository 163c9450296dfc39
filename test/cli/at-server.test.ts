/** Commands with `--server`: the same output as on the database, and safe requests. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { COMMANDS } from '../../src/cli/cli.ts';
import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { plantDelivery } from '../dashboard/planted-deliveries.ts';
import { type Run, runHere } from '../harness/command-here.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';

const KEY = 'environment-key-of-32-characters-or-more';
const HOOK = 'https://app.example/hook';
const RANDOM =
  /https:\/\/shop\.example\/\d+|(?<=--after |next": ")[\w-]+|msg_\d+|whk_[\w-]+|(?<=kid": "|key )[\w-]{12}|we_[\w-]+|whsec_[\w+/=]+|hook\/\d+|\d+ ms|duration_ms":? +\d+|join\/[\w-]{43}|reconnect\/\S+|[\da-f]{64}|ak_[\w-]{12}|kal_adm_[\w-]+|kalends_[\w-]{43}|proj\w+|ada\d+|\w{8}(-\w{4}){3}-\w{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=family_id":|number":)\d+|created.by":? +\S+/g;

const withoutRandom = ({ stdout, stderr, exitCode }: Run) => ({
  exitCode,
  output: `${stdout}${stderr}`.replace(RANDOM, '*').replaceAll(/ +/g, ' '),
});

/** They are about the machine that runs them, so their output differs. */
const THERE = ['doctor', 'backup'];

describe('a command at a server', () => {
  let program: Program;
  let receiver: Receiver;
  let clientId: string;
  let users = 0;

  const alertEnv = () => ({ KALENDS_ALERT_WEBHOOK_URL: receiver.url });
  const here = (...args: string[]) =>
    runHere(args, { env: { KALENDS_DATA_DIR: program.dataDir, ...alertEnv() } });
  const there = (...args: string[]) => runThere(args);
  const runThere = (args: string[], key = KEY) =>
    runHere([...args, '--server', program.url], { env: { KALENDS_ADMIN_KEY: key } });
  const document = async (...args: string[]) => JSON.parse((await here(...args, '--json')).stdout);

  const newClient = async () =>
    (await document('client', 'create', '--name', 'Shop', '--redirect-uri', 'https://shop.example/cb'))
      .client_id;
  /** Returns the id of a new endpoint at the receiver. */
  async function newEndpoint(): Promise<string> {
    const at = ['--url', `${receiver.url}/${++users}`, '--hears', 'events'];
    return (await document('webhook', 'add', await newClient(), ...at)).endpoint_id;
  }
  /** Returns the application and the id of a new delivery. */
  async function newDelivery(): Promise<[string, string]> {
    const owner = await newClient();
    const added = await document('webhook', 'add', owner, '--url', `${receiver.url}/${++users}`);
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: program.dataDir }));
    const messageId = `msg_${users}`;
    const planted = { messageId, clientId: owner, endpointId: added.endpoint_id, createdAt: Date.now() };
    const attempt = { answer: 'No', fault: 'It answered 500' };
    await plantDelivery(storage, { ...planted, state: 'dead', attempt });
    await storage.close();
    return [owner, messageId];
  }
  /** Makes an account need its user, and returns the options of a page of it. */
  async function unhealthy(): Promise<string[]> {
    const userId = await newUser();
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: program.dataDir }));
    const [account] = await storage.accounts.listAccounts(clientId, userId);
    const health = { state: 'reauth_required', reason: 'password_refused', message: 'No' } as const;
    await storage.accounts.setHealth(account ?? assert.fail(), health, Date.now());
    await storage.close();
    return ['--reason', 'password_refused', '--limit', '1'];
  }
  /** Writes a manifest with a new application, endpoint and member, and returns its path. */
  async function newManifest(): Promise<string> {
    const url = `https://shop.example/${++users}`;
    const entry = `{ redirect_uris: [${url}], webhook_url: '${url}', endpoints: { '${url}0': } }`;
    const file = path.join(program.dataDir, `${users}.yaml`);
    await writeFile(
      file,
      `{ applications: { ada${users}: ${entry} }, members: { ada${users}@x.example: { role: viewer } } }`,
    );
    return file;
  }
  async function wrongManifest(): Promise<string> {
    const file = path.join(program.dataDir, 'wrong.yaml');
    await writeFile(file, 'applications: { Shop: { teme: 1 }, X: { verified: 1 } }');
    return file;
  }
  const period = async () => {
    const [owner] = await newDelivery();
    return [owner, '--from', '2026-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z'];
  };
  const newKey = async () =>
    (await document('admin', 'key', 'create', '--name', 'CI', '--role', 'owner')).key_id;
  async function newUser(): Promise<string> {
    users += 1;
    const user = { clientId, userId: `ada${users}` };
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: program.dataDir }));
    await storage.users.loadOrCreateUser(clientId, user.userId, Date.now());
    const login = { ...user, accountId: `${user.userId}@cal.example`, display: 'Ada' };
    await storage.accounts.linkAccount(newAccount(login), Date.now());
    await grantAll(storage.db, user);
    await storage.close();
    return user.userId;
  }

  /** Returns the id of a new member with a password, a passkey, single sign-on, a session and a reset link. */
  async function newMember(): Promise<string> {
    const id = `ada${++users}`;
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: program.dataDir }));
    const [now, by, { people }] = [Date.now(), undefined, storage];
    const link = {
      invitationId: id,
      role: 'viewer',
      login: undefined,
      clientIds: [],
      createdAt: now,
    } as const;
    const until = { expiresAt: now + 60_000 };
    await people.addInvitation({ ...link, ...until, purpose: 'invite', personId: undefined }, id, { by });
    const person = { personId: id, name: id, login: `${id}@example.com`, password: 'a hash' };
    await people.acceptInvitation(id, person, { now, by });
    const passkey = { passkeyId: id, publicKey: 'k', counter: 0, transports: [], name: 'Key' };
    await people.addPasskey(id, passkey, { now, by, most: 9 });
    await people.setIdentity(id, { issuer: 'https://id.example', subject: id }, { now, by });
    const at = { createdAt: now, seenAt: now, provedAt: now, address: '192.0.2.1', browser: 'Firefox' };
    await people.addSession({ ...at, sessionId: id, sessionHash: id, personId: id }, by);
    await people.addInvitation({ ...link, ...until, purpose: 'reset', personId: id }, `r${id}`, { by });
    await storage.close();
    return id;
  }

  before(async () => {
    receiver = await openReceiver();
    program = await startProgram({ env: { KALENDS_ADMIN_KEY: KEY, KALENDS_ROLE: 'web', ...alertEnv() } });
    clientId = await newClient();
  });
  after(async () => {
    receiver.close();
    await program.dispose();
  });

  const member = async () => Array<string>(2).fill(await newMember());
  /** Creates an application that can be submitted, and takes a step of its review. */
  async function reviewed(step?: 'submit' | 'verify'): Promise<string> {
    const id = await newClient();
    const facts = ['--display-name', 'Shop', '--application-url', 'https://shop.example'];
    const verified = step === 'verify' ? ['--verified', 'on'] : [];
    await document('client', 'update', id, ...facts, '--support-email', 'help@shop.example', ...verified);
    if (step === 'submit') await document('client', 'verification', 'submit', id);
    return id;
  }
  /** Returns the options of `client create` and `client update` that run operations of their own. */
  async function extras(): Promise<string[]> {
    const [logo, secret] = ['logo.svg', 'secret'].map((name) => path.join(program.dataDir, name));
    await writeFile(String(logo), '<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>');
    await writeFile(String(secret), 'secret');
    return [
      ...['--logo', String(logo), '--primary-color', '#123', '--verified', 'on', '--dark-logo', ''],
      ...['--google-client-id', 'app', '--google-client-secret-file', String(secret)],
    ];
  }
  const user = async () => [clientId, await newUser()];
  const commands: Readonly<Record<string, () => Promise<string[]>>> = {
    setup: async () => ['microsoft'],
    'client list': async () => [],
    'client show': async () => [clientId],
    'client check': async () => [clientId],
    'client create': async () => [
      ...['--name', 'New', '--redirect-uri', 'https://shop.example/cb', '--own-webhook-keys'],
      ...['--webhook-url', `https://shop.example/${++users}`, '--returning-users', 'continue'],
      ...['--privacy-url', 'https://shop.example/privacy', ...(await extras())],
    ],
    'client update': async () => [
      await reviewed('verify'),
      ...['--name', 'New', '--webhook-url', `https://shop.example/${++users}`, '--providers', ''],
      ...['--terms-url', 'https://shop.example/terms', ...(await extras())],
    ],
    'client rotate-secret': async () => [await newClient(), '--overlap', '90s'],
    'client delete': async () => [await newClient(), '--yes'],
    'client load': async () => ['--period', '1h', '--by', 'errors'],
    apply: async () => ['-f', await newManifest()],
    export: async () => [],
    'audit list': async () => ['--limit', '3', '--client', clientId, '--since', '1d'],
    'audit export': async () => [],
    'alert list': async () => [],
    'alert test': async () => [],
    'client verification show': async () => [clientId],
    'client verification list': async () => [],
    'client verification submit': async () => [await reviewed()],
    'client verification approve': async () => [await reviewed('submit')],
    'client verification request-changes': async () => [await reviewed('submit'), '--note', 'Another name'],
    'client verification cancel': async () => [await reviewed('submit')],
    'client verification withdraw': async () => [await reviewed('verify'), '--note', 'It ended'],
    'webhook list': async () => [await newClient()],
    'requests list': async () => ['--client', clientId, '--since', '1s', '--limit', '1'],
    'connection list': async () => [...(await unhealthy())],
    'webhook deliveries': async () => [...(await period()), '--state', 'dead', '--limit', '1'],
    'webhook show': newDelivery,
    'webhook replay': period,
    'webhook rotate-keys': async () => ['--overlap', '1h'],
    'webhook own-keys': async () => [await newClient(), 'on'],
    'keys rotate': async () => [],
    'webhook add': async () => [
      await newClient(),
      '--url',
      HOOK,
      '--hears',
      'events,calendars',
      '--own',
      '--share-address',
    ],
    'webhook update': async () => [await newEndpoint(), '--hears', 'connections', '--own', 'on'],
    'webhook test': async () => [await newEndpoint()],
    'webhook pause': async () => [await newEndpoint()],
    'webhook resume': async () => [await newEndpoint()],
    'webhook rotate-secret': async () => [await newEndpoint(), '--overlap', '0'],
    'webhook remove': async () => [await newEndpoint(), '--yes'],
    'user list': async () => [clientId, '--search', 'nobody'],
    'user calendars': async () => [...(await user()), 'Ada'],
    'user reconnect-link': async () => [...(await user()), 'Ada'],
    'user disconnect': async () => [...(await user()), 'Ada', '--yes'],
    'user show': user,
    'user export': user,
    'user sync': async () => [...(await user()), 'Ada'],
    'user revoke': user,
    'user delete': async () => [...(await user()), '--yes'],
    'admin invite': async () => [`${await newMember()}.new@example.com`, '--role', 'viewer'],
    'admin list': async () => [],
    'admin remove': async () => [await newMember(), '--keep-keys', '--yes'],
    'admin reset': async () => [await newMember()],
    'admin show': async () => [`${await newMember()}@example.com`],
    'admin role': async () => [await newMember(), '--role', 'developer', '--client', clientId],
    'admin sign-out': async () => [await newMember()],
    'admin remove-passkey': async () => [...(await member()), '--yes'],
    'admin disconnect': async () => [await newMember(), '--yes'],
    'admin invitations': async () => [],
    'admin withdraw': async () => [await newMember()],
    'admin key create': async () => ['--name', 'CI', '--role', 'viewer', '--expires', '12h'],
    'admin key list': async () => [],
    'admin key rotate': async () => [await newKey(), '--overlap', '0'],
    'admin key revoke': async () => [await newKey(), '--yes'],
  };

  it('is compared for every command that can run there', () => {
    const names = COMMANDS.filter(({ renderings }) => renderings !== undefined).map(({ name }) => name);
    assert.deepEqual(names.sort(), [...Object.keys(commands), ...THERE].sort());
  });

  it('checks the server and writes backups into its folder', async () => {
    const doctor = await there('doctor', '--json');
    const { checks, ok } = JSON.parse(doctor.stdout);
    assert.deepEqual([ok, doctor.exitCode], [true, 0], doctor.stderr);
    assert.ok(checks.some(({ name }: { name: string }) => name === 'database'));
    assert.match((await there('doctor')).stdout, /\bok +database/);

    const [local, remote] = [await document('backup'), JSON.parse((await there('backup', '--json')).stdout)];
    assert.deepEqual(Object.keys(local), Object.keys(remote));
    for (const { name } of [local, remote])
      assert.ok(existsSync(path.join(program.dataDir, 'backups', name)));
    const named = await there('backup', 'file.db');
    assert.deepEqual([named.exitCode, existsSync('file.db')], [2, false]);
    assert.match(named.stderr, /leave out FILE/);
  });

  for (const [name, argumentsOf] of Object.entries(commands)) {
    for (const format of [[], ['--json']]) {
      it(`prints the same for ${name} ${format} as on the database`, async () => {
        const args = async () => [...name.split(' '), ...(await argumentsOf()), ...format];
        const [one, other] = [await args(), await args()];
        const local = await here(...one);
        assert.equal(local.exitCode, 0, local.stderr);
        assert.deepEqual(withoutRandom(await there(...other)), withoutRandom(local));
      });
    }
  }

  it('has the same errors and exit codes as on the database', async () => {
    const wrong = [
      ['client', 'show', 'none'],
      ['client', 'delete', 'none'],
      ['client', 'delete', clientId],
      ['client', 'rotate-secret', clientId, '--overlap', '999d'],
      ['user', 'show', 'none', 'ada'],
      ['user', 'list', 'none'],
      ['user', 'sync', clientId, 'none'],
      ['user', 'sync', clientId, await newUser(), 'none'],
      ['user', 'delete', clientId, 'none', '--yes'],
      ['admin', 'show', 'none'],
      ['admin', 'remove', 'none'],
      ['admin', 'invite', 'none'],
      ['admin', 'remove-passkey', await newMember(), 'none', '--yes'],
      ['admin', 'withdraw', 'none'],
      ['admin', 'invite', `${await newMember()}@example.com`],
      ['requests', 'list', '--user', 'ada'],
      ['requests', 'list', '--client', 'none'],
      ['requests', 'list', '--status', 'bad'],
      ['connection', 'list', '--reason', 'none'],
      ['connection', 'list', '--limit', '1'],
      ['connection', 'list', '--reason', 'password_refused', '--after', 'x'],
      ['webhook', 'deliveries', 'none'],
      ['setup', 'gogle'],
      ['setup', 'google', '--client-id', 'app'],
      ['apply', '-f', await newManifest(), '--dry-run'],
      ['apply', '-f', path.join(program.dataDir, 'none.yaml')],
      ['apply', '--file', await wrongManifest()],
      ['apply'],
      ['webhook', 'deliveries', clientId, '--state', 'lost'],
      ['webhook', 'show', 'none', 'msg_none'],
      ['webhook', 'show', clientId, (await newDelivery())[1]],
      ['webhook', 'replay', clientId, (await newDelivery())[1]],
      ['webhook', 'replay', clientId],
      ['webhook', 'replay', 'none', '--from', '2026-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z'],
      ['webhook', 'rotate-keys', 'none'],
      ['webhook', 'rotate-keys', await newClient()],
      ['webhook', 'own-keys', 'none', 'on'],
      ['webhook', 'own-keys', clientId, 'yes'],
      ['webhook', 'list', 'none'],
      ['webhook', 'add', 'none', '--url', HOOK],
      ['webhook', 'add', clientId, '--url', 'no address'],
      ['webhook', 'add', clientId, '--url', HOOK, '--hears', 'all'],
      ['webhook', 'pause', 'none'],
      ['webhook', 'test', 'none'],
      ['webhook', 'update', 'none', '--own', 'on'],
      ['webhook', 'update', await newEndpoint()],
      ['webhook', 'rotate-secret', await newEndpoint(), '--overlap', '999d'],
      ['webhook', 'remove', await newEndpoint()],
      ['admin', 'key', 'rotate', 'none'],
      ['admin', 'key', 'create', '--name', ' ', '--role', 'viewer'],
      ['admin', 'key', 'create', '--name', 'X', '--role', 'developer', '--client', 'none'],
    ];
    for (const args of wrong) {
      const local = await here(...args);
      assert.notEqual(local.exitCode, 0, args.join(' ') + local.stdout);
      assert.deepEqual(await there(...args), local, args.join(' '));
    }
  });

  it('shows a viewer no names of users, also in text', async () => {
    const viewer = await document('admin', 'key', 'create', '--name', 'V', '--role', 'viewer');
    const { stdout, exitCode } = await runThere(['user', 'show', clientId, await newUser()], viewer.key);
    assert.equal(exitCode, 0);
    assert.match(stdout, /account/);
    assert.doesNotMatch(stdout, /(?<![\w-])(?:ada\d+|Ada)(?![\w-])|cal\.example/);
  });

  it('names the server and not the key if the key is refused', async () => {
    const key = 'x'.repeat(40);
    const { stderr, exitCode } = await runThere(['client', 'list'], key);
    assert.equal(exitCode, 1);
    assert.equal(
      stderr,
      `kalends: ${program.url} rejects the admin key in KALENDS_ADMIN_KEY. Use a key that is neither expired nor removed.\n`,
    );
  });

  it('never sends the part .. of a path, which names another object', async () => {
    const { stderr } = await there('user', 'delete', clientId, '..', '--yes');
    assert.match(stderr, /cannot be sent in a URL/);
    assert.equal((await here('client', 'show', clientId)).exitCode, 0);
  });
});
