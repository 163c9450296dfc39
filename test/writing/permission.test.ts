/** Writing for an application that may, to an account that was connected for reading only. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openBench } from '../providers/provider-bench.ts';

const INSERTS = { google: 'events.insert', microsoft: 'events.create' } as const;

describe('writing to an account that may only be read', () => {
  for (const kind of ['google', 'microsoft'] as const) {
    it(`is refused as a missing permission of the account, and ${kind} is not asked`, async () => {
      const bench = await openBench(kind);
      await bench.link({ scope: 'read' });
      const { health } = await bench.read();

      const answer = await bench.server.app.inject({
        method: 'POST',
        url: '/event',
        headers: { authorization: `Bearer ${await bench.server.token()}` },
        payload: {
          provider: kind,
          calendarId: bench.calendarId,
          title: 'Lunch',
          start: '2026-11-28T12:00:00Z',
          end: '2026-11-28T13:00:00Z',
        },
      });

      assert.equal(answer.statusCode, 403, answer.body);
      const { code, accounts } = answer.json();
      assert.deepEqual(
        [code, accounts.length, accounts[0].provider],
        ['calendar_permission_required', 1, kind],
      );
      assert.equal(bench.requests(INSERTS[kind]), 0);
      assert.deepEqual((await bench.read()).health, health);
      await bench.close();
    });
  }
});
