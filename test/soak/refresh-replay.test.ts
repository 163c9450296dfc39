/** Clients that repeat a refresh whose response was lost: with a replay window none of them is signed out. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { openSigningKeys } from '../../src/oauth/signing-keys.ts';
import { createTokenSigner } from '../../src/oauth/token-signer.ts';
import { openDatabase } from '../../src/store/drivers/open-database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { makeFamily } from '../contract/grant-rows.ts';
import { type Application, refresh, tokensOf } from '../e2e/flow.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { rounds, scale } from '../harness/rounds.ts';
import { until } from '../harness/until.ts';
import { startCuttingProxy } from '../servers/cutting-proxy.ts';

/** 10,000 in `npm run soak`. */
const REFRESHES = rounds(500);
const IS_SOAK = scale() >= 20;
/** Where a reused token ends its grant: 100,000 in `npm run soak`. */
const WATCHED_REFRESHES = IS_SOAK ? rounds(5_000) : rounds(500);
/** 1,000 in `npm run soak`. */
const THEFTS = rounds(50);
const REFRESHES_OF_USER = 10;
const AT_ONCE = 8;
/** Every twentieth response is lost: 5 %. */
const CUT_EVERY = 20;
/** Each costs a start of the program. */
const KILLS = IS_SOAK ? 10 : rounds(2);
const LONGEST_LOAD_MS = 400;
const PAUSE_MS = 25;

onEachDatabase((database, _open, place) => {
  describe(`lost responses to refreshes on ${database}`, () => {
    let program: Program;
    let users: Awaited<ReturnType<typeof openUsers>>;
    before(async () => {
      const { databaseUrl } = await place();
      const masterKey = randomBytes(32);
      const env = { KALENDS_MASTER_KEY: masterKey.toString('base64') };
      program = await startProgram({ databaseUrl, env });
      users = await openUsers({ databaseUrl, dataDir: program.dataDir, masterKey });
    });
    after(async () => {
      await users?.close();
      await program?.dispose();
    });

    async function createApplication(window: number, reuse = 'refuse'): Promise<Application> {
      const registration = await program.createClient();
      const option = ['--refresh-replay-window', String(window), '--refresh-reuse', reuse];
      await program.command('client', 'update', registration.clientId, ...option);
      return { ...registration, url: program.url };
    }

    /** Lets new users refresh side by side, through a proxy that cuts, until there were as many refreshes. */
    async function refreshThroughCuts(application: Application, most = REFRESHES) {
      let [answered, refreshes] = [0, 0];
      const proxy = await startCuttingProxy(program.url, ({ status }) => {
        if (status === 200) answered += 1;
        return status === 200 && answered % CUT_EVERY === 0;
      });
      const histories: History[] = [];
      const work = async () => {
        while (refreshes < most) {
          const token = await users.issue(application.clientId);
          const history = await refreshOften({ ...application, url: proxy.url }, token);
          refreshes += history.refreshes;
          histories.push(history);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work)).finally(() => proxy.stop());
      return { refreshes, histories };
    }

    it('with a window of 60 seconds a cut response signs no one out', async (t) => {
      const application = await createApplication(60);

      const { refreshes, histories } = await refreshThroughCuts(application);

      const cut = histories.reduce((sum, history) => sum + history.lost, 0);
      const signedOut = histories.filter(({ isSignedOut }) => isSignedOut);
      t.diagnostic(`${database}: ${refreshes} refreshes, ${cut} cut, ${signedOut.length} users signed out`);
      assert.ok(refreshes >= REFRESHES && cut >= refreshes / 25, `${cut} of ${refreshes}`);
      assert.deepEqual(signedOut, []);
    });

    it('with reuse end-grant and a window of 60 seconds a cut response signs no one out', async (t) => {
      const application = await createApplication(60, 'end-grant');

      const { refreshes, histories } = await refreshThroughCuts(application, WATCHED_REFRESHES);

      const cut = histories.reduce((sum, history) => sum + history.lost, 0);
      const signedOut = histories.filter(({ isSignedOut }) => isSignedOut);
      t.diagnostic(`${database}: ${refreshes} refreshes, ${cut} cut, ${signedOut.length} users signed out`);
      assert.ok(refreshes >= WATCHED_REFRESHES && cut >= refreshes / 25, `${cut} of ${refreshes}`);
      assert.deepEqual(signedOut, []);
      assert.equal(await users.endedGrants(application.clientId), 0);
    });

    it('with reuse end-grant each stolen token that is used after the window ends its grant', async (t) => {
      const application = await createApplication(60, 'end-grant');
      const stolen: { spent: string; current: string }[] = [];
      const steal = async () => {
        while (stolen.length < THEFTS) {
          const spent = await users.issue(application.clientId);
          stolen.push({ spent, current: (await tokensOf(await refresh(application, spent))).refreshToken });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, steal));
      await users.age(application.clientId, 61_000);

      const answers = [];
      for (const { spent } of stolen) answers.push((await refresh(application, spent)).status);
      for (const { current } of stolen) answers.push((await refresh(application, current)).status);

      assert.deepEqual([...new Set(answers)], [400]);
      const ended = await users.endedGrants(application.clientId);
      t.diagnostic(`${database}: ${stolen.length} thefts, ${ended} grants ended`);
      assert.equal(ended, stolen.length);
    });

    it('with a window of 0 exactly those are signed out whose response was cut', async (t) => {
      const application = await createApplication(0);

      const { refreshes, histories } = await refreshThroughCuts(application);

      const signedOut = histories.filter(({ isSignedOut }) => isSignedOut);
      const cut = histories.filter(({ lost }) => lost > 0);
      t.diagnostic(`${database}: ${refreshes} refreshes, ${cut.length} cut, ${signedOut.length} signed out`);
      assert.ok(refreshes >= REFRESHES && cut.length >= refreshes / 25, `${cut.length} of ${refreshes}`);
      assert.deepEqual(signedOut, cut);
    });

    it('kill -9 under load signs no one out, whenever it strikes', async (t) => {
      const application = await createApplication(120);
      const stopping = new AbortController();
      const refreshed = new Set<number>();
      const work = async (_: unknown, at: number) =>
        refreshOften(application, await users.issue(application.clientId), stopping.signal, () =>
          refreshed.add(at),
        );
      const load = Array.from({ length: AT_ONCE }, work);

      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(10 + Math.random() * LONGEST_LOAD_MS);
        await program.kill();
        await program.start();
      }
      await until('each user has refreshed', () => refreshed.size === AT_ONCE);
      stopping.abort();
      const histories = await Promise.all(load);

      const refreshes = histories.reduce((sum, history) => sum + history.refreshes, 0);
      t.diagnostic(`${database}: ${KILLS} kills, ${refreshes} refreshes`);
      assert.deepEqual(
        histories.filter(({ isSignedOut }) => isSignedOut),
        [],
      );
    });
  });
});

