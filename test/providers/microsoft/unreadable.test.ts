/** Exceptions from Graph that cannot be read: left out of their series by name, until they are repaired. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { Changes, OAuthCredentials } from '../../../src/calendars/calendar-provider.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { microsoftProvider } from '../../../src/providers/microsoft/microsoft-provider.ts';
import { graphEvent, OddGraph } from '../../servers/odd-graph.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const CREDENTIALS: OAuthCredentials = {
  ...{ accessToken: 'access', refreshToken: undefined, scopes: ['Calendars.Read'] },
  ...{ expiresAt: 0, appClientId: 'app', issuedAt: 0 },
};
const SESSION = {
  accessToken: async () => 'access',
  renewAccessToken: async () => 'access',
  limited: <T>(_operation: string, request: () => Promise<T>) => request(),
};
const HREF = 'series#exception';

describe('an exception from Graph that cannot be read', () => {
  const graph = new OddGraph();
  let egress: Egress;
  let now: number;
  let stored: Map<string, string | undefined>;
  before(async () => {
    await graph.start();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  });
  beforeEach(() => {
    now = Date.UTC(2026, 10, 10);
    stored = new Map();
  });
  after(async () => {
    await egress.close();
    await graph.stop();
  });

  /** A daily series with one exception, which names no occurrence unless `originalStart` does. */
  function seriesOf(changeKey: string, originalStart?: string) {
    const range = { type: 'noEnd', startDate: '2026-11-10', recurrenceTimeZone: 'UTC' };
    const exception = {
      ...graphEvent('exception', '2026-11-12'),
      type: 'exception',
      changeKey,
      originalStart,
    };
    graph.events = [
      {
        ...{ ...graphEvent('series', '2026-11-10'), type: 'seriesMaster', changeKey },
        recurrence: { pattern: { type: 'daily', interval: 1 }, range },
        exceptionOccurrences: [exception],
      },
    ];
  }
  async function sync(token?: string) {
    const { log } = recordingLog();
    const deps = { egress, log, now: () => now, apiUrl: graph.apiUrl, issuer: graph.origin };
    const parts: Changes[] = [];
    for await (const part of microsoftProvider(deps)
      .open(CREDENTIALS, SESSION)
      .changesSince('cal', token, async () => stored))
      parts.push(part);
    const written = parts.flatMap(({ changed, leftOut = [] }) => [...changed, ...leftOut]);
    for (const { href, etag } of written) stored.set(href, etag);
    now += 16 * 60_000;
    return {
      changed: parts.flatMap(({ changed }) => changed.map(({ href }) => href)),
      removed: parts.flatMap(({ removed }) => removed),
      leftOut: parts.flatMap(({ leftOut = [] }) => leftOut),
      next: parts.at(-1)?.next,
    };
  }

  it('is left out by its own id and belongs to its series', async () => {
    seriesOf('one');

    const { changed, leftOut } = await sync();

    assert.deepEqual(changed, ['series']);
    const names = { href: HREF, eventId: 'exception', seriesId: 'series', etag: 'one' };
    const reason = 'Microsoft sent an exception that names no occurrence';
    assert.deepEqual(leftOut, [{ kind: 'unreadable', ...names, reason }]);
  });

  it('stays left out when its series changes, and is read once it is repaired', async () => {
    seriesOf('one');
    const { next } = await sync();

    seriesOf('two');
    const still = await sync(next);
    seriesOf('three', '2026-11-12T09:00:00Z');
    const repaired = await sync(still.next);

    assert.deepEqual([still.leftOut.map(({ href }) => href), still.removed], [[HREF], []]);
    assert.deepEqual([repaired.changed.toSorted(), repaired.leftOut], [['series', HREF], []]);
  });

  it('is removed with its series', async () => {
    seriesOf('one');
    const { next } = await sync();
    graph.events = [];

    assert.deepEqual((await sync(next)).removed.toSorted(), ['series', HREF]);
  });
});
