/**
 * Secrets are in no log line, no database file and no response to others, after success and failure alike: the program
 * runs at log level trace with values that are searched afterwards.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';

import { decodeJwt } from 'jose';
import pg from 'pg';

import { createSealer, sealedField } from '../../src/lib/sealing.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type Browser, openBrowser } from './browser.ts';
import {
  type Application,
  authorizeUrl,
  connect,
  exchange,
  jsonOf,
  linkAccount,
  postToken,
  read,
  refresh,
  revoke,
  type TokenPair,
  tokensOf,
} from './flow.ts';
import { openSite, putEvent, type Site, WITHOUT_RADICALE } from './site.ts';
import { EVENT_WORDS, tellEverything } from './telling.ts';

const MASTER_KEY = randomBytes(32);
const WRONG = 'canary-wrong-password';
const VERIFIER = `canary-verifier-${'v'.repeat(40)}`;

/** Texts that an application pushes about its user, which are stored but never logged. */
const LABELS = { user_name: 'Canary Mc Label', login_hint: 'canary.hint@people.example' };
/** Stands for the secret of a browser without a device cookie: it is never found. */
const NO_SECRET = 'no secret of any browser';

/** Name → the text that must not be found anywhere. */
type Canaries = Map<string, string>;

onEachDatabase((database, _open, place) => {
  describe(`secrets on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    let databaseUrl: string | undefined;
    const canaries: Canaries = new Map([['a code verifier', VERIFIER]]);
    before(async () => {
      ({ databaseUrl } = await place());
      // With PostgreSQL the key comes from the environment, with SQLite from the file it is made in.
      const key = databaseUrl === undefined ? {} : { KALENDS_MASTER_KEY: MASTER_KEY.toString('base64') };
      site = await openSite({ databaseUrl, env: { KALENDS_LOG_LEVEL: 'trace', ...key } });
      await useEverything(site, canaries);
      await failEverywhere(site, canaries, (sql) => administer(sql, databaseUrl, site));
      const reader = await connect(site.application, { userId: 'ada', login: site.login });
      notePair(canaries, 'a reader whose application is told of changes', reader);
      const told = await tellEverything(site, reader, (sql) => administer(sql, databaseUrl, site));
      for (const [name, value] of told) note(canaries, name, value);
      const masterKey = databaseUrl === undefined ? keyInFile(site) : MASTER_KEY;
      note(canaries, 'the master key', masterKey.toString('base64'));
      note(canaries, 'the master key in hex', masterKey.toString('hex'));
      for (const { kid, sealed } of await signingKeys(databaseUrl, site)) {
        note(
          canaries,
          `signing key ${kid}`,
          createSealer(masterKey).open(sealed, sealedField('signing_key.sealed')(kid)),
        );
      }
    });
    after(() => site?.close());

    it('secrets are in no log line and nothing else that the program writes', () => {
      const { stdout, stderr } = site.program.output();

      assert.match(stderr, /"level":20/, 'it logs at its finest');
      assert.match(stderr, /"level":50/, 'and its failures');
      assert.match(stderr, /webhook_message/, 'those of telling too');
      assert.deepEqual(canariesIn(stdout + stderr, canaries), []);
      const labels = new Map(Object.entries(LABELS));
      assert.deepEqual(canariesIn(stdout + stderr, labels), [], 'nor what people call a user');
      const words = new Map(Object.entries(EVENT_WORDS));
      assert.deepEqual(canariesIn(stdout + stderr, words), [], 'nor what calendars say');
    });

    it('secrets are in no row of the database', async () => {
      const rows = JSON.stringify(await everyRow(databaseUrl, site));

      assert.match(rows, /"user_id":"ada"/, 'the rows are there');
      assert.deepEqual(canariesIn(rows, canaries), []);
    });

    it('secrets are in no file of the data folder but the key in master.key', async () => {
      await site.program.command('client', 'list');
      if (databaseUrl === undefined) {
        await site.program.command('backup', path.join(site.program.dataDir, 'copy.db'));
      }
      const leaks = filesOf(site).flatMap(({ name, content }) =>
        canariesIn(content, canaries).map((secret) => `${name}: ${secret}`),
      );

      assert.deepEqual(leaks, databaseUrl === undefined ? ['master.key: the master key'] : []);
    });

    it('secrets are in nothing that the command line shows of an application or user', async () => {
      const { clientId } = site.application;
      const outputs = await Promise.all([
        site.program.command('client', 'show', clientId),
        site.program.command('client', 'list'),
        site.program.command('user', 'show', clientId, 'ada'),
        site.program.command('keys', 'rotate'),
        site.program.command('doctor'),
        site.program.command('webhook', 'list'),
        site.program.command('webhook', 'deliveries', clientId),
      ]);

      assert.deepEqual(canariesIn(JSON.stringify(outputs), canaries), []);
    });
  });
});

function note(canaries: Canaries, name: string, value: string): void {
  assert.ok(value.length >= 16, `${name} is long enough to be looked for`);
  canaries.set(name, value);
}

function notePair(canaries: Canaries, name: string, { accessToken, refreshToken }: TokenPair): void {
  for (const [kind, token] of Object.entries({ accessToken, refreshToken })) {
    // The claims alone prove nothing; the signature is what makes the token.
    note(canaries, `${name} ${kind}`, token.split('.')[2] ?? '');
  }
  note(canaries, `${name} jti`, String(decodeJwt(refreshToken).jti));
}

/** Returns the names of the canaries in the content, as they are or in base64. */
function canariesIn(content: string | Buffer, canaries: Canaries): string[] {
  const text = Buffer.isBuffer(content) ? content.toString('latin1') : content;
  return [...canaries].flatMap(([name, value]) => {
    const spellings = [
      value,
      Buffer.from(value).toString('base64').replace(/=+$/, ''),
      encodeURIComponent(value),
    ];
    return spellings.some((spelling) => text.includes(spelling)) ? [name] : [];
  });
}

/** Runs every path that succeeds: link, approve with PKCE, exchange, read, refresh, revoke, disconnect. */
async function useEverything({ application, login, calendars }: Site, canaries: Canaries): Promise<void> {
  note(canaries, 'the client secret', application.clientSecret);
  note(canaries, 'the CalDAV password', login.password);
  note(canaries, 'the CalDAV login', Buffer.from(`${login.username}:${login.password}`).toString('base64'));
  await putEvent(calendars, 'one', [
    ...['BEGIN:VEVENT', 'UID:one', 'DTSTAMP:20261001T000000Z', 'SUMMARY:One'],
    ...['DTSTART:20261101T100000Z', 'DTEND:20261101T110000Z', 'END:VEVENT'],
  ]);
  const browser = openBrowser();
  const first = await connect(application, { userId: 'ada', login, browser });
  const second = await tokensOf(await refresh(application, first.refreshToken));
  for (const path of ['/calendars', '/events', '/connection-status']) {
    assert.equal((await read(application, path, second.accessToken)).status, 200);
  }
  const other = await connect(application, { userId: 'grace', login });
  await revoke(application, other.accessToken);
  for (const [name, pair] of Object.entries({ first, second, other })) notePair(canaries, name, pair);

  await browser.open(authorizeUrl(application, { userId: 'ada' }));
  note(canaries, 'a form token', /name="token" value="([^"]*)"/.exec(browser.page().body)?.[1] ?? '');
  noteCookies(canaries, 'of a returning user', browser);
  const linker = openBrowser();
  await linker.open(authorizeUrl(application, { userId: 'linker' }));
  await linkAccount(linker, login);
  noteCookies(canaries, 'of a new user', linker);
  await linkAccount(linker, login);
  noteCookies(canaries, 'drawn anew', linker);
  await linker.press('Cancel');

  const waiting = await push(application, { user_id: 'pushed', ...LABELS });
  note(canaries, 'a request_uri that can be spent', waiting.split(':').at(-1) ?? '');
  const uri = await push(application, { user_id: 'pushed', ...LABELS });
  const pushed = openBrowser();
  const query = new URLSearchParams({ client_id: application.clientId, request_uri: uri });
  await pushed.open(`${application.url}/authorize?${query}`);
  assert.ok(pushed.page().body.includes(LABELS.user_name), 'the page says who the user is');
  noteCookies(canaries, 'of a pushed request', pushed);
}

/** Notes the secrets that only cookies have: of the browser, and of each transaction. */
function noteCookies(canaries: Canaries, name: string, { cookies }: Browser): void {
  note(canaries, `the device cookie ${name}`, cookies.get('kalends_device') ?? NO_SECRET);
  for (const [cookie, value] of cookies) {
    if (!cookie.startsWith('kalends_tx_')) continue;
    note(canaries, `the secret of ${cookie} ${name}`, value.split('.')[1] ?? '');
  }
}

/** Pushes a request and returns its reference. */
async function push({ url, clientId, clientSecret }: Application, parameters: Record<string, string>) {
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...parameters });
  const answer = await fetch(`${url}/par`, { method: 'POST', body });
  return String((await jsonOf(answer)).request_uri);
}

/** Runs every path that fails with a secret in hand, through errors of the caller and internal errors. */
async function failEverywhere(
  { application, login }: Site,
  canaries: Canaries,
  change: (sql: string) => Promise<void>,
): Promise<void> {
  const { url, clientId } = application;
  note(canaries, 'a wrong password', WRONG);
  const linker = openBrowser();
  await linker.open(authorizeUrl(application, { userId: 'clumsy' }));
  await linkAccount(linker, { ...login, password: WRONG });
  for (const server of [
    'http://127.0.0.1:1/',
    'http://10.0.0.1/',
    login.server.replace('://', `://ada:${encodeURIComponent(WRONG)}@`),
  ]) {
    const page = await linker.press('Connect', { 'Server URL': server, Username: 'ada', Password: WRONG });
    assert.ok(!/value="canary-wrong-password"/.test(page.body), 'a password is never shown again');
    if (page.status === 200) await linker.press('Connect CalDAV');
  }

  const basic = `Basic ${Buffer.from(`${clientId}:${WRONG}`).toString('base64')}`;
  await fetch(`${url}/token`, {
    method: 'POST',
    headers: { authorization: basic },
    body: new URLSearchParams(),
  });
  await postToken(
    { ...application, clientSecret: WRONG },
    { grant_type: 'refresh_token', refresh_token: WRONG },
  );
  await postToken(application, { grant_type: 'authorization_code', code: 'ada', code_verifier: VERIFIER });
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    const broken = `{"token":"${WRONG}","client_secret":"${application.clientSecret}`;
    for (const path of ['/token', '/revoke']) {
      await fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body: broken });
    }
  }
  await read(application, `/events?access_token=${WRONG}`, WRONG);
  await read(application, `/nothing/${WRONG}`, WRONG);

  // Internal errors: writes fail with the secrets they carry.
  const spare = await connect(application, { userId: 'spare', login });
  notePair(canaries, 'spare', spare);
  for (const table of ['token_family', 'account', 'authorization_request']) {
    await change(`ALTER TABLE ${table} RENAME TO hidden`);
    const failed = await refresh(application, spare.refreshToken);
    await exchange(application, 'spare');
    await revoke(application, spare.accessToken);
    await linker.open(authorizeUrl(application, { userId: 'clumsy' }));
    await linker.press('Connect CalDAV').catch(() => undefined); // Fails if the page failed.
    const typed = { 'Server URL': login.server, Username: 'ada', Password: login.password };
    await linker.press('Connect', typed).catch(() => undefined); // The same.
    await change(`ALTER TABLE hidden RENAME TO ${table}`);
    if (table === 'token_family') assert.equal((await jsonOf(failed)).error, 'server_error');
  }
}

