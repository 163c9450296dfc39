import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseEventsQuery } from './events-query.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const parseWindow = (query: Record<string, string>) => {
  const { start, end } = parseEventsQuery(query, NOW).window;
  const text = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toString();
  return [text(start), text(end)];
};

describe('the window of GET /events', () => {
  it('the window of GET /events is the current month in UTC, from its first second to its last', () => {
    assert.deepEqual(parseWindow({}), ['2026-11-01T00:00:00Z', '2026-11-30T23:59:59Z']);
  });

  it('the window of GET /events ends with the current month if only an earlier start is given', () => {
    assert.deepEqual(parseWindow({ start: '2026-10-05' }), ['2026-10-05T00:00:00Z', '2026-11-30T23:59:59Z']);
  });

  it('the window of GET /events ends with the month of a later start', () => {
    assert.deepEqual(parseWindow({ start: '2027-02-05' }), ['2027-02-05T00:00:00Z', '2027-02-28T23:59:59Z']);
    assert.deepEqual(parseWindow({ start: '2026-12-31T23:59:59Z' }), [
      '2026-12-31T23:59:59Z',
      '2027-01-01T00:00:00Z',
    ]);
  });

  it('the window of GET /events begins with the month of an earlier end', () => {
    assert.deepEqual(parseWindow({ end: '2026-12-05' }), ['2026-11-01T00:00:00Z', '2026-12-05T00:00:00Z']);
    assert.deepEqual(parseWindow({ end: '2026-03-01' }), ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z']);
  });

  it('the window of GET /events is at most two hundred years', () => {
    assert.equal(parseWindow({ start: '1900-01-01', end: '2099-12-31' }).length, 2);
    assert.throws(() => parseWindow({ start: '1900-01-01', end: '2101-12-31' }), { status: 400 });
  });
});
