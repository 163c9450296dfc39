/** Two instances behind HAProxy, upgraded one after the other while applications and users go on. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from '../../src/store/drivers/database.ts';
import { openBrowser } from '../e2e/browser.ts';
import { type Application, authorizeUrl, read, refresh, tokensOf } from '../e2e/flow.ts';
import { counterpart } from '../harness/counterpart.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { freePort } from '../harness/loopback.ts';
import { fillOldDatabase, type OldApplication } from '../harness/old-database.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { HAPROXY, startHaproxy } from '../servers/haproxy.ts';
import { type Running, removeFolder } from '../servers/process.ts';
import { haproxyConfiguration } from './docs-blocks.ts';
import { makeNextVersion, NEXT_MIGRATION } from './next-version.ts';

/** HAProxy looks five times a second here, and takes an instance out at the second refusal. */
const DRAIN_SECONDS = '3';
const EVENTS = '/events?start=2026-11-01T00:00:00Z&end=2026-12-01T00:00:00Z';
/** Between two rounds of one user; most of the time the instances have something under way. */
const PAUSE_MS = 250;
/** The folder of an older version to upgrade from; this one by default, on the database of an older one. */
const { KALENDS_TEST_UPGRADE_FROM: from } = process.env;

onEachDatabase((database, _open, place) => {
  // Several instances share PostgreSQL only.
  if (database !== 'PostgreSQL') return;

  describe('two instances behind HAProxy', counterpart('HAProxy', HAPROXY), () => {
    let db: Database;
    let old: OldApplication;
    let proxy: Running;
    let url: string;
    const folders: string[] = [];
    const programs: Program[] = [];
    const ports: number[] = [];
    let start: (port: number | undefined, checkout: string | undefined) => Promise<Program>;
    before(async () => {
      const settings = await place();
      db = connect(settings);
      old = await fillOldDatabase(db);
      start = async (port = 0, checkout) => {
        const { databaseUrl } = settings;
        const env = {
          KALENDS_MASTER_KEY: old.masterKey,
          KALENDS_DRAIN_SECONDS: DRAIN_SECONDS,
          KALENDS_URL: url,
          // A copy's compiled code is of no use to later runs: it goes with the copy.
          ...(checkout === undefined ? {} : { NODE_COMPILE_CACHE: path.join(checkout, 'compiled') }),
        };
        const program = await startProgram({ databaseUrl, env, port, checkout });
        programs.push(program);
        return program;
      };
      url = `http://127.0.0.1:${await freePort()}`;
      for (let i = 0; i < 2; i++) {
        const port = await freePort();
        ports.push(port);
        await start(port, from);
      }
      const configuration = await haproxyConfiguration(url, ports);
      proxy = await startHaproxy(configuration.replace('inter 1s', 'inter 200ms'), `${url}/health`);
    });
    after(async () => {
      await proxy?.stop();
      for (const program of programs) await program.dispose();
      for (const folder of folders) removeFolder(folder);
      await db?.close();
    });

    it('an upgrade fails no request: instances are stopped and started in turn, and the new one migrates beside the old', async (t) => {
      const application: Application = { ...old, url };
      const load = old.users.map((user) => goOn(application, user));
      const next = makeNextVersion();
      folders.push(next);

      for (const [i, port] of ports.entries()) {
        await programs[i]?.stop();
        const before = answersOf(load);
        await start(port, next);
        assert.ok(answersOf(load) > before, 'the other instance went on');
        await untilReady(port);
      }
      for (const chain of load) chain.stop();
      const failures = (await Promise.all(load.map(({ failures: found }) => found))).flat();

      t.diagnostic(`${answersOf(load)} answers`);
      assert.deepEqual(failures, []);
      const applied = await db.all<{ number: number }>('SELECT number FROM migration ORDER BY number DESC');
      assert.equal(applied[0]?.number, NEXT_MIGRATION);
    });
  });
});

type Load = { readonly answers: () => number; stop(): void; readonly failures: Promise<readonly string[]> };

/** One user's application and browser, until it is stopped; then what failed. */
function goOn(application: Application, { userId, refreshToken }: OldApplication['users'][number]): Load {
  let answers = 0;
  let stopped = false;
  const round = async (token: string): Promise<string> => {
    const pair = await tokensOf(await refresh(application, token));
    for (const path of ['/connection-status', EVENTS]) {
      const answer = await read(application, path, pair.accessToken);
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${text}`);
    }
    const page = await openBrowser().open(authorizeUrl(application, { userId }));
    if (page.status !== 200) throw new Error(`The page answered ${page.status}`);
    answers += 5;
    return pair.refreshToken;
  };
  const work = async (): Promise<readonly string[]> => {
    let token = refreshToken;
    try {
      while (!stopped) {
        token = await round(token);
        await sleep(PAUSE_MS);
      }
      return [];
    } catch (reason) {
      return [reason instanceof Error ? `${reason.message} ${reason.cause ?? ''}` : String(reason)];
    }
  };
  return {
    answers: () => answers,
    stop() {
      stopped = true;
    },
    failures: work(),
  };
}

const answersOf = (load: readonly Load[]): number => load.reduce((sum, { answers }) => sum + answers(), 0);

/** HAProxy's looks are as far apart as this: it has seen the instance then. */
async function untilReady(port: number): Promise<void> {
  while ((await fetch(`http://127.0.0.1:${port}/ready`)).status !== 200) await sleep(50);
  await sleep(500);
}
