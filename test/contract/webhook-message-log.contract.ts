/** Contract tests for MessageLog. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { WorkSlots } from '../../src/lib/fair-slots/work-slots.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import type { Attempt } from '../../src/webhooks/message.ts';
import type { MessageFilter, MessageLog, MessagePlace } from '../../src/webhooks/message-log.ts';
import { NOW, tenTimes } from './calendar-rows.ts';
import { rowsIn } from './grant-rows.ts';
import { listIds, OF_ACME, openMessages } from './message-rows.ts';
import { takeTerms } from './take-terms.ts';

const LEASE = 32_000;
const good: Attempt = {
  startedAt: NOW,
  durationMs: 12,
  status: 204,
  fault: undefined,
  answer: undefined,
};
const bad: Attempt = { ...good, status: 500, fault: 'It answered 500', answer: 'no thanks' };

export function messageLogContract(database: string, open: () => Promise<Database>): void {
  const prepare = () => openMessages(open);
  const take = (messages: MessageLog, now = NOW, limit = 16) => {
    const slots = new WorkSlots('resend', { slots: limit });
    return messages.takeReplays(takeTerms(now, { leaseUntil: now + LEASE, slots, ofEndpoint: 16 }));
  };
  const taken = async (messages: MessageLog, now = NOW, limit = 16) =>
    (await take(messages, now, limit)).map(({ messageId }) => messageId);

  describe(`MessageLog on ${database}`, () => {
    it('a message is shown to its own application, with its body and its attempts in order', async () => {
      const { messages, add } = await prepare();
      await add('m1', { state: 'dead' });
      await messages.settleReplay('m1', bad, NOW + 1);
      await messages.settleReplay('m1', good, NOW + 2);

      const shown = await messages.findMessage('acme', 'm1', undefined);

      assert.deepEqual(shown, {
        ...{
          messageId: 'm1',
          clientId: 'acme',
          endpointId: 'we_acme',
          userId: 'ada',
          provider: 'caldav',
          calendarId: '/c0/',
          calendarTitle: 't',
        },
        ...{ sequence: 1, changeType: 'updated', eventCount: 2, state: 'delivered', reason: undefined },
        ...{ attempts: 3, nextAt: undefined, createdAt: NOW, settledAt: NOW + 2 },
        ...{ calendarKey: 'c0', shows: 'events', isOfTestUser: false, body: '{"of":"m1"}' },
        log: [
          { number: 1, ...bad },
          { number: 2, ...good },
        ],
      });
      assert.equal(await messages.findMessage('other', 'm1', undefined), undefined);
      assert.equal(await messages.findMessage('acme', 'm2', undefined), undefined);
    });

    it('messages are listed the newest first, in pages without gap or repetition', async () => {
      const { messages, add } = await prepare();
      for (const [index, id] of ['b', 'a', 'd', 'c', 'e'].entries())
        await add(id, { createdAt: NOW + (index % 2) });

      const paged: string[] = [];
      for (let after: { createdAt: number; messageId: string } | undefined; ; ) {
        const page = await messages.listMessages(OF_ACME, { after, limit: 2 });
        paged.push(...page.map(({ messageId }) => messageId));
        after = page.at(-1);
        if (after === undefined) break;
      }

      assert.deepEqual(paged, ['c', 'a', 'e', 'd', 'b']);
    });

    it('each filter leaves out what is not meant, and no filter shows what is another application’s', async () => {
      const { messages, add } = await prepare();
      await add('m1');
      await add('m2', { state: 'dead', provider: 'google', calendarId: '/c1/', createdAt: NOW + 10 });
      await add('m3', { clientId: 'other' });

      const filters: readonly [Omit<MessageFilter, 'clientId'>, readonly string[]][] = [
        [{}, ['m2', 'm1']],
        [{ state: 'dead' }, ['m2']],
        [{ state: 'pending' }, []],
        [{ userId: 'ada' }, ['m2', 'm1']],
        [{ userId: 'ben' }, []],
        [{ provider: 'google' }, ['m2']],
        [{ calendarId: '/c0/' }, ['m1']],
        [{ endpointId: 'we_acme' }, ['m2', 'm1']],
        [{ endpointId: 'we_other' }, []],
        [{ from: NOW + 10 }, ['m2']],
        [{ to: NOW + 10 }, ['m1']],
        [{ from: NOW, to: NOW + 11, provider: 'caldav' }, ['m1']],
      ];
      for (const [filter, ids] of filters)
        assert.deepEqual(await listIds(messages, { ...OF_ACME, ...filter }), ids, JSON.stringify(filter));
      assert.deepEqual(await listIds(messages, { clientId: 'other' }), ['m3']);
    });

    it('several applications are listed as one, and without any all are', async () => {
      const { messages, add } = await prepare();
      await add('m1');
      await add('m2', { clientId: 'other', createdAt: NOW + 1 });
      await add('m3', { state: 'dead', createdAt: NOW + 2 });

      const lists: readonly [MessageFilter, readonly string[]][] = [
        [{}, ['m3', 'm2', 'm1']],
        [{ state: 'delivered' }, ['m2', 'm1']],
        [{ from: NOW + 1, to: NOW + 2 }, ['m2']],
        [{ clientId: [] }, []],
        [{ clientId: ['other', 'acme', 'acme'] }, ['m3', 'm2', 'm1']],
        [{ clientId: ['other'], endpointId: 'we_acme' }, []],
        [{ clientId: ['other', 'acme'], endpointId: 'we_acme' }, ['m3', 'm1']],
        [{ endpointId: 'we_other' }, ['m2']],
        [{ endpointId: 'we_nobody' }, []],
      ];
      for (const [filter, ids] of lists) {
        assert.deepEqual(await listIds(messages, filter), ids, JSON.stringify(filter));
        const paged: string[] = [];
        for (let after: MessagePlace | undefined; ; ) {
          after = (await messages.listMessages(filter, { after, limit: 1 }))[0];
          if (after === undefined) break;
          paged.push(after.messageId);
        }
        assert.deepEqual(paged, ids, JSON.stringify(filter));
      }
    });

    it('the attempts are had without the body, and what would be replayed is counted up to a limit', async () => {
      const { messages, add } = await prepare();
      for (const id of ['m1', 'm2', 'm3']) await add(id, { state: 'dead' });
      await add('m4', { clientId: 'other', state: 'dead' });
      await messages.settleReplay('m1', bad, NOW + 1);

      const { log, ...rest } = (await messages.findAttempts('acme', 'm1')) ?? {};
      assert.deepEqual(log, [{ number: 1, ...bad }]);
      assert.equal('body' in rest, false);
      assert.equal(await messages.findAttempts('other', 'm1'), undefined);
      assert.equal(await messages.countReplays({ ...OF_ACME, state: 'dead' }, 10), 3);
      assert.equal(await messages.countReplays({ ...OF_ACME, state: 'dead' }, 2), 2);
      await messages.askReplay('acme', 'm2', { now: NOW, by: undefined });
      assert.equal(await messages.countReplays({ ...OF_ACME, state: 'dead' }, 10), 2);
    });

    it('a replay that is asked for is given to exactly one of ten callers, with what it takes to send it', async () => {
      const { messages, add } = await prepare();
      await add('m1');
      assert.equal(await messages.askReplay('acme', 'm1', { now: NOW, by: undefined }), true);

      const all = await tenTimes(() => take(messages));

      assert.deepEqual(all.flat(), [
        {
          ...{ messageId: 'm1', calendarKey: 'c0', shows: 'events', body: '{"of":"m1"}' },
          ...{ clientId: 'acme', userId: 'ada' },
          ...{ url: 'https://acme.example/in', privateNetwork: 0, secrets: [{ secret: 'whsec_acme' }] },
          place: { clientId: 'acme', owner: 'we_acme', host: 'https://acme.example' },
        },
      ]);
      assert.deepEqual(await taken(messages, NOW + LEASE - 1), []);
      assert.deepEqual(await taken(messages, NOW + LEASE), ['m1'], 'whoever took it has died');
    });

    it('ten callers take ten replays between them, each once', async () => {
      const { messages, add } = await prepare();
      for (let index = 0; index < 10; index += 1) await add(`m${index}`);
      assert.equal(await messages.askReplays(OF_ACME, { now: NOW, limit: 100, by: undefined }), 10);

      const ids = (await tenTimes(() => taken(messages, NOW, 1))).flat();
      // A caller may get nothing while the others take theirs, so the rest is taken by another call.
      ids.push(...(await taken(messages)));

      assert.deepEqual(
        ids.toSorted(),
        Array.from({ length: 10 }, (_, index) => `m${index}`),
      );
    });

    it('of ten who ask for replays of a range at once each message is counted by one', async () => {
      const { messages, add } = await prepare();
      for (let index = 0; index < 6; index += 1) await add(`m${index}`);

      const counts = await tenTimes(() =>
        messages.askReplays(OF_ACME, { now: NOW, limit: 100, by: undefined }),
      );

      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        6,
      );
      assert.equal((await taken(messages)).length, 6);
    });

    it('of a range the oldest are asked for, as many as may be, and of the application alone', async () => {
      const { messages, add } = await prepare();
      await add('old', { createdAt: NOW - 2 });
      await add('older', { createdAt: NOW - 3 });
      await add('new');
      await add('dead', { createdAt: NOW - 9, state: 'dead' });
      await add('theirs', { clientId: 'other', createdAt: NOW - 4 });

      assert.equal(
        await messages.askReplays(
          { ...OF_ACME, state: 'delivered', from: NOW - 5 },
          { now: NOW, limit: 2, by: undefined },
        ),
        2,
      );

      assert.deepEqual((await taken(messages)).toSorted(), ['old', 'older']);
      assert.equal(
        await messages.askReplays({ ...OF_ACME, state: 'delivered' }, { now: NOW, limit: 1, by: undefined }),
        1,
      );
      assert.deepEqual(await taken(messages), ['new'], 'of those that nobody asked for yet');
      assert.equal(await messages.askReplay('acme', 'theirs', { now: NOW, by: undefined }), false);
      assert.equal(await messages.askReplay('acme', 'none', { now: NOW, by: undefined }), false);
    });

    it('one that is asked for again while it is being sent is not given to another', async () => {
      const { messages, add } = await prepare();
      await add('m1');
      await messages.askReplay('acme', 'm1', { now: NOW, by: undefined });
      await take(messages);

      await messages.askReplay('acme', 'm1', { now: NOW + 1, by: undefined });
      await messages.askReplays(OF_ACME, { now: NOW + 1, limit: 100, by: undefined });

      assert.deepEqual(await taken(messages, NOW + 2), []);
      await messages.settleReplay('m1', good, NOW + 3);
      assert.deepEqual(await taken(messages, NOW + LEASE), []);
    });

    it('a replay of a paused endpoint waits until it is resumed', async () => {
      const { endpoints, messages, add } = await prepare();
      await add('m1');
      await messages.askReplay('acme', 'm1', { now: NOW, by: undefined });
      await endpoints.pauseEndpoint('we_acme', NOW, undefined);

      assert.deepEqual(await taken(messages), []);
      await endpoints.resumeEndpoint('we_acme', undefined);
      assert.deepEqual(await taken(messages), ['m1']);
    });

    it('a replay that succeeds delivers what was dead, and one that fails changes nothing', async () => {
      const { messages, add } = await prepare();
      for (const id of ['good', 'bad']) await add(id, { state: 'dead', reason: 'The last attempt failed' });

      await messages.settleReplay('good', good, NOW + 1);
      await messages.settleReplay('bad', bad, NOW + 1);

      const [delivered, dead] = [
        await messages.findMessage('acme', 'good', undefined),
        await messages.findMessage('acme', 'bad', undefined),
      ];
      assert.deepEqual(
        [delivered?.state, delivered?.reason, delivered?.settledAt],
        ['delivered', undefined, NOW + 1],
      );
      assert.deepEqual([dead?.state, dead?.reason, dead?.log.length], ['dead', 'The last attempt failed', 1]);
    });

    it('a replay of what its stream is still trying leaves that to its stream', async () => {
      const { messages, add } = await prepare();
      await add('m1', { state: 'pending' });
      await messages.askReplay('acme', 'm1', { now: NOW, by: undefined });
      await take(messages);
      await messages.settleReplay('m1', good, NOW + 1);

      const shown = await messages.findMessage('acme', 'm1', undefined);
      assert.deepEqual([shown?.state, shown?.nextAt, shown?.settledAt], ['pending', NOW + 5, undefined]);
    });

    it('of ten attempts that are logged at once each has a number of its own', async () => {
      const { messages, add } = await prepare();
      await add('m1');

      await tenTimes((i) => messages.settleReplay('m1', { ...good, durationMs: i }, NOW));

      const { log = [] } = (await messages.findMessage('acme', 'm1', undefined)) ?? {};
      assert.deepEqual(
        log.map(({ number }) => number),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      );
      assert.equal(new Set(log.map(({ durationMs }) => durationMs)).size, 10);
    });

    it('what is older is deleted with its attempts, but for what is being tried', async () => {
      const { db, messages, add } = await prepare();
      await add('old', { createdAt: NOW - 1 });
      await add('tried', { createdAt: NOW - 1, state: 'pending' });
      await add('new');
      await messages.settleReplay('old', good, NOW);

      assert.equal(await messages.deleteOldMessages(NOW), 1);

      assert.deepEqual(await listIds(messages), ['new', 'tried']);
      assert.equal(await rowsIn(db, 'webhook_attempt'), 0);
    });

    it('bodies and answers are in no column as they were sent', async () => {
      const { db, messages, add } = await prepare();
      await add('m1');
      await messages.settleReplay('m1', bad, NOW);

      const rows = JSON.stringify([
        await db.all('SELECT * FROM webhook_message'),
        await db.all('SELECT * FROM webhook_attempt'),
        await db.all('SELECT * FROM webhook_endpoint'),
      ]);
      for (const secret of ['"of"', 'no thanks', 'whsec_']) assert.ok(!rows.includes(secret), secret);
    });
  });
}
