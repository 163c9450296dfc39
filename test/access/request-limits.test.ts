/** Requests to providers: within their limits over all instances, and not in vain. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RequestGate, type RequestLimits, requestGate } from '../../src/access/request-gate.ts';
import type { RequestLimitStore } from '../../src/access/request-limit-store.ts';
import { ProviderError } from '../../src/calendars/provider-error.ts';
import { PROVIDER_FACTS } from '../../src/calendars/provider-facts.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { requestLimitStore } from '../../src/store/request-limit-store.ts';
import { NOW, newAccount, openWithUsers } from '../contract/calendar-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { holdCalls } from '../harness/hold-calls.ts';
import { providerErrorOf } from '../harness/provider-error-of.ts';
import { until } from '../harness/until.ts';

const MICROSOFT: RequestLimits = { microsoft: { atOnce: 3 } };

/** Two instances that share nothing but the database, and requests of one account. */
async function openGates(db: Database, limits: RequestLimits, now: () => number = Date.now) {
  const { accounts } = await openWithUsers(async () => db);
  const account = await accounts.linkAccount(
    newAccount({ provider: 'microsoft', accountId: 'ada@example.com' }),
    NOW,
  );
  const writes: string[] = [];
  const noted = <T>(write: string, run: () => T): T => {
    writes.push(write);
    return run();
  };
  const counted = (store: RequestLimitStore): RequestLimitStore => ({
    ...store,
    takeSlot: (...args) => noted('takeSlot', () => store.takeSlot(...args)),
    takeTokens: (...args) => noted('takeTokens', () => store.takeTokens(...args)),
    closeCircuit: (...args) => noted('closeCircuit', () => store.closeCircuit(...args)),
  });
  const gates = [0, 1].map(() => requestGate({ requestLimits: counted(requestLimitStore(db)), limits, now }));
  const ask = <T>(
    gate: RequestGate | undefined,
    request: () => Promise<T>,
    operation = 'list',
  ): Promise<T> => {
    assert.ok(gate);
    return gate.run({ account, appClientId: 'app', operation }, request);
  };
  const [first, second] = gates;
  const stop = () => Promise.all(gates.map((gate) => gate.stop()));
  return { account, writes, first, second, gates, ask, stop };
}

const failing = (error: Error) => async (): Promise<never> => {
  throw error;
};
const down = new ProviderError('unavailable', 'Down');