const sqliteFile = ({ program }: Site) => path.join(program.dataDir, 'kalends.db');

async function administer(sql: string, databaseUrl: string | undefined, site: Site): Promise<void> {
  if (databaseUrl !== undefined) return void (await query(databaseUrl, sql));
  const db = new DatabaseSync(sqliteFile(site), { timeout: 5000 });
  db.exec(sql);
  db.close();
}

async function query(databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
}

async function select(sql: string, databaseUrl: string | undefined, site: Site) {
  if (databaseUrl !== undefined) return query(databaseUrl, sql);
  const db = new DatabaseSync(sqliteFile(site), { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}

async function everyRow(databaseUrl: string | undefined, site: Site): Promise<unknown> {
  const names =
    databaseUrl === undefined
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'";
  const tables = await select(names, databaseUrl, site);
  assert.ok(tables.length > 10, 'the tables are found');
  return Promise.all(tables.map(({ name }) => select(`SELECT * FROM ${name}`, databaseUrl, site)));
}

async function signingKeys(databaseUrl: string | undefined, site: Site) {
  const rows = await select('SELECT kid, sealed FROM signing_key', databaseUrl, site);
  return rows.map(({ kid, sealed }) => ({ kid: String(kid), sealed: String(sealed) }));
}

const keyInFile = ({ program }: Site): Buffer =>
  Buffer.from(readFileSync(path.join(program.dataDir, 'master.key'), 'utf8').trim(), 'base64');

/** Returns all files of the data folder, also the write-ahead log of the running program. */
function filesOf({ program }: Site): { name: string; content: Buffer }[] {
  let names: string[];
  try {
    names = readdirSync(program.dataDir, { recursive: true }).map(String);
  } catch (reason) {
    // If database and key are elsewhere, there is no folder.
    if (reason instanceof Error && 'code' in reason && reason.code === 'ENOENT') return [];
    throw reason;
  }
  return names.map((name) => ({ name, content: readFileSync(path.join(program.dataDir, name)) }));
}
