/**
 * Applications that use the program until it is killed, and know what was answered: what they hold after
 * a 200 must go on afterwards, what ended must stay ended, and only what was under way may be either.
 */
import assert from 'node:assert/strict';

import { openBrowser } from './browser.ts';
import {
  type Application,
  authorizeUrl,
  type CalendarLogin,
  exchange,
  linkAccount,
  read,
  refresh,
  revoke,
  type TokenPair,
  tokensOf,
} from './flow.ts';

type Step = 'approve' | 'exchange' | 'refresh' | 'revoke';

export type Worker = {
  readonly userId: string;
  /** Works until the program stops answering. */
  work(): Promise<void>;
  /** After the restart: checks what holds, and throws what does not. Answers what was under way. */
  verify(): Promise<Step | undefined>;
};

/** Where every read goes: it needs the Bearer check and no calendar server. */
const PROTECTED = '/connection-status';
/** Ended tokens are remembered for a while only: each is asked for after every crash. */
const ENDED_KEPT = 3;

/** A user of its own for each worker, so that nobody else's revocation reaches it. */
export async function startWorker(
  application: Application,
  userId: string,
  login: CalendarLogin,
  chance: () => number,
): Promise<Worker> {
  const browser = openBrowser();
  await browser.open(authorizeUrl(application, { userId }));
  await linkAccount(browser, login);

  let held: TokenPair | undefined;
  let code = false;
  let ended: TokenPair[] = [];
  let underWay: Step | undefined;

  /** What a step changes is written down only once its answer is here. */
  const step = async <T>(name: Step, ask: () => Promise<T>): Promise<T> => {
    underWay = name;
    const answer = await ask();
    underWay = undefined;
    return answer;
  };
  const end = (pair: TokenPair) => {
    ended = [pair, ...ended].slice(0, ENDED_KEPT);
  };

  const approve = async () => {
    await browser.open(authorizeUrl(application, { userId }));
    // Linking what is linked renews it: the account stays, whenever the program is killed.
    if (chance() < 0.2) await linkAccount(browser, login);
    await browser.press('Continue');
    const { left, status, body } = await step('approve', () => browser.press('Allow'));
    assert.equal(left?.searchParams.get('code'), userId, `${status} ${body}`);
    code = true;
  };
  const exchangeCode = async () => {
    // The grant before it lives on, but this worker follows the newest only.
    held = await step('exchange', async () => tokensOf(await exchange(application, userId)));
    code = false;
  };
  const refreshHeld = async (pair: TokenPair) => {
    held = await step('refresh', async () => tokensOf(await refresh(application, pair.refreshToken)));
    // Its access token stays good (requirement §3.3): only the refresh token has ended.
    end({ refreshToken: pair.refreshToken, accessToken: '' });
  };
  const revokeHeld = async (pair: TokenPair) => {
    const { status } = await step('revoke', () => revoke(application, pair.accessToken));
    assert.equal(status, 200);
    end(pair);
    held = undefined;
  };

  const turn = async () => {
    if (code) return exchangeCode();
    if (held === undefined) return approve();
    const luck = chance();
    if (luck < 0.05) return revokeHeld(held);
    if (luck < 0.15) return approve();
    if (luck < 0.4)
      return void assert.equal((await read(application, PROTECTED, held.accessToken)).status, 200);
    return refreshHeld(held);
  };

  const verifyCode = async (was: Step | undefined) => {
    const either = was === 'approve' || was === 'exchange';
    const first = await exchange(application, userId);
    if (!either) assert.equal(first.status, code ? 200 : 400, `the code of ${userId}`);
    const next = first.status === 200 ? await tokensOf(first) : undefined;
    assert.equal((await exchange(application, userId)).status, 400, `the code of ${userId} is spent`);
    code = false;
    return next;
  };
  const verifyHeld = async (pair: TokenPair, was: Step | undefined) => {
    const reading = await read(application, PROTECTED, pair.accessToken);
    if (was !== 'revoke') assert.equal(reading.status, 200, `${userId} reads on`);
    const refreshed = await refresh(application, pair.refreshToken);
    if (was === 'revoke') assert.equal(refreshed.status === 200, reading.status === 200, 'both or neither');
    else if (was !== 'refresh') assert.equal(refreshed.status, 200, `${userId} refreshes on`);
    return refreshed.status === 200 ? tokensOf(refreshed) : undefined;
  };

  return {
    userId,
    async work() {
      for (;;) await turn();
    },
    async verify() {
      const was = underWay;
      underWay = undefined;
      for (const { accessToken, refreshToken } of ended) {
        assert.equal((await refresh(application, refreshToken)).status, 400, `${userId} ended a token`);
        if (accessToken === '') continue;
        assert.equal((await read(application, PROTECTED, accessToken)).status, 401, `${userId} revoked`);
      }
      const goesOn = held && (await verifyHeld(held, was));
      held = (await verifyCode(was)) ?? goesOn;
      return was;
    },
  };
}
