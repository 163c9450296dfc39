/** Receivers that fail, and the limits of deliveries: nothing is lost, and nothing is sent without permission. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { unhealthyEndpoints } from '../../src/store/webhooks/unhealthy-endpoints.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';

const HOUR = 3_600_000;
/** How often the worker looks for due deliveries: each attempt is late by up to this. */
const LOOK_MS = 10 * 60_000;
const start = '2026-11-20T09:00:00';

onEachDatabase((database, open) => {
  describe(`deliveries that fail, on ${database}`, () => {
    let telling: DeliveryServer;
    beforeEach(async () => {
      telling = await openDeliveryServer({ db: await open() });
      for (const href of ['/work/', '/home/', '/club/']) {
        telling.server.provider.addCalendar(calendar(href));
        telling.server.provider.put(href, resource(`${href}a`, event(start)));
      }
      await link(telling.server);
      await telling.server.token('read');
      await telling.sync();
      await telling.deliver();
      telling.receiver.received.length = 0;
    });
    afterEach(() => telling.close());

    const change = async (href: string, title: string) => {
      telling.server.provider.put(href, resource(`${href}a`, event(start, { title })));
      await telling.sync();
      await telling.deliver();
    };
    const later = async (milliseconds: number) => {
      telling.server.clock.now += milliseconds;
      await telling.deliver();
    };
    const endpoint = async () => {
      const [row] = await telling.server.db.all<Record<string, unknown>>(
        'SELECT state, paused_reason AS "reason", failures FROM webhook_endpoint',
      );
      return { ...row };
    };
    const messages = async () => {
      const rows = await telling.server.db.all<Record<string, unknown>>(
        'SELECT state, attempts, calendar_id AS "calendarId" FROM webhook_message WHERE sequence > 1 ORDER BY calendar_id, sequence',
      );
      return rows.map((row) => ({ ...row }));
    };
    const calendars = () => telling.receiver.received.map(({ body }) => body.calendarId);

    it('after ten attempts in 75 to 81 hours the message is dead and the stream continues', async () => {
      telling.receiver.answer = () => ({ status: 500 });
      await change('/work/', 'one');
      const times: number[] = [];
      for (let waited = 0; waited < 90 * HOUR; waited += LOOK_MS) {
        const before = telling.receiver.received.length;
        await later(LOOK_MS);
        if (telling.receiver.received.length > before) times.push(telling.server.clock.now);
      }

      assert.equal(telling.receiver.received.length, 10);
      assert.deepEqual(await messages(), [{ state: 'dead', attempts: 10, calendarId: '/work/' }]);
      const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
      // Delays of 75.6 hours, up to 5 % more at random, and the look that comes up to ten minutes late.
      assert.ok(span > 75 * HOUR && span < 81 * HOUR, String(span / HOUR));
      telling.receiver.answer = () => ({ status: 204 });
      await change('/work/', 'two');
      assert.equal(telling.receiver.received.at(-1)?.body.metadata.sequence, 3);
      const counted = telling.server.deps.activityNotes.noted;
      assert.equal(counted.filter((one) => one === 'acme failed').length, 10);
      assert.ok(counted.at(-1) === 'acme delivered');
    });

    it('an endpoint is unhealthy once it has failed for a minute, until a delivery succeeds', async () => {
      const { db, clock } = telling.server;
      const unhealthy = async () =>
        (await unhealthyEndpoints(db).listUnhealthy({ now: clock.now })).map(({ url, lastFault }) => ({
          url,
          lastFault,
        }));
      telling.receiver.answer = () => ({ status: 502 });
      await change('/work/', 'one');
      assert.deepEqual(await unhealthy(), []);

      clock.now += 60_000;
      const { url } = telling.receiver;
      assert.deepEqual(await unhealthy(), [{ url, lastFault: 'It answered 502' }]);

      telling.receiver.answer = () => ({ status: 204 });
      await later(6_000);
      assert.deepEqual(await unhealthy(), []);
    });

    it('attempts and resends are counted for their endpoint, failures too', async () => {
      const { messages, activityNotes } = telling.server.deps;
      const { attempted } = activityNotes;
      const [first = ''] = (await messages.listMessages({}, { after: undefined, limit: 1 })).map(
        ({ messageId }) => messageId,
      );
      const before = attempted.length;
      telling.receiver.answer = () => ({ status: 500 });
      await change('/work/', 'one');
      telling.receiver.answer = () => ({ status: 204 });
      await messages.askReplay('acme', first, { now: telling.server.clock.now, by: undefined });
      await telling.resend();

      assert.deepEqual(attempted.slice(before), ['we_acme failed', 'we_acme delivered']);
    });

    it('after five failures in a row one message tries the endpoint, and the first success lets all go', async () => {
      telling.receiver.answer = () => ({ status: 500 });
      for (const href of ['/work/', '/home/', '/club/']) await change(href, 'one');
      await later(6_000);
      await later(6_000);
      assert.ok(Number((await endpoint()).failures) >= 5);
      telling.receiver.received.length = 0;
      await later(HOUR);
      assert.equal(telling.receiver.received.length, 1);

      telling.receiver.answer = () => ({ status: 204 });
      telling.receiver.received.length = 0;
      await later(HOUR);

      assert.deepEqual(calendars().sort(), ['/club/', '/home/', '/work/']);
      assert.equal((await endpoint()).failures, 0);
    });

    it('sets a message aside that is refused six times while others are taken', async () => {
      telling.receiver.answer = ({ body }) => ({ status: body.calendarId === '/work/' ? 400 : 204 });
      await change('/work/', 'bad');
      for (let count = 0; count < 30; count += 1) {
        await change('/home/', `good ${count}`);
        await later(40 * 60_000);
      }

      const [bad] = (await messages()).filter(({ calendarId }) => calendarId === '/work/');
      assert.deepEqual(bad, { state: 'dead', attempts: 6, calendarId: '/work/' });
      assert.equal((await endpoint()).state, 'active');
    });

    it('410 pauses the endpoint at once, and changes meanwhile are delivered when it is resumed', async () => {
      telling.receiver.answer = () => ({ status: 410 });
      await change('/work/', 'one');
      telling.receiver.answer = () => ({ status: 204 });
      telling.receiver.received.length = 0;
      await change('/home/', 'two');
      await later(HOUR);
      assert.deepEqual(await endpoint(), { state: 'paused', reason: 'gone', failures: 1 });
      assert.deepEqual(calendars(), []);

      const { deps, clock } = telling.server;
      await deps.clients.updateClient(
        'acme',
        { webhookUrl: telling.receiver.url },
        { now: clock.now, by: undefined },
      );
      await later(HOUR);

      assert.deepEqual(calendars().sort(), ['/home/', '/work/']);
    });

    it('pauses an endpoint after five days of nothing but failures', async () => {
      telling.receiver.answer = () => ({ status: 500 });
      for (let day = 0; day < 40; day += 1) {
        await change('/work/', `day ${day}`);
        await later(4 * HOUR);
      }

      assert.deepEqual((await endpoint()).reason, 'failing');
    });

    it('keeps Retry-After', async () => {
      telling.receiver.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
      await change('/work/', 'one');
      await later(50 * 60_000);
      assert.equal(telling.receiver.received.length, 1);
      await later(15 * 60_000);

      assert.equal(telling.receiver.received.length, 2);
    });

    it('takes redirects, garbage and answers that are too large for failures', async () => {
      const answers = [
        { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
        { status: 200, text: 'x'.repeat(70_000) },
      ];
      telling.receiver.answer = () => answers.shift() ?? { status: 204 };
      await change('/work/', 'one');
      await later(6_000);

      const faults = await telling.server.db.all<{ status: number | undefined; fault: string | undefined }>(
        'SELECT status, fault FROM webhook_attempt WHERE fault IS NOT NULL ORDER BY started_at',
      );
      assert.equal(faults[0]?.status, 302);
      assert.match(faults[0]?.fault ?? '', /redirects are not followed/);
      assert.equal(faults.length, 2);
    });

    it('a receiver that is not there costs its own stream alone', async () => {
      await telling.server.deps.clients.updateClient(
        'acme',
        { webhookUrl: 'http://127.0.0.1:9/hook' },
        { now: telling.server.clock.now, by: undefined },
      );
      await change('/work/', 'one');

      const [attempt] = await telling.server.db.all<{ fault: string }>(
        'SELECT fault FROM webhook_attempt WHERE fault IS NOT NULL',
      );
      assert.match(attempt?.fault ?? '', /could not be reached|did not respond/);
      assert.equal((await messages())[0]?.state, 'pending');
    });

    it('removes from a waiting message everything that is not allowed when it is sent', async () => {
      telling.receiver.answer = () => ({ status: 500 });
      await change('/work/', 'Secret title');
      await telling.server.db.write(
        "UPDATE token_family SET scope = 'free-busy' WHERE client_id = 'acme' RETURNING family_id",
      );
      telling.receiver.answer = () => ({ status: 204 });
      telling.receiver.received.length = 0;
      await later(HOUR);

      const [sent] = telling.receiver.received;
      assert.ok(sent !== undefined);
      // A new title is nothing that free-busy sees.
      assert.deepEqual(sent.body.events, []);
      assert.ok(!sent.raw.includes('Secret'));
    });

    it('tells nothing once no grant lives, and begins at the present with a new one', async () => {
      telling.receiver.answer = () => ({ status: 500 });
      await change('/work/', 'before');
      await telling.server.db.write(
        "UPDATE token_family SET ended_at = 1 WHERE client_id = 'acme' RETURNING family_id",
      );
      telling.receiver.answer = () => ({ status: 204 });
      telling.receiver.received.length = 0;
      await later(HOUR);
      await change('/home/', 'unseen');
      await telling.server.token('read');
      await later(HOUR);
      assert.deepEqual(calendars(), []);
      assert.equal((await messages())[0]?.state, 'withheld');

      await change('/home/', 'seen');

      assert.deepEqual(
        telling.receiver.received.map(({ body }) => body.events[0]?.title),
        ['seen'],
      );
    });

    it('a stream says that it skips changes from before a new grant which replaced the previous one', async () => {
      const { db, clock } = telling.server;
      await db.write("UPDATE webhook_endpoint SET state = 'paused'");
      await change('/work/', 'before');
      clock.now += HOUR;
      await db.write("UPDATE token_family SET ended_at = 1 WHERE client_id = 'acme'");
      await telling.server.token('read');
      await change('/home/', 'after');
      await db.write("UPDATE webhook_endpoint SET state = 'active'");
      await telling.deliver();
      await change('/work/', 'later');

      const sent = telling.receiver.received.map(({ body: { calendarId, events, metadata } }) =>
        [calendarId, events[0]?.title, metadata.reset].join(' '),
      );
      assert.deepEqual(sent.sort(), ['/home/ after ', '/work/  true', '/work/ later ']);
    });

    it('sends nothing of an account that was disconnected while messages wait', async () => {
      telling.receiver.answer = () => ({ status: 500 });
      await change('/work/', 'one');
      const { deps, clock } = telling.server;
      const [account] = await deps.accounts.listAccounts('acme', 'ada');
      await deps.accounts.removeAccount(account?.accountKey ?? '', clock.now, undefined);
      telling.receiver.answer = () => ({ status: 204 });
      telling.receiver.received.length = 0;
      await later(6 * HOUR);

      assert.deepEqual(calendars(), []);
      assert.deepEqual(await messages(), []);
    });

    it('a waiting message is withheld when its provider no longer lists its calendar, and then deleted in time', async () => {
      telling.receiver.answer = () => ({ status: 500 });
      await change('/work/', 'one');
      telling.server.provider.calendars.delete('/work/');
      await telling.sync();

      assert.deepEqual(await messages(), [{ state: 'withheld', attempts: 1, calendarId: '/work/' }]);
      await telling.deps.messages.deleteOldMessages(telling.server.clock.now + 1);
      assert.deepEqual(await messages(), []);
    });

    it('a stream that waited longer than changes are stored says so and continues from the present', async () => {
      await telling.server.db.write("UPDATE webhook_endpoint SET state = 'paused' RETURNING endpoint_id");
      await change('/work/', 'long ago');
      telling.server.clock.now += 31 * 24 * HOUR;
      await telling.server.db.write("UPDATE webhook_endpoint SET state = 'active' RETURNING endpoint_id");
      await telling.deliver();
      await change('/work/', 'now');

      const [reset, next] = telling.receiver.received;
      assert.equal(reset?.body.metadata.reset, true);
      assert.deepEqual(reset?.body.events, []);
      assert.equal(next?.body.events[0]?.title, 'now');
    });

    it('a stream with a waiting message also says that changes behind it were deleted during a long pause', async () => {
      const { deps, clock } = telling.server;
      telling.receiver.answer = () => ({ status: 410 });
      await change('/work/', 'waits');
      await change('/work/', 'deleted');
      for (let day = 0; day < 40; day += 1) {
        clock.now += 24 * HOUR;
        await deps.changes.forgetChanges(clock.now - 30 * 24 * HOUR);
      }
      telling.receiver.answer = () => ({ status: 204 });
      telling.receiver.received.length = 0;
      await telling.deps.endpoints.resumeEndpoint('we_acme', undefined);
      await telling.deliver();

      const sent = telling.receiver.received.map(({ body }) => [body.events[0]?.title, body.metadata.reset]);
      assert.deepEqual(sent, [
        ['waits', undefined],
        [undefined, true],
      ]);
    });

    it('keeps neither bodies nor secrets in plain bytes of the database', async () => {
      telling.receiver.answer = () => ({ status: 500, text: 'answer-canary' });
      await change('/work/', 'one');
      const rows = await telling.server.db.all(
        'SELECT m.body, t.answer FROM webhook_message m JOIN webhook_attempt t ON t.message_id = m.message_id',
      );

      assert.ok(!JSON.stringify(rows).includes('answer-canary'));
      assert.ok(!JSON.stringify(rows).includes('"title"'));
    });
  });
});
