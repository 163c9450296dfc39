/**
 * Many changes against receivers that fail, stall, cut and respond with 429: nothing is lost or out of order in a
 * stream, and reading from any cursor ends in the same state. A million changes by `npm run soak -- notifications`.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { addEndpoint } from '../../src/webhooks/endpoints.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { get, link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { inputs, scale } from '../harness/rounds.ts';
import { type DeliveryServer, openDeliveryServer } from '../webhooks/delivery-server.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { mirrored, missedAfter } from './reading-on.ts';
import { differences, type ToldState, toldState } from './told-state.ts';

const CHANGES = inputs(450);
const SMALL = scale() === 1;
const CALENDARS = SMALL ? 8 : 20;
const EVENTS = SMALL ? 20 : 50;
/** The share of all events that change between two syncs. */
const SHARE = 0.5;
const STEPS = SMALL ? 12 : 100;
/** The number of an epoch's deliveries to each receiver that reads continue from. */
const READ_ON = 30;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** In the place of fifteen seconds: as long as a receiver that never answers is waited for here. */
const PATIENCE_MS = 1_000;

type Hearing = { readonly receiver: Receiver; readonly told: ToldState };

onEachDatabase((database, open) => {
  describe(`many changes told to receivers that fail, on ${database}`, () => {
    it('all arrive in order, and any cursor leads to the same state', async (t) => {
      const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
      const impatient: Egress = {
        request: (request) => egress.request({ ...request, timeoutMs: PATIENCE_MS }),
        close: () => egress.close(),
      };
      const telling = await openDeliveryServer({ db: await open(), egress: impatient });
      const hearing = await hearingOf(telling);
      try {
        await play(telling, hearing, t);
      } finally {
        for (const { receiver } of hearing) receiver.close();
        await telling.close();
      }
    });
  });
});

/** Opens three receivers that fail at random, each more often than the one before. The third also has outages. */
async function hearingOf(telling: DeliveryServer): Promise<Hearing[]> {
  const receivers = [telling.receiver];
  const hears = { events: true, calendars: false, connections: false, own: false };
  for (let count = 0; count < 2; count += 1) {
    const receiver = await openReceiver();
    receivers.push(receiver);
    const { endpoints } = telling.deps;
    const now = () => telling.server.clock.now;
    await addEndpoint(
      { clientId: 'acme', url: receiver.url, hears, shared: false },
      { endpoints, now, by: undefined },
    );
  }
  const keeps = SMALL ? () => true : (message: number) => message % 20 === 0;
  return receivers.map((receiver) => ({ receiver, told: toldState(keeps) }));
}

async function play(telling: DeliveryServer, hearing: readonly Hearing[], t: TestContext): Promise<void> {
  const { server } = telling;
  for (let index = 0; index < CALENDARS; index += 1) server.provider.addCalendar(calendar(`/c${index}/`));
  await link(server);
  await server.token('read');
  await telling.sync();
  const began = performance.now();
  const requests = failing(telling, hearing);
  let made = 0;
  let readOn = 0;
  for (let epoch = 0; made < CHANGES; epoch += 1) {
    const outFrom = server.clock.now + Math.floor(Math.random() * HOUR);
    requests.outage = { from: outFrom, until: outFrom + HOUR };
    for (let step = 0; step < STEPS; step += 1) {
      made += change(telling, `${epoch}-${step}`);
      await telling.sync();
      if (Math.random() < 0.7) await telling.deliver();
      server.clock.now += Math.floor(Math.random() * 4 * MINUTE);
    }
    await settle(telling);
    readOn += await check(telling, hearing);
    await forgetDelivered(telling);
  }
  const seconds = (performance.now() - began) / 1_000;
  const messages = hearing.map(({ told }) => told.messages());
  t.diagnostic(
    `${made} changes in ${Math.round(seconds)} s, messages to each receiver: ${messages.join(', ')}`,
  );
  t.diagnostic(`requests: ${JSON.stringify(requests.counts)}; read on from ${readOn} cursors`);
}

