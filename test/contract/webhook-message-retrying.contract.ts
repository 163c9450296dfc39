/** Contract tests for the lists of MessageLog: messages that are retried, calendar titles and test users. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import type { MessageFilter, ReplayFilter } from '../../src/webhooks/message-log.ts';
import { NOW } from './calendar-rows.ts';
import { listIds, OF_ACME, openMessages } from './message-rows.ts';
import { takeTerms } from './take-terms.ts';

export function retryingMessagesContract(database: string, open: () => Promise<Database>): void {
  describe(`MessageLog on ${database}, retries and titles`, () => {
    it('a pending message with an attempt is being retried, whatever else the filter has', async () => {
      const { messages, add } = await openMessages(open);
      await add('tried', { state: 'pending' });
      await add('tried-later', { state: 'pending', createdAt: NOW + 1 });
      await add('new', { state: 'pending', attempts: 0, createdAt: NOW + 2 });
      await add('dead', { state: 'dead' });
      await add('theirs', { state: 'pending', clientId: 'other', createdAt: NOW - 1 });

      const own = ['tried-later', 'tried'];
      const filters: readonly [MessageFilter, readonly string[]][] = [
        [OF_ACME, own],
        [{}, [...own, 'theirs']],
        [{ clientId: ['acme', 'other'] }, [...own, 'theirs']],
        [{ ...OF_ACME, userId: 'ada' }, own],
        [{ ...OF_ACME, calendarId: '/c0/', provider: 'caldav' }, own],
        [{ endpointId: 'we_acme' }, own],
        [{ ...OF_ACME, from: NOW + 1 }, ['tried-later']],
      ];
      for (const [filter, ids] of filters)
        assert.deepEqual(
          await listIds(messages, { ...filter, state: 'retrying' }),
          ids,
          JSON.stringify(filter),
        );
      assert.deepEqual(await listIds(messages, { ...OF_ACME, state: 'pending' }), ['new', ...own]);
    });

    it('messages that are being retried are counted and resent like those of a state', async () => {
      const { messages, add } = await openMessages(open);
      await add('tried', { state: 'pending' });
      await add('new', { state: 'pending', attempts: 0 });
      const retrying: ReplayFilter = { ...OF_ACME, state: 'retrying' };

      assert.equal(await messages.countReplays(retrying, 10), 1);
      assert.equal(await messages.askReplays(retrying, { now: NOW, limit: 10, by: undefined }), 1);

      assert.equal(await messages.countReplays(retrying, 10), 0);
      const due = await messages.takeReplays(takeTerms(NOW));
      assert.deepEqual(
        due.map(({ messageId }) => messageId),
        ['tried'],
      );
    });

    it('a listed message has the title of its calendar until the calendar is deleted', async () => {
      const { db, messages, add } = await openMessages(open);
      await add('m1');
      const titles = async (filter: MessageFilter) =>
        (await messages.listMessages(filter, { after: undefined, limit: 9 })).map((one) => one.calendarTitle);
      for (const filter of [OF_ACME, {}]) assert.deepEqual(await titles(filter), ['t']);

      await db.write(`DELETE FROM calendar WHERE calendar_key = 'c0'`);

      assert.deepEqual(await titles(OF_ACME), [undefined]);
    });

    it('a message of a test user says so', async () => {
      const { db, messages, add } = await openMessages(open);
      await add('m1');
      await db.write(
        `INSERT INTO person (person_id, name, login, role, created_at) VALUES ('p1', 'A', 'a', 'owner', 1)`,
      );
      await db.write(
        `INSERT INTO playground_user (client_id, user_id, person_id, created_at, ends_at)
         VALUES ('acme', 'ada', 'p1', 1, 2)`,
      );

      assert.equal((await messages.findAttempts('acme', 'm1'))?.isOfTestUser, true);
      assert.equal((await messages.findMessage('acme', 'm1', undefined))?.isOfTestUser, true);
    });
  });
}
