/** The pages of one user and of one delivery with as much as they can have. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { answerContext } from '../../src/store/webhooks/webhook-sealing.ts';
import { unescaped } from '../connect/connect-harness.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { bytesProblems } from '../e2e/connect-page-checks.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, openDashboardApp } from './dashboard-app.ts';
import { plantDelivery, plantEndpoints } from './planted-deliveries.ts';

const USER = '/dashboard/applications/acme/user?id=ada';

onEachDatabase((database, open) => {
  it(`a user’s hundred accounts are listed on pages of at most 60 KB, those with problems first, on ${database}`, async () => {
    const dashboard = await openDashboardApp(await open());
    await plantAccounts(dashboard, 100);
    const owner = await dashboard.signedIn('owner');
    const listAll = async (start: string) => {
      const seen: string[] = [];
      let path: string | undefined = start;
      for (let pages = 0; path !== undefined && pages < 40; pages += 1) {
        const { body } = await owner.get(path);
        assert.deepEqual(bytesProblems(body), []);
        const names =
          /<h2><bdi class="anything">([^<]*)|<th scope="row"><a class="anything"[^>]*><bdi>([^<]*)/g;
        const listed = [...body.matchAll(names)].map(([, card, row = '']) => card ?? row);
        assert.equal(listed.length, 20);
        seen.push(...listed);
        const [, next] = /rel="next" href="([^"]*)"/.exec(body) ?? [];
        path = next && unescaped(next);
      }
      assert.equal(seen.length, 100);
      assert.equal(new Set(seen).size, 100);
      return seen;
    };
    const seen = await listAll(USER);
    assert.equal(seen[0], 'account-99@example.com');
    const further = /<a class="anything" href="([^"]*)"><bdi>(account-\d+)@/.exec(
      (await owner.get(`${USER}&page=3`)).body,
    );
    const [, chosen = '', name = ''] = further ?? [];
    assert.match((await owner.get(unescaped(chosen))).body, new RegExp(`<h2><bdi class="anything">${name}@`));
    assert.match((await listAll(unescaped(chosen)))[0] ?? '', new RegExp(`^${name}@`));
    for (const page of ['0', '-1', '1.5', 'x', '1e9'])
      assert.equal((await owner.get(`${USER}&page=${page}`)).status, 200, page);
    await dashboard.app.close();
  });

  it(`a delivery with many attempts shows the newest ones on a page of at most 60 KB, on ${database}`, async () => {
    const dashboard = await openDashboardApp(await open());
    const { db, sealer, clock } = dashboard;
    await plantEndpoints(dashboard);
    const acme = { clientId: 'acme', state: 'dead', createdAt: clock.now } as const;
    await plantDelivery(dashboard, { ...acme, messageId: 'msg_many', attempt: {} });
    const answer = `${'<p>The server is down.'.repeat(45)}${'x'.repeat(100)}`;
    for (let number = 2; number <= 60; number += 1)
      await db.write(
        `INSERT INTO webhook_attempt (message_id, number, started_at, duration_ms, status, fault, answer)
         VALUES ('msg_many', :number, :now, 40, 502, :fault, :answer) RETURNING number`,
        {
          ...{ number, now: clock.now + number, fault: `It answered 502 in attempt ${number}` },
          answer: sealer.seal(answer, answerContext('msg_many')),
        },
      );
    const owner = await dashboard.signedIn('owner');

    const { body } = await owner.get('/dashboard/deliveries/acme/msg_many');

    assert.deepEqual(bytesProblems(body), []);
    const numbers = [...body.matchAll(/Attempt (\d+), 40 ms/g)].map(([, number]) => Number(number));
    assert.deepEqual(
      numbers,
      Array.from({ length: 50 }, (_, index) => 60 - index),
    );
    assert.match(body, /Failed <span class="code">502<\/span>/);
    assert.match(body, /<summary><code>&#60;p&#62;The server is down/);
    assert.match(body, /10 older attempts are not shown/);
    await dashboard.app.close();
  });
});

/** Plants accounts with calendars and history. The last one needs reconnecting. */
async function plantAccounts({ stores, db, clock }: DashboardApp, count: number): Promise<void> {
  await stores.users.loadOrCreateUser('acme', 'ada', clock.now);
  for (let number = 0; number < count; number += 1) {
    const display = `account-${number}@example.com`;
    const account = await stores.accounts.linkAccount(
      newAccount({ clientId: 'acme', userId: 'ada', accountId: display, display }),
      clock.now,
    );
    const state = number === count - 1 ? 'reauth_required' : 'degraded';
    const health = { state, reason: 'provider_unavailable', message: 'Unavailable. '.repeat(40) } as const;
    for (let times = 0; times < 5; times += 1) await stores.accounts.setHealth(account, health, clock.now);
    for (let calendar = 0; calendar < 6; calendar += 1)
      await db.write(
        `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, synced_at)
         VALUES (:key, :accountKey, :key, :calendar, :title, 'UTC', 'write', '{}', :now)`,
        {
          ...{ key: `${number} ${calendar}`, accountKey: account.accountKey, calendar, now: clock.now },
          title: `Calendar ${calendar} with a long title, as calendars of teams have`,
        },
      );
  }
  await grantAll(db, { clientId: 'acme', userId: 'ada' });
}
