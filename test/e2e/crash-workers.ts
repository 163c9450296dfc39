/**
 * Applications that use the program until it is killed and note its responses: what they hold after a 200 must still
 * work, what ended must stay ended, and only a step that was under way may be either.
 */
import assert from 'node:assert/strict';

import { buttonsOf, openBrowser } from './browser.ts';
import {
  type Application,
  allow,
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
  /** Checks after the restart what must hold, and throws otherwise. Returns the step that was under way. */
  verify(): Promise<Step | undefined>;
};

/** The path of every read, which checks the Bearer token and needs no calendar server. */
const PROTECTED = '/connection-status';
/** The number of ended tokens that are remembered: each is checked after every crash. */
const ENDED_KEPT = 3;

/** Starts a worker with its own user, so that other workers' revocations do not affect it, and links an account. */
export async function startWorker(
  application: Application,
  userId: string,
  login: CalendarLogin,
  chance: () => number,
): Promise<Worker> {
  const worker = new CrashWorker(application, userId, login, chance);
  await worker.link();
  return worker;
}

class CrashWorker implements Worker {
  userId: string;
  readonly #name: string;
  #users = 0;
  readonly #application: Application;
  readonly #login: CalendarLogin;
  readonly #chance: () => number;
  #browser = openBrowser();
  #held: TokenPair | undefined;
  #codeIssued = false;
  #ended: TokenPair[] = [];
  #underWay: Step | undefined;

  constructor(application: Application, userId: string, login: CalendarLogin, chance: () => number) {
    this.#application = application;
    this.userId = userId;
    this.#name = userId;
    this.#login = login;
    this.#chance = chance;
  }

  async link(): Promise<void> {
    await this.#browser.open(authorizeUrl(this.#application, { userId: this.userId }));
    await linkAccount(this.#browser, this.#login);
  }

  async work(): Promise<void> {
    for (;;) await this.#turn();
  }

  async verify(): Promise<Step | undefined> {
    const was = this.#underWay;
    this.#underWay = undefined;
    for (const pair of this.#ended) await this.#verifyEnded(pair);
    const goesOn = this.#held && (await this.#verifyHeld(this.#held, was));
    this.#held = (await this.#verifyCode(was)) ?? goesOn;
    return was;
  }

  #turn(): Promise<void> {
    if (this.#codeIssued) return this.#exchange();
    if (this.#held === undefined) return this.#approve();
    const luck = this.#chance();
    if (luck < 0.05) return this.#revoke(this.#held);
    if (luck < 0.1) return this.#startOver();
    if (luck < 0.15) return this.#approve();
    return luck < 0.4 ? this.#read(this.#held) : this.#refresh(this.#held);
  }

  /** Runs a step; its effect is recorded only after its response. */
  async #step<T>(name: Step, ask: () => Promise<T>): Promise<T> {
    this.#underWay = name;
    const answer = await ask();
    this.#underWay = undefined;
    return answer;
  }

  async #approve(): Promise<void> {
    await this.#browser.open(authorizeUrl(this.#application, { userId: this.userId }));
    // Linking again renews an account, so it survives a kill at any time. The response with the browser's new secret
    // may be lost: then signing in again proves whose account it is.
    const isKnown = buttonsOf(this.#browser.page().body).some(
      (label) => label === 'Allow' || label === 'Done',
    );
    if (!isKnown || this.#chance() < 0.2) await linkAccount(this.#browser, this.#login);
    const { destination, status, body } = await this.#step('approve', () => allow(this.#browser));
    assert.equal(destination?.searchParams.get('code'), this.userId, `${status} ${body}`);
    this.#codeIssued = true;
  }

  /** Begins with another user in a new browser: linked accounts become the user's only with the first exchange. */
  async #startOver(): Promise<void> {
    this.#users += 1;
    this.userId = `${this.#name}, user ${this.#users}`;
    this.#browser = openBrowser();
    this.#held = undefined;
    this.#ended = [];
  }

  async #exchange(): Promise<void> {
    const ask = async () => tokensOf(await exchange(this.#application, this.userId));
    // The previous grant stays valid, but this worker follows only the newest.
    this.#held = await this.#step('exchange', ask);
    this.#codeIssued = false;
  }

  async #refresh({ refreshToken }: TokenPair): Promise<void> {
    const ask = async () => tokensOf(await refresh(this.#application, refreshToken));
    this.#held = await this.#step('refresh', ask);
    // The access token stays valid (docs/wire.md O3.3): only the refresh token has ended.
    this.#end({ refreshToken, accessToken: '' });
  }

  async #revoke(pair: TokenPair): Promise<void> {
    const { status } = await this.#step('revoke', () => revoke(this.#application, pair.accessToken));
    assert.equal(status, 200);
    this.#end(pair);
    this.#held = undefined;
  }

  async #read({ accessToken }: TokenPair): Promise<void> {
    await this.#assertReads(await read(this.#application, PROTECTED, accessToken));
  }

  /** Asserts that a living grant reads its account: both were created in one step. */
  async #assertReads(answer: Response): Promise<void> {
    const text = await answer.text();
    assert.equal(answer.status, 200, `${this.userId} reads on: ${text}`);
    const { connections }: { connections: { caldav: unknown[] } } = JSON.parse(text);
    assert.equal(connections.caldav.length, 1, `${this.userId} reads one account: ${text}`);
  }

  #end(pair: TokenPair): void {
    this.#ended = [pair, ...this.#ended].slice(0, ENDED_KEPT);
  }

  async #verifyEnded({ accessToken, refreshToken }: TokenPair): Promise<void> {
    const refreshed = await refresh(this.#application, refreshToken);
    assert.equal(refreshed.status, 400, `${this.userId} ended a token`);
    if (accessToken === '') return;
    const reading = await read(this.#application, PROTECTED, accessToken);
    assert.equal(reading.status, 401, `${this.userId} revoked`);
  }

  async #verifyHeld(pair: TokenPair, was: Step | undefined): Promise<TokenPair | undefined> {
    const reading = await read(this.#application, PROTECTED, pair.accessToken);
    if (was !== 'revoke') await this.#assertReads(reading);
    const refreshed = await refresh(this.#application, pair.refreshToken);
    if (was === 'revoke')
      assert.equal(refreshed.status, reading.status === 200 ? 200 : 400, 'both or neither');
    else if (was !== 'refresh') assert.equal(refreshed.status, 200, `${this.userId} refreshes on`);
    return refreshed.status === 200 ? tokensOf(refreshed) : undefined;
  }

  async #verifyCode(was: Step | undefined): Promise<TokenPair | undefined> {
    const either = was === 'approve' || was === 'exchange';
    const first = await exchange(this.#application, this.userId);
    if (!either) assert.equal(first.status, this.#codeIssued ? 200 : 400, `the code of ${this.userId}`);
    const again = await exchange(this.#application, this.userId);
    assert.equal(again.status, 400, `the code of ${this.userId} is spent`);
    this.#codeIssued = false;
    if (first.status !== 200) return undefined;
    const tokens = await tokensOf(first);
    await this.#assertReads(await read(this.#application, PROTECTED, tokens.accessToken));
    return tokens;
  }
}