onEachDatabase((database, open) => {
  describe(`requests to a provider on ${database}`, () => {
    it('the request gate has at most three requests to a mailbox under way over two instances, and every one is made', async () => {
      const { gates, ask, stop } = await openGates(await open(), MICROSOFT);
      let underWay = 0;
      let most = 0;
      const three = Promise.withResolvers<void>();
      const request = async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        if (underWay === 3) three.resolve();
        await Promise.all([three.promise, sleep(15)]);
        underWay -= 1;
        return 1;
      };

      const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(gates[i % 2], request)));
      await stop();

      assert.equal(answers.length, 60);
      assert.equal(most, 3);
    });

    it('the request gate uses a slot for request after request, and gives it back when nobody needs it', async () => {
      const db = await open();
      const { first, writes, ask } = await openGates(db, MICROSOFT, () => NOW);
      const isFree = async () => (await db.all('SELECT * FROM request_slot')).length === 0;

      // The gate frees a slot that is idle for 250 milliseconds. A round with such a pause is repeated.
      await until('twenty requests use one slot', async () => {
        await until('no slot is leased', isFree);
        writes.length = 0;
        for (let i = 0; i < 20; i += 1) await ask(first, async () => i);
        return writes.filter((write) => write === 'takeSlot').length === 1;
      });
      await until('no slot is leased', isFree);
    });

    it('the request gate gives back at once what it holds when the instance stops', async () => {
      const db = await open();
      const { first, ask, stop } = await openGates(db, MICROSOFT);
      await Promise.all([1, 2, 3].map((i) => ask(first, async () => i)));

      await stop();

      assert.deepEqual(await db.all('SELECT * FROM request_slot'), []);
    });

    it('the request gate lets another instance have its turn while one is busy without a pause', async () => {
      const { first, second, ask, stop } = await openGates(await open(), MICROSOFT);
      let goOn = true;
      const busy = Array.from({ length: 6 }, async () => {
        while (goOn) await ask(first, () => sleep(20));
      });
      await sleep(200);

      // A request that gets no slot fails after a minute.
      assert.equal(await ask(second, async () => 1), 1);
      goOn = false;
      await Promise.all(busy);
      await stop();
    });

    it('the request gate frees the slots of an instance that died when their leases end', async () => {
      const clock = { now: NOW };
      const { gates, ask } = await openGates(await open(), MICROSOFT, () => clock.now);
      const never = holdCalls();
      for (let i = 0; i < 3; i += 1) void ask(gates[0], never.pass);
      await never.until(3);

      const waiting = ask(gates[1], async () => 'made');
      const early = await Promise.race([waiting, sleep(300, 'waits')]);
      clock.now += 40_000;

      assert.equal(early, 'waits');
      assert.equal(await waiting, 'made');
    });

    it('the request gate tells those who wait for a slot that the database failed', async () => {
      const db = await open();
      const { account } = await openGates(db, MICROSOFT);
      const store = requestLimitStore(db);
      const broken = { ...store, takeSlot: failing(new Error('connection lost')) };
      const gate = requestGate({ requestLimits: broken, limits: MICROSOFT, now: Date.now });
      const ask = () => gate.run({ account, appClientId: 'app', operation: 'list' }, async () => 1);

      await Promise.all([ask(), ask()].map((call) => assert.rejects(call, /connection lost/)));
    });

    it('the request gate makes no more requests in any second than the budget has, over two instances', async () => {
      const limits: RequestLimits = { microsoft: { user: { requests: 200, per: 1_000 } } };
      const { gates, ask } = await openGates(await open(), limits);
      let took = Number.POSITIVE_INFINITY;

      // A pause of the machine makes a round slow, so a slow round is repeated.
      for (let round = 0; round < 5 && took >= 6_000; round += 1) {
        const made: number[] = [];
        await Promise.all(
          Array.from({ length: 420 }, (_, i) => ask(gates[i % 2], async () => made.push(Date.now()))),
        );
        made.sort((a, b) => a - b);
        const inSecond = made.map((at, i) => made.slice(i).filter((other) => other < at + 1_000).length);
        assert.ok(Math.max(...inSecond) <= 200, `${Math.max(...inSecond)}`);
        took = (made.at(-1) ?? 0) - (made[0] ?? 0);
      }
      assert.ok(took < 6_000, `${took} ms`);
    });

    it('the request gate writes once for several requests of a budget', async () => {
      const limits: RequestLimits = { microsoft: { user: { requests: 600, per: 60_000 } } };
      const { first, writes, ask } = await openGates(await open(), limits, () => NOW);

      await Promise.all(Array.from({ length: 30 }, () => ask(first, async () => 1)));

      assert.deepEqual(writes, Array(5).fill('takeTokens'));
    });

    it('the request gate tells at once when the budget is used up for longer than anybody waits', async () => {
      const limits: RequestLimits = { microsoft: { app: { requests: 10, per: 3_600_000 } } };
      const { gates, ask } = await openGates(await open(), limits);
      await ask(gates[0], async () => 1);

      const error = await providerErrorOf(ask(gates[1], async () => 2));

      assert.deepEqual([error.kind, error.reason], ['rate_limited', 'quota_exhausted']);
      assert.ok((error.retryAfter ?? 0) > 60_000);
    });

    it('the request gate asks the provider nothing once an operation failed five times in a row, at any instance', async () => {
      const clock = { now: NOW };
      const { gates, ask } = await openGates(await open(), {}, () => clock.now);
      let requests = 0;
      const request = async () => {
        requests += 1;
        throw down;
      };

      for (let i = 0; i < 5; i += 1) await providerErrorOf(ask(gates[i % 2], request));
      const refused = await Promise.all(gates.map((gate) => providerErrorOf(ask(gate, request))));
      const other = await ask(gates[0], async () => 'works', 'other');

      assert.equal(requests, 5);
      assert.deepEqual(
        refused.map(({ kind, retryAfter }) => [kind, retryAfter]),
        Array(2).fill(['unavailable', 30_000]),
      );
      assert.equal(other, 'works');
    });

    it('the request gate lets one request try when its time has come: success opens the way, failure shuts it for longer', async () => {
      const clock = { now: NOW };
      const { gates, ask } = await openGates(await open(), {}, () => clock.now);
      for (let i = 0; i < 5; i += 1) await providerErrorOf(ask(gates[0], failing(down)));

      clock.now += 30_000;
      await providerErrorOf(ask(gates[0], failing(down)));
      const shut = await providerErrorOf(ask(gates[1], async () => 'in vain'));
      clock.now += 60_000;
      const answer = holdCalls();
      const probe = ask(gates[0], answer.pass);
      await answer.until(1);
      let requests = 0;
      const beside = ask(gates[1], async () => {
        requests += 1;
        return 'works';
      });
      await sleep(300);
      const requestsMeanwhile = requests;
      answer.open();
      await probe;

      assert.equal(shut.retryAfter, 60_000);
      assert.equal(requestsMeanwhile, 0);
      assert.equal(await beside, 'works');
    });

    it('the request gate refuses those who waited for a try that failed', async () => {
      const clock = { now: NOW };
      const { gates, ask } = await openGates(await open(), {}, () => clock.now);
      for (let i = 0; i < 5; i += 1) await providerErrorOf(ask(gates[0], failing(down)));
      clock.now += 30_000;
      const answer = holdCalls();
      const probe = ask(gates[0], async () => {
        await answer.pass();
        throw down;
      });
      await answer.until(1);

      const beside = providerErrorOf(ask(gates[1], async () => 'in vain'));
      await sleep(50);
      answer.open();

      await providerErrorOf(probe);
      assert.equal((await beside).retryAfter, 60_000);
    });

    it('the request gate forgets failures that a success came between', async () => {
      const { gates, ask } = await openGates(await open(), {});
      for (let i = 0; i < 12; i += 1) {
        if (i % 4 === 3) await ask(gates[0], async () => 1);
        else await providerErrorOf(ask(gates[1], failing(down)));
      }

      assert.equal(await ask(gates[0], async () => 'works'), 'works');
    });

    it('the request gate takes an answer for a sign of life, whatever it says', async () => {
      const { gates, ask } = await openGates(await open(), {});
      const gone = new ProviderError('not_found', 'Gone');

      for (let i = 0; i < 8; i += 1) await providerErrorOf(ask(gates[0], failing(gone)));

      assert.equal(await ask(gates[0], async () => 'works'), 'works');
    });

    it('the request gate waits out a short Retry-After and sends the request again, no earlier', async () => {
      const { gates, ask } = await openGates(await open(), {});
      const busy = new ProviderError('rate_limited', 'Busy', { retryAfter: 1_200 });
      const at: number[] = [];

      const answer = await ask(gates[0], async () => {
        at.push(Date.now());
        if (at.length === 1) throw busy;
        return 'works';
      });

      assert.equal(answer, 'works');
      assert.ok((at[1] ?? 0) - (at[0] ?? 0) >= 1_200, `${at}`);
    });

    it('the request gate leaves the whole account alone for as long as a longer Retry-After says, at every instance', async () => {
      const clock = { now: NOW };
      const { gates, ask } = await openGates(await open(), {}, () => clock.now);
      const busy = new ProviderError('rate_limited', 'Busy', { retryAfter: 60_000 });
      await providerErrorOf(ask(gates[0], failing(busy)));

      clock.now += 45_000;
      const error = await providerErrorOf(ask(gates[1], async () => 'in vain', 'other'));
      clock.now += 15_000;

      assert.deepEqual([error.kind, error.retryAfter], ['rate_limited', 15_000]);
      assert.equal(await ask(gates[1], async () => 'works', 'other'), 'works');
    });

    it('the request gate shuts only the operation when the provider names no time', async () => {
      const { gates, ask } = await openGates(await open(), {});
      const quota = new ProviderError('rate_limited', 'Quota', { reason: 'user_quota_exhausted' });
      let requests = 0;
      const error = await providerErrorOf(
        ask(
          gates[0],
          async () => {
            requests += 1;
            throw quota;
          },
          'write',
        ),
      );

      assert.equal(await ask(gates[1], async () => 'reads', 'read'), 'reads');
      assert.deepEqual([error.reason, requests], ['user_quota_exhausted', 2]);
    });

    it("the request gate empties the app's budget for all its users when the provider says that it is used up", async () => {
      const limits: RequestLimits = { microsoft: { app: { requests: 1_000, per: 1_000 } } };
      const clock = { now: NOW };
      const { gates, ask } = await openGates(await open(), limits, () => clock.now);
      const spent = new ProviderError('rate_limited', 'Quota', {
        reason: 'quota_exhausted',
        retryAfter: 600_000,
      });
      await providerErrorOf(ask(gates[0], failing(spent)));

      const error = await providerErrorOf(ask(gates[1], async () => 'in vain', 'other'));

      assert.ok((error.retryAfter ?? 0) >= 600_000, `${error.retryAfter}`);
    });

    it('the request gate writes nothing for a request that works, where no budget or slot is asked for', async () => {
      const { gates, writes, ask } = await openGates(await open(), {});

      for (let i = 0; i < 10; i += 1) await ask(gates[0], async () => i);

      assert.deepEqual(writes, []);
    });
  });
});

describe('the limits of the providers', () => {
  it('the limits of the providers are three requests at once for a Microsoft mailbox, and budgets by project and user for Google', () => {
    assert.equal(PROVIDER_FACTS.microsoft.requestLimits.atOnce, 3);
    assert.deepEqual(PROVIDER_FACTS.google.requestLimits, {
      app: { requests: 10_000, per: 60_000 },
      user: { requests: 600, per: 60_000 },
    });
  });
});
