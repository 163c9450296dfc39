/** docs/disaster-recovery.md, command by command, as an operator types it in a disaster and in a drill. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { makeUsers } from '../contract/calendar-rows.ts';
import { makeFamily } from '../contract/grant-rows.ts';
import { counterpart } from '../harness/counterpart.ts';
import { debianPostgres, POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts';
import { freePort } from '../harness/loopback.ts';
import { ROOT } from './docs-blocks.ts';

const PAGE = await readFile(path.join(ROOT, 'docs/disaster-recovery.md'), 'utf8');
/** The sections that the tests below run, in this order. */
const ON_SQLITE = [
  'SQLite: prepare',
  'SQLite: the drill',
  'SQLite: bring the database back',
  'SQLite: bring the machine back',
  'A key leaked',
];
const ON_POSTGRES = ['PostgreSQL: prepare', 'PostgreSQL: bring the database back'];

/** The folders on the test's machine that stand for the folders of the page. */
const PLACES = { DATA: 'data', BACKUPS: 'backups', SAFE: 'safe' };

/** The shell blocks of each section of the page. */
const COMMANDS = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .map((section) => {
      const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
      return [section.slice(0, section.indexOf('\n')), blocks];
    }),
);

/** A replacement for systemctl that starts the program with the settings of the shell. */
const SYSTEMCTL = `#!/bin/sh
case "$1" in
  start)
    kalends serve >> "$PLACE/log" 2>&1 &
    echo $! > "$PLACE/pid"
    until curl --silent --fail --output /dev/null "http://127.0.0.1:$KALENDS_PORT/health"; do
      kill -0 "$(cat "$PLACE/pid")" || { cat "$PLACE/log" >&2; exit 1; }
      sleep 0.1
    done ;;
  stop)
    kill "$(cat "$PLACE/pid")"
    while kill -0 "$(cat "$PLACE/pid")" 2> /dev/null; do sleep 0.1; done ;;
esac
`;

