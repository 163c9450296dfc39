/** Lines of the log: what an access line says of a request, and that none is written that the table does not have. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Log } from '../../src/lib/log.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { openSmallServer, type SmallServer } from './small-server.ts';

const CANARY = 'canary-4711';

let server: SmallServer;
before(async () => {
  server = await openSmallServer({ loggedAnswers: 'access', trustProxy: 1 }, (app) => {
    app.post('/users/:id', async (request) => {
      request.asker = { clientId: 'acme', userId: CANARY };
      return { title: CANARY };
    });
    app.get('/claimed', async (request) => {
      request.asker = { clientId: CANARY, isClaimed: true };
      return {};
    });
  });
});
after(() => server?.close());

describe('Access lines', () => {
  it('say what was called by whom and how it ended, and nothing that was sent or answered', async () => {
    const answer = await server.app.inject({
      method: 'POST',
      url: `/users/${CANARY}?token=${CANARY}`,
      headers: {
        authorization: `Bearer ${CANARY}`,
        cookie: CANARY,
        'user-agent': CANARY,
        'x-forwarded-for': `${CANARY}, 203.0.113.9`,
      },
      payload: { secret: CANARY },
    });

    const { level, fields } = server.entries.at(-1) ?? {};
    const { ms, ...rest } = fields as { ms: number };
    assert.equal(level, 'info');
    assert.ok(Number.isInteger(ms));
    assert.deepEqual(rest, {
      event: 'access',
      method: 'POST',
      route: '/users/:id',
      status: 200,
      requestId: answer.headers['x-request-id'],
      application: 'acme',
      address: '203.0.113.9',
    });
    assert.doesNotMatch(JSON.stringify(server.entries), new RegExp(CANARY));
  });

  it('name no application that the caller did not prove', async () => {
    await server.app.inject({ url: '/claimed' });

    assert.doesNotMatch(JSON.stringify(server.entries.at(-1)), new RegExp(CANARY));
  });

  it('name no route and no application where there is none', async () => {
    await server.app.inject({ url: `/${CANARY}` });

    const { fields } = server.entries.at(-1) ?? {};
    assert.equal(JSON.stringify(fields).includes(CANARY), false);
    assert.deepEqual({ route: undefined, application: undefined, status: 404, ...fields }, fields);
  });
});

describe('The log', () => {
  it('takes no line that the table of events does not have', () => {
    const { log, entries }: { log: Log; entries: readonly object[] } = recordingLog();
    // @ts-expect-error: it is of no event.
    log.info({ clientId: 'acme' }, 'Something happened');
    // @ts-expect-error: the table has it at level warn.
    log.info({ event: 'client_refused', clientId: 'acme' }, 'Client authentication failed');
    // @ts-expect-error: the table has no such field beside it.
    log.warn({ event: 'client_refused', clientSecret: 'acme' }, 'Client authentication failed');

    assert.equal(entries.length, 3);
  });
});