/** Changes about half of the events and returns their number. */
function change({ server }: DeliveryServer, name: string): number {
  let count = 0;
  for (let index = 0; index < CALENDARS * EVENTS; index += 1) {
    if (Math.random() > SHARE) continue;
    count += 1;
    const href = `/c${index % CALENDARS}/`;
    const id = `c${index % CALENDARS}-${index}`;
    if (Math.random() < 0.1) server.provider.remove(href, `/${id}.ics`);
    else {
      const at = `2026-11-20T${String(10 + (index % 10))}:00:00`;
      server.provider.put(href, resource(id, event(at, { title: `Meeting ${name}` })));
    }
  }
  return count;
}

type Requests = {
  readonly counts: Record<string, number>;
  /** The outage of the last receiver. */
  outage: { readonly from: number; readonly until: number };
};

/** A message fails by chance twice at most: what fails ten times is dead, and that is another test's matter. */
function failing({ server }: DeliveryServer, hearing: readonly Hearing[]): Requests {
  const requests: Requests = { counts: {}, outage: { from: 0, until: 0 } };
  for (const [index, { receiver, told }] of hearing.entries()) {
    const failed = new Map<string, number>();
    const answerOf = (id: string) => {
      const isOut = server.clock.now >= requests.outage.from && server.clock.now < requests.outage.until;
      if (index === 2 && isOut) return { status: 503 };
      const before = failed.get(id) ?? 0;
      const answer = before < 2 && Math.random() < 0.15 * (index + 1) ? faulty() : { status: 204 };
      if (typeof answer === 'object' && answer.status === 204) failed.delete(id);
      else failed.set(id, before + 1);
      return answer;
    };
    receiver.answer = (received) => {
      receiver.received.length = 0;
      const answer = answerOf(String(received.headers['webhook-id']));
      const name = typeof answer === 'object' ? String(answer.status) : answer;
      requests.counts[name] = (requests.counts[name] ?? 0) + 1;
      told.hear(received, name === '204');
      return answer;
    };
  }
  return requests;
}

function faulty() {
  const luck = Math.random();
  // Each costs the whole patience, in real time.
  if (luck < 0.01) return 'never';
  if (luck < 0.3) return 'cut';
  if (luck < 0.6) return { status: 429, headers: { 'retry-after': '30' } };
  return { status: luck < 0.7 ? 302 : 500 };
}

/** Until nothing waits any more. */
async function settle(telling: DeliveryServer): Promise<void> {
  const { server } = telling;
  for (let hour = 0; hour < 100; hour += 1) {
    server.clock.now += HOUR;
    await telling.deliver();
    const waiting = await server.db.get(
      'SELECT stream_id FROM webhook_stream WHERE due_at IS NOT NULL LIMIT 1',
    );
    if (waiting === undefined) return;
  }
  assert.fail('Something still waits after a hundred hours');
}

/** Checks every receiver, and returns the number of cursors that reads continued from. */
async function check({ server }: DeliveryServer, hearing: readonly Hearing[]): Promise<number> {
  const token = await server.token('read');
  const ask = async (path: string) => {
    const { statusCode, body } = await get(server, path, token);
    assert.equal(statusCode, 200, body);
    return body;
  };
  const state = await mirrored(ask);
  let count = 0;
  for (const { told } of hearing) {
    assert.deepEqual(told.faults, []);
    assert.deepEqual(differences(told.events(), state), []);
    const drawn = told.places().toSorted(() => Math.random() - 0.5);
    for (const place of drawn.slice(0, READ_ON)) {
      const hrefOf = (id: string) => `/${id.split('-')[0]}/`;
      assert.deepEqual(await missedAfter(place, ask, { state, hrefOf }), []);
      count += 1;
    }
  }
  const dead = await server.db.all("SELECT message_id FROM webhook_message WHERE state <> 'delivered'");
  assert.deepEqual(dead, []);
  return count;
}

/** As housekeeping does with what is old. */
async function forgetDelivered({ server }: DeliveryServer): Promise<void> {
  await server.db.write("DELETE FROM webhook_message WHERE state = 'delivered' RETURNING message_id");
}
