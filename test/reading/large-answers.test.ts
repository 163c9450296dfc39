/** Large answers hold little while they are sent, however slowly, and a user has a few of them at once. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { renderInPieces, renderMembers, renderObject } from '../../src/lib/rendered-json.ts';
import { listedPieces } from '../../src/reading/event-pieces.ts';
import {
  type EventContent,
  type EventReader,
  nameOfRow,
  type RowName,
} from '../../src/reading/event-reader.ts';
import type { NamedEvent } from '../../src/reading/expand-calendar.ts';
import { type AnswerBody, answerBody, type Receiver } from '../../src/reading/list-events.ts';
import { pageOfEvents } from '../../src/reading/page-of-events.ts';
import { openReadTurns, readTurns } from '../../src/reading/read-turns.ts';

const ADA = { clientId: 'acme', userId: 'ada' };
const BEN = { clientId: 'acme', userId: 'ben' };
const LARGE = 8_000_000;
const LIMITS = { work: 'test', ofOwner: 4, waiting: 1, waitMs: 20_000, refusal: 'Too many' };

/** An answer of events that each take `size`, and the pieces of them that were read. */
function answerOf(count: number, size: number) {
  const read: (readonly RowName[])[] = [];
  const gone = new Set<string>();
  const contentOf = (): EventContent => ({
    content: renderMembers({ title: 'x'.repeat(size) }) as EventContent['content'],
    original: undefined,
    etag: undefined,
  });
  const contentsOf = async (_calendarKey: string, rows: readonly RowName[]) => {
    read.push(rows);
    const there = rows.filter(({ href }) => !gone.has(href));
    return new Map(there.map((row) => [nameOfRow(row), contentOf()]));
  };
  const events = Array.from({ length: count }, (_, i): NamedEvent => {
    const id = String(i);
    return { calendarKey: 'work', id, startsAt: i, row: { href: id, recurrenceId: '' }, size };
  });
  const listed = listedPieces(events, { events: { contentsOf }, zones: new Map(), originals: true });
  const texts = listed.map(
    (piece) => async () => (await piece()).map(({ id, content }) => renderObject({ id }, content)),
  );
  const send = (receiver: Partial<Receiver> = {}) =>
    answerBody(renderInPieces('events', texts, renderMembers({})), count * size, {
      user: ADA,
      sending: readTurns(LIMITS),
      ...receiver,
    });
  return { read, gone, send };
}

/** Waits until everything that may be read ahead is read. */
async function aWhile(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await turn();
}

const stream = (answer: AnswerBody) => {
  assert.ok(!Buffer.isBuffer(answer));
  return answer;
};

async function idsOf(answer: AnswerBody): Promise<string[]> {
  const { events } = JSON.parse(Buffer.concat(await stream(answer).toArray()).toString());
  return events.map(({ id }: { id: string }) => id);
}

describe('large answers', () => {
  it('nothing is read of the events before the answer is taken', async () => {
    const { read, send } = answerOf(4, 2_000_000);
    const answer = stream(await send());
    await aWhile();

    assert.equal(read.length, 0);
    answer.destroy();
  });

  it('one piece is read at a time, and the next when that was taken', async () => {
    const { read, send } = answerOf(4, 2_000_000);
    const answer = stream(await send());
    const perEvent = 2_000_000;
    let taken = 0;
    for await (const chunk of answer) {
      taken += chunk.length;
      assert.ok(chunk.length <= 64_000, `${chunk.length}`);
      await aWhile();
      // Less than a piece is read ahead: a chunk, and the text before the events.
      assert.ok(read.length <= Math.ceil((taken + 200_000) / perEvent), `${read.length} of ${taken}`);
    }

    assert.equal(read.length, 4);
    assert.ok(taken > LARGE);
  });

  it('small events are read together, no more than 256 kB of them', async () => {
    const { read, send } = answerOf(1_000, 8_000);
    await idsOf(await send());

    assert.ok(read.every((rows) => rows.length * 8_000 <= 256_000));
    assert.equal(read.length, Math.ceil(1_000 / 32));
  });

  it('an event that was deleted meanwhile is left out, and all others are there', async () => {
    const { gone, send } = answerOf(4, 2_000_000);
    const answer = await send();
    gone.add('0').add('2');

    assert.deepEqual(await idsOf(answer), ['1', '3']);
  });

  it('four of a user are under way at once, however slowly, and the next begins when one was taken', async () => {
    const sending = readTurns(LIMITS);
    const under = await Promise.all([1, 2, 3, 4].map(() => answerOf(4, 2_000_000).send({ sending })));
    let isFifth = false;
    const fifth = answerOf(4, 2_000_000)
      .send({ sending })
      .then((answer) => {
        isFifth = true;
        return answer;
      });
    await aWhile();
    assert.equal(isFifth, false);
    await assert.rejects(answerOf(4, 2_000_000).send({ sending }), { status: 429 });
    stream(await answerOf(4, 2_000_000).send({ sending, user: BEN })).destroy();
    assert.equal(isFifth, false);

    const [first] = under;
    assert.ok(first);
    await idsOf(first);

    assert.equal((await idsOf(await fifth)).length, 4);
    for (const answer of under) stream(answer).destroy();
  });

  it('an answer that nobody takes any longer lets the next one begin', async () => {
    const sending = readTurns({ ...LIMITS, ofOwner: 1 });
    const first = stream(await answerOf(4, 2_000_000).send({ sending }));
    const second = answerOf(4, 2_000_000).send({ sending });
    first.destroy();
    await once(first, 'close');

    assert.equal((await idsOf(await second)).length, 4);
  });

  it('calendars of some megabytes are read by few reads at once, and others wait without holding any', async () => {
    const user = ADA;
    const calendars = [{ calendarKey: 'work', timeZone: 'UTC', bytes: 6_000_000 }];
    const window = { start: 0, end: 1 };
    const request = { window, singleEvents: true, pageSize: 10, after: undefined };
    let [held, most] = [0, 0];
    const none = async () => {
      held += 1;
      most = Math.max(most, held);
      await aWhile();
      held -= 1;
      return [];
    };
    const events = { singleEvents: none, seriesIn: async () => [] } as unknown as EventReader;
    const deps = { events, ...openReadTurns(1_000) };
    const { signal } = new AbortController();

    const reads = Array.from({ length: 40 }, () => pageOfEvents(request, { user, calendars, signal }, deps));
    const others = Array.from({ length: 40 }, (_, i) =>
      pageOfEvents(request, { user: { ...user, userId: String(i) }, calendars, signal }, deps),
    );

    assert.equal((await Promise.all([...reads, ...others])).length, 80);
    assert.equal(most, 4);
  });

  it('a small answer waits for none', async () => {
    const sending = readTurns({ ...LIMITS, ofOwner: 1 });
    const large = stream(await answerOf(4, 2_000_000).send({ sending }));

    assert.ok(Buffer.isBuffer(await answerOf(4, 2_000).send({ sending })));
    large.destroy();
  });
});
