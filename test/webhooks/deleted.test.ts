/** Deleting an application or a user ends its deliveries: those that wait, are under way, or are to be resent. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';

const HOUR = 3_600_000;

type Deleting = readonly [what: string, deletion: (telling: DeliveryServer) => Promise<unknown>];

const DELETIONS: readonly Deleting[] = [
  [
    'an application',
    ({ server: { deps, clock } }) => deps.clients.deleteClient('acme', clock.now, undefined),
  ],
  [
    'a user',
    ({ server: { deps, clock } }) => deps.users.deleteUser('acme', 'ada', { now: clock.now, by: undefined }),
  ],
];

onEachDatabase((database, open) => {
  describe(`deliveries and deletions, on ${database}`, () => {
    let telling: DeliveryServer;
    beforeEach(async () => {
      telling = await openDeliveryServer({ db: await open() });
      telling.server.provider.addCalendar(calendar('/work/'));
      telling.server.provider.put('/work/', resource('a', event('2026-11-20T09:00:00')));
      await link(telling.server);
      await telling.server.token('read');
      await telling.sync();
      await telling.server.db.write(
        'UPDATE webhook_endpoint SET hears_connections = 1 RETURNING endpoint_id',
      );
      await telling.deliver();
    });
    afterEach(() => telling.close());

    /** The next deliveries are an event and a note of the connection. */
    const change = async (title: string) => {
      const { server } = telling;
      server.provider.put('/work/', resource('a', event('2026-11-20T09:00:00', { title })));
      await telling.sync();
      const [account] = await server.deps.accounts.listAccounts('acme', 'ada');
      const problem = { state: 'degraded', reason: 'provider_unavailable', message: title } as const;
      assert.ok(account !== undefined);
      await server.deps.accounts.setHealth(account, problem, server.clock.now);
      telling.receiver.received.length = 0;
    };
    /** Holds the receiver's answers back until they are let go. Resolves when `count` requests wait for theirs. */
    const holdAnswers = (count: number, statuses: readonly number[]) => {
      const arrived = Promise.withResolvers<void>();
      const answers = Promise.withResolvers<void>();
      telling.receiver.answer = () => {
        const number = telling.receiver.received.length;
        if (number === count) arrived.resolve();
        const status = statuses[number % statuses.length] ?? 204;
        return answers.promise.then(() => ({ status }));
      };
      return { arrived: arrived.promise, letGo: answers.resolve };
    };
    /** Nothing is sent, nothing of it is left, and nothing went wrong. */
    const assertOver = async (sent: number) => {
      const { server, receiver } = telling;
      receiver.answer = () => ({ status: 204 });
      for (let count = 0; count < 3; count += 1) {
        server.clock.now += 6 * HOUR;
        await telling.deliver();
        await telling.resend();
      }

      assert.equal(receiver.received.length, sent);
      for (const table of ['webhook_stream', 'webhook_message', 'webhook_attempt'])
        assert.deepEqual(await server.db.all(`SELECT 1 AS "one" FROM ${table}`), [], table);
      const faults = server.log.lines.filter((line) => /^(?:warn|error)/.test(line));
      assert.deepEqual(faults, []);
    };

    for (const [what, deletion] of DELETIONS) {
      it(`${what} that is deleted gets no more deliveries, neither those that waited nor retries`, async () => {
        telling.receiver.answer = () => ({ status: 500 });
        await change('to be tried again');
        await telling.deliver();
        await change('waits');

        await deletion(telling);

        await assertOver(0);
      });

      it(`${what} that is deleted while deliveries are under way: what they are answered changes nothing`, async () => {
        await change('under way');
        const held = holdAnswers(2, [204, 500]);
        const delivered = telling.deliver();
        await held.arrived;

        await deletion(telling);
        held.letGo();
        await delivered;

        await assertOver(2);
      });

      it(`${what} that is deleted: what was taken and not sent yet is not sent`, async () => {
        await change('taken');
        const { streams } = telling.deps;
        const took = Promise.withResolvers<void>();
        const goOn = Promise.withResolvers<void>();
        const takeStreams = streams.takeStreams.bind(streams);
        Object.assign(streams, {
          async takeStreams(terms: Parameters<typeof takeStreams>[0]) {
            const taken = await takeStreams(terms);
            took.resolve();
            await goOn.promise;
            return taken;
          },
        });
        const delivered = telling.deliver();
        await took.promise;

        await deletion(telling);
        goOn.resolve();
        await delivered;

        await assertOver(0);
      });

      it(`${what} that is deleted: a replay that was asked for is not sent, and one under way does no harm`, async () => {
        await change('told');
        await telling.deliver();
        telling.receiver.received.length = 0;
        const { messages } = telling.deps;
        const asked = await messages.askReplays(
          { clientId: 'acme' },
          { now: telling.server.clock.now, limit: 100, by: undefined },
        );
        const held = holdAnswers(asked, [204, 500]);
        const replayed = telling.resend();
        await held.arrived;
        // As if they were asked for again.
        await telling.server.db.write('UPDATE webhook_message SET replay_at = 1 RETURNING message_id');

        await deletion(telling);
        held.letGo();
        await replayed;

        assert.ok(asked >= 3);
        await assertOver(asked);
      });
    }
  });
});