/** Users of the program's database, each with a grant and its first refresh token. */
async function openUsers(place: { databaseUrl: string | undefined; dataDir: string; masterKey: Buffer }) {
  const { db, sealer } = await openDatabase(
    { ...place, createsMasterKey: false, databaseConnections: 2 },
    Date.now,
  );
  const { signingKeys } = openStores(db, { sealer });
  const log = { error() {} };
  const keys = await openSigningKeys('HS256', { keys: signingKeys, sealer, now: Date.now, log });
  const signer = createTokenSigner(keys, Date.now);
  let count = 0;
  return {
    async issue(clientId: string): Promise<string> {
      count += 1;
      const { grant, first } = await makeFamily(db, { clientId, userId: `user ${count}` });
      return signer.signTokenResponse(grant, first).refresh_token;
    },
    /** Moves the last refreshes of an application's grants into the past. */
    async age(clientId: string, ms: number): Promise<void> {
      const values = { clientId, ms };
      await db.change(
        'UPDATE token_family SET refreshed_at = refreshed_at - CAST(:ms AS BIGINT) WHERE client_id = :clientId',
        values,
      );
    },
    async endedGrants(clientId: string): Promise<number> {
      const row = await db.get<{ grants: number }>(
        'SELECT COUNT(*) AS grants FROM token_family WHERE client_id = :clientId AND ended_at IS NOT NULL',
        { clientId },
      );
      return row?.grants ?? 0;
    },
    close: () => db.close(),
  };
}

type History = { readonly refreshes: number; readonly lost: number; readonly isSignedOut: boolean };

/** Refreshes until it is enough, and repeats each request whose response is lost. With `signal`: until that aborts. */
async function refreshOften(
  application: Application,
  first: string,
  signal?: AbortSignal,
  onRefresh: () => unknown = () => {},
): Promise<History> {
  let [token, refreshes, lost] = [first, 0, 0];
  while (signal === undefined ? refreshes < REFRESHES_OF_USER : !signal.aborted) {
    const answer = await refresh(application, token).catch(causeOfLoss);
    if (!(answer instanceof Response)) {
      lost += 1;
      if (signal !== undefined) await sleep(PAUSE_MS);
      continue;
    }
    if (answer.status === 400) return { refreshes, lost, isSignedOut: true };
    const tokens = await tokensOf(answer).catch(causeOfLoss);
    if ('refreshToken' in tokens) {
      [token, refreshes] = [tokens.refreshToken, refreshes + 1];
      onRefresh();
    } else lost += 1;
  }
  return { refreshes, lost, isSignedOut: false };
}

/** The connection was cut, before or during the response; anything else is a failure of the test. */
function causeOfLoss(reason: unknown): TypeError {
  if (reason instanceof TypeError && /^(fetch failed|terminated)$/.test(reason.message)) return reason;
  throw reason;
}