const cleanups: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Opens a machine with a running server and the folders of the page. */
async function openMachine(settings: Record<string, string> = {}) {
  const place = await mkdtemp(path.join(tmpdir(), 'kalends-disaster-'));
  cleanups.push(() => rm(place, { recursive: true, force: true }));
  const at = (name: string) => path.join(place, name);
  for (const name of ['bin', 'backups', 'safe']) await mkdir(at(name));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${path.join(ROOT, 'src/start.js')}" "$@"\n`;
  for (const [name, text] of [
    ['kalends', program],
    ['systemctl', SYSTEMCTL],
  ] as const) {
    await writeFile(at(`bin/${name}`), text);
    await chmod(at(`bin/${name}`), 0o755);
  }
  const drillPort = String(await freePort());
  const env: Record<string, string> = {
    PATH: `${at('bin')}:${process.env.PATH}`,
    TMPDIR: place,
    PLACE: place,
    ...Object.fromEntries(Object.entries(PLACES).map(([name, folder]) => [name, at(folder)])),
    KALENDS_DATA_DIR: at('data'),
    KALENDS_PORT: String(await freePort()),
    ...settings,
  };
  const run = async (command: string, changes: Record<string, string> = {}): Promise<string> => {
    const script = command.replaceAll('18080', drillPort);
    const child = spawn('bash', ['--norc', '-e', '-o', 'pipefail', '-c', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, ...changes },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = await once(child, 'close');
    assert.equal(code, 0, `${command}\nended with ${code}:\n${output}`);
    return output;
  };
  cleanups.push(() => run('systemctl stop kalends 2> /dev/null || true'));
  const withStorage = async <T>(
    work: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<T>,
    changes = {},
  ) => {
    const storage = await openStorage(loadConfig({ ...env, ...changes }));
    return work(storage).finally(() => storage.close());
  };
  return {
    at,
    run,
    env,
    withStorage,
    /** Runs the commands of a section, each block by itself, and returns their output. */
    async section(name: string): Promise<string> {
      let said = '';
      for (const block of COMMANDS.get(name) ?? []) said += await run(block);
      return said;
    },
    async begin() {
      // The service must not run yet: its housekeeping would delete an old user without a grant.
      await withStorage(async ({ db, changes }) => {
        await makeUsers(db);
        for (const userId of ['ada', 'ben']) await makeFamily(db, { clientId: 'acme', userId });
        await changes.follow({ clientId: 'acme', userId: 'ada' }, Date.now());
      });
      await run('systemctl start kalends');
    },
    living: (changes = {}) =>
      withStorage(async ({ db }) => {
        const rows = await db.all<{ userId: string }>(
          'SELECT user_id AS "userId" FROM token_family WHERE ended_at IS NULL ORDER BY user_id',
        );
        return rows.map(({ userId }) => userId);
      }, changes),
    feed: (changes = {}) =>
      withStorage(
        (storage) => storage.changes.stateOf({ clientId: 'acme', userId: 'ada' }, Date.now()),
        changes,
      ),
  };
}

describe('docs/disaster-recovery.md', () => {
  it('every command of docs/disaster-recovery.md is run below', () => {
    const withCommands = [...COMMANDS].filter(([, blocks]) => blocks.length > 0).map(([name]) => name);

    assert.deepEqual(withCommands.toSorted(), [...ON_SQLITE, ...ON_POSTGRES].toSorted());
    const beginning = PAGE.slice(0, PAGE.indexOf('\n## '));
    const named = [...beginning.matchAll(/^([A-Z]+)=/gm)].map(([, name]) => name);
    assert.deepEqual(named, Object.keys(PLACES), 'the places that the commands name');
  });

  it('docs/disaster-recovery.md brings SQLite back, the database and the whole machine', async () => {
    const machine = await openMachine();
    const [prepare = '', drill = '', database = '', whole = '', leaked = ''] = ON_SQLITE;
    await machine.begin();

    await machine.section(prepare);
    const drilled = await machine.section(drill);
    await machine.run('kalends user revoke acme ada');
    await machine.section(database);
    const revoked = await machine.living();
    const feed = await machine.feed();
    await machine.run('systemctl stop kalends');
    await rm(machine.at('data'), { recursive: true });
    await machine.section(whole);
    const anew = await machine.living();
    const rotated = await machine.section(leaked);

    assert.match(drilled, /complete, as of[\s\S]*acme/);
    assert.deepEqual(revoked, ['ben'], 'what was revoked since was ended again');
    assert.equal(feed, undefined, 'no cursor is accepted');
    assert.deepEqual(anew, ['ada', 'ben'], 'the database that knew it is gone');
    assert.match(rotated, /Everything is sealed under master key/);
  });

  it(
    'docs/disaster-recovery.md brings PostgreSQL back, and ends again what was ended since',
    counterpart('PostgreSQL', POSTGRES_PROGRAMS),
    async () => {
      const server = await debianPostgres();
      cleanups.push(() => server.stop());
      const restored = server.urlOf('kalends_restored');
      const machine = await openMachine({
        KALENDS_DATABASE_URL: server.urlOf('postgres'),
        KALENDS_MASTER_KEY: randomBytes(32).toString('base64'),
        RESTORED_URL: restored,
      });
      const [prepare = '', database = ''] = ON_POSTGRES;
      await machine.begin();

      await machine.section(prepare);
      await machine.run('kalends user revoke acme ada; kalends user delete acme ben --yes');
      const said = await machine.section(database);

      assert.match(said, /acme\tben/, 'a user that was deleted since is named');
      assert.doesNotMatch(said, /acme\tada/);
      assert.deepEqual(await machine.living({ KALENDS_DATABASE_URL: restored }), []);
      assert.equal(
        await machine.feed({ KALENDS_DATABASE_URL: restored }),
        undefined,
        'no cursor is accepted',
      );
    },
  );
});
