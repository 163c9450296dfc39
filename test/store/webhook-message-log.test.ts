import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';

import { createSealer } from '../../src/lib/sealing.ts';
import { messageLog } from '../../src/store/webhooks/webhook-message-log.ts';
import type { MessageFilter } from '../../src/webhooks/message-log.ts';
import { messageLogContract } from '../contract/webhook-message-log.contract.ts';
import { retryingMessagesContract } from '../contract/webhook-message-retrying.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(messageLogContract);
onEachDatabase(retryingMessagesContract);

const times = { from: 1, to: 2 };
const acme = { clientId: 'acme' };
const LISTS: readonly (readonly [index: string, filter: MessageFilter])[] = [
  ['of_all', {}],
  ['of_all', times],
  ['of_all', { state: 'dead', ...times }],
  ['by_state', acme],
  ['by_state', { clientId: ['acme', 'other'], ...times }],
  ['by_state', { ...acme, state: 'dead', ...times }],
  ['of_user', { ...acme, userId: 'ada' }],
  ['of_user', { ...acme, userId: 'ada', state: 'dead', calendarId: 'c', endpointId: 'e', ...times }],
  ['of_calendar', { ...acme, calendarId: 'c', state: 'dead' }],
  ['retrying_of_all', { state: 'retrying' }],
  ['retrying_of_all', { state: 'retrying', ...times }],
  ['retrying', { ...acme, state: 'retrying', ...times }],
  ['retrying', { clientId: ['acme', 'other'], state: 'retrying' }],
  ['of_user', { ...acme, userId: 'ada', state: 'retrying' }],
  ['of_calendar', { ...acme, calendarId: 'c', state: 'retrying' }],
  ['of_endpoint', { ...acme, endpointId: 'we_acme', state: 'retrying' }],
  ['of_endpoint', { endpointId: 'we_acme', ...times }],
  ['of_endpoint', { ...acme, endpointId: 'we_acme', state: 'dead' }],
];

onEachDatabase((database, open) => {
  // PostgreSQL decides by what it knows of a table, which is nothing here.
  if (database !== 'SQLite') return;
  it('every list of deliveries is read from one index, in its order', async () => {
    const db = await open();
    const asked: [string, Parameters<typeof db.all>[1]][] = [];
    const noting = Object.assign(Object.create(db), {
      get: async () => ({ clientId: 'acme' }),
      all: async (...query: [string, Parameters<typeof db.all>[1]]) => {
        asked.push(query);
        return [];
      },
    });
    const log = messageLog(noting, createSealer(randomBytes(32)));
    for (const [index, filter] of LISTS)
      for (const after of [undefined, { createdAt: 5, messageId: 'm' }]) {
        asked.length = 0;
        await log.listMessages(filter, { after, limit: 50 });

        assert.ok(asked.length > 0);
        for (const [sql, values] of asked) {
          const plan = JSON.stringify(await db.all(`EXPLAIN QUERY PLAN ${sql}`, values));
          assert.match(plan, new RegExp(`USING (?:COVERING )?INDEX webhook_message_${index}\\b`), sql);
          assert.doesNotMatch(plan, /TEMP B-TREE/, sql);
        }
      }
  });
});
