import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { attemptLimit } from '../http/attempt-limit.ts';
import { PeopleRefusal } from './people-refusal.ts';
import type { Person } from './person.ts';
import { type Attempt, countAttempt, createBrowserMark, signInLimits } from './sign-in.ts';

const knownBrowserKey = Buffer.alloc(32, 7);
const ADA = {
  ...{
    personId: 'ada',
    name: 'Ada',
    login: 'ada@example.com',
    role: 'owner',
    clientIds: [],
    hasPassword: true,
  },
  ...{ createdAt: 1, seenAt: undefined },
} satisfies Person;
const MARK = createBrowserMark('ada', knownBrowserKey);

/** Counts attempts with a wrong password. `spend` returns the number before the first refusal. */
function opened(limits = signInLimits()) {
  const attempt = async (change: Partial<Attempt>) => {
    const unknown = { address: '192.0.2.1', login: 'eve@example.com', mark: undefined, person: undefined };
    const typed = { ...unknown, password: 'wrong', ...change };
    return countAttempt(typed, { signInLimits: limits, knownBrowserKey }).catch((reason: unknown) => {
      assert.ok(reason instanceof PeopleRefusal);
      return reason.kind;
    });
  };
  const spend = async (most: number, changeOf: (at: number) => Partial<Attempt>): Promise<number> => {
    for (let at = 0; at < most; at += 1) if (typeof (await attempt(changeOf(at))) === 'string') return at;
    return most;
  };
  return { attempt, spend };
}

const ofAda = { person: ADA, login: ADA.login };
const invented = (at: number) => ({ login: `invented-${at}@example.com` });

describe('sign-in attempts', () => {
  it('are limited to ten in 15 minutes for a known browser, whatever else its cookie contains', async () => {
    const { spend } = opened();
    assert.equal(await spend(20, (at) => ({ ...ofAda, mark: `${MARK}${at}` })), 10);
  });

  it('are limited to fifty a day for a known browser', async () => {
    const { spend } = opened({ ...signInLimits(), ofBrowser: attemptLimit(1_000, 60) });
    assert.equal(await spend(60, () => ({ ...ofAda, mark: MARK })), 50);
  });

  it('do not count for the browser of another member', async () => {
    const { spend } = opened();
    const mark = createBrowserMark('ben', knownBrowserKey);
    assert.equal(await spend(30, (at) => ({ ...ofAda, mark, address: `192.0.${at}.1` })), 20);
  });

  it('are limited to 120 for a /24 or /48, and 600 for a /16 or /32', async () => {
    const { spend } = opened();
    const [inSite, inWide] = [(at: number) => `2001:db8:0:${at}::1`, (at: number) => `2001:db8:${at}::1`];
    assert.equal(await spend(200, (at) => ({ ...invented(at), address: inSite(at) })), 120);
    assert.equal(await spend(700, (at) => ({ ...invented(at), address: inWide(at + 1) })), 480);
    assert.equal(await spend(200, (at) => ({ ...invented(at), address: `198.51.100.${at}` })), 120);
    assert.equal(await spend(1, (at) => ({ ...invented(at), address: '198.51.101.1' })), 1);
  });

  it('count for no other limit if one limit refuses them', async () => {
    const { spend, attempt } = opened();
    for (let round = 0; round < 700; round += 1) await attempt(invented(round));
    assert.equal(await spend(90, (at) => ({ ...invented(at), address: `192.0.2.${at + 2}` })), 90);
  });

  for (const person of [ADA, undefined])
    it(`allow twenty per login over all new browsers, ${person ? 'of a member' : 'of nobody'}`, async () => {
      const { spend, attempt } = opened();
      const from = (at: number) => ({ login: ADA.login, person, address: `192.0.${at}.1` });
      assert.equal(await spend(30, from), 20);
      assert.equal(await attempt(from(40)), 'too_many_for_login');
      assert.notEqual(await attempt({ ...ofAda, mark: MARK }), 'too_many_for_login');
    });

  it('are not limited by login if they use a passkey', async () => {
    const { attempt, spend } = opened();
    await spend(20, (at) => ({ ...ofAda, address: `192.0.${at}.1` }));
    assert.equal(typeof (await attempt({ ...ofAda, password: undefined, address: '192.0.40.1' })), 'object');
  });

  it('leave all limits unchanged if they are refunded', async () => {
    const { spend, attempt } = opened();
    for (let round = 0; round < 50; round += 1) {
      const counted = await attempt({});
      assert.ok(typeof counted === 'object', String(counted));
      await counted.refund();
    }
    assert.equal(await spend(20, () => ({})), 10);
  });
});

describe('refused sign-ins in the log', () => {
  it('are one line a minute per network, with their number', async () => {
    let now = 1_000;
    const { countForLog } = signInLimits(() => now);
    assert.equal(await countForLog('a'), 1);
    assert.equal(await countForLog('a'), undefined);
    assert.equal(await countForLog('b'), 1);
    now += 60_000;
    assert.equal(await countForLog('a'), 2);
  });

  it('are at most 1,000 lines a minute', async () => {
    const { countForLog } = signInLimits();
    for (let network = 0; network < 1_000; network += 1) assert.equal(await countForLog(`${network}`), 1);
    assert.equal(await countForLog('1000'), undefined);
  });
});
