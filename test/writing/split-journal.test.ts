/** Splits that an earlier release left half done in the journal, and rows that nobody can read. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { SplitStep } from '../../src/writing/split-journal.ts';
import { acmeSeries } from '../servers/odd-series.ts';
import { type OddSite, openOddSite } from './odd-site.ts';

class Crash extends Error {}

const NEXT = { title: 'Next', start: '2027-02-01T09:00:00Z', end: '2027-02-01T10:00:00Z' };

describe('a split that was left in the journal', () => {
  let at: OddSite;
  let crashAt: string | undefined;
  beforeEach(async () => {
    crashAt = undefined;
    at = await openOddSite({
      atStep: async (step) => {
        if (step === crashAt) throw new Crash(step);
      },
    });
    await at.given('a.ics', acmeSeries());
  });
  afterEach(() => at.close());

  const journal = () =>
    at.server.db.all<{ id: string; step: SplitStep; plan: string }>(
      'SELECT split_id AS id, step, plan FROM split_journal',
    );

  /** Lets a split end after a step, with a plan of the shape that releases before this one wrote. */
  async function leave(step: string): Promise<void> {
    crashAt = step;
    const eventId = await at.idAt('2026-11-30');
    const answer = await at.send('PUT', { eventId, updateMode: 'following', title: 'Later' });
    assert.equal(answer.status, 500);
    crashAt = undefined;
    at.dav.calls.length = 0;
    const [row] = await journal();
    const { later, ...plan } = JSON.parse(row?.plan ?? '{}');
    const old = { ...plan, draft: { title: 'Later' }, exceptions: [], cancelled: later.cancelled };
    await rewrite(JSON.stringify(old));
  }
  async function rewrite(plan: string): Promise<void> {
    for (const { id, step } of await journal()) await at.server.deps.splits.noteStep(id, step, plan);
  }
  const titles = async () => (await at.shown()).map((line) => line.split(' ')[2]);

  it('of an earlier release is undone where the new series is not noted, and nothing is made for it', async () => {
    await leave('planned');

    assert.equal((await at.send('POST', NEXT)).status, 200);

    assert.deepEqual(at.writes(), ['PUT'], 'the next event alone');
    assert.deepEqual(await titles(), ['Weekly', 'Weekly', 'Weekly', 'Weekly', 'Weekly', 'Next']);
    assert.deepEqual(await journal(), []);
  });

  it('of an earlier release is undone where the new series is there and not noted', async () => {
    await leave('new series');

    assert.equal((await at.send('POST', NEXT)).status, 200);

    assert.deepEqual(at.writes(), ['DELETE', 'PUT']);
    assert.deepEqual(await titles(), ['Weekly', 'Weekly', 'Weekly', 'Weekly', 'Weekly', 'Next']);
    assert.deepEqual(await journal(), []);
  });

  it('of an earlier release is finished where the new series is noted', async () => {
    await leave('created');

    assert.equal((await at.send('POST', NEXT)).status, 200);

    assert.deepEqual(await titles(), ['Weekly', 'Weekly', 'Later', 'Later', 'Later', 'Next']);
    assert.deepEqual(await journal(), []);
  });

  it('is not finished where somebody ended the old series before the new one was made', async () => {
    await leave('planned');
    at.dav.put('a.ics', acmeSeries().replace('COUNT=6', 'UNTIL=20261123T061500Z'));

    assert.equal((await at.send('POST', NEXT)).status, 200);

    assert.deepEqual(await titles(), ['Weekly', 'Weekly', 'Next']);
  });

  const deleteNewSeries = () => {
    const made = [...at.dav.resources.keys()].find((name) => name !== 'a.ics');
    at.dav.remove(made ?? '');
  };

  it('leaves the old series as it is if the new one was deleted meanwhile', async () => {
    await leave('created');
    deleteNewSeries();

    assert.equal((await at.send('POST', NEXT)).status, 200);

    assert.deepEqual(at.writes(), ['PUT'], 'the next event alone');
    assert.deepEqual(await titles(), ['Weekly', 'Weekly', 'Weekly', 'Weekly', 'Weekly', 'Next']);
    assert.deepEqual(await journal(), []);
  });

  it('does not create the new series again if it was deleted after the old one had ended', async () => {
    await leave('trimmed');
    deleteNewSeries();

    assert.equal((await at.send('POST', NEXT)).status, 200);

    assert.deepEqual(await titles(), ['Weekly', 'Weekly', 'Next']);
    assert.deepEqual(await journal(), []);
  });

  for (const plan of ['', 'null', '[]', '{"seriesHref":1}', '{"seriesHref":"/a","key":"k"}'])
    it(`is given up where nobody can read its plan: ${plan === '' ? 'no text' : plan}`, async () => {
      await leave('planned');
      await rewrite(plan);

      assert.equal((await at.send('POST', NEXT)).status, 200);

      assert.deepEqual(await journal(), []);
    });
});
