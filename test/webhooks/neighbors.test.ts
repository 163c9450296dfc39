/** The delivery worker beside an application whose receivers do not answer: others are served at once. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import type { SlotLoad } from '../../src/lib/fair-slots/slot-listener.ts';
import {
  type DeliveryWorker,
  type DeliveryWorkerDeps,
  RECEIVER_LIMITS,
  startDeliveries,
} from '../../src/webhooks/delivery-worker.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';
import { openReceiver, type Received, type Receiver } from './receiver.ts';

/** More than an endpoint may have under way at once. */
const CALENDARS = Array.from({ length: 10 }, (_, n) => `/c${n}/`);
/** Lets no request time out: what arrives did not wait for that. */
const patient = (egress: Egress): Egress => ({
  ...egress,
  request: (sent) => egress.request({ ...sent, timeoutMs: 600_000 }),
});
const HEARS = { events: true, calendars: false, connections: false, own: false };

onEachDatabase((database, open) => {
  describe(`deliveries beside slow receivers, on ${database}`, () => {
    let telling: DeliveryServer;
    let slow: Receiver[];
    let worker: DeliveryWorker | undefined;
    let exhausted: Set<string>;
    const loads = new Map<string, () => SlotLoad>();
    const heldOf = (work: string) => loads.get(work)?.().held;

    beforeEach(async () => {
      const egress = createEgress({ privateNetwork: { mode: 'loopback' }, limits: RECEIVER_LIMITS });
      telling = await openDeliveryServer({ db: await open(), egress });
      for (const href of CALENDARS) telling.server.provider.addCalendar(calendar(href));
      slow = await Promise.all(Array.from({ length: 9 }, openReceiver));
      const shared = Array.from({ length: 3 }, (_, n) => `${telling.receiver.url}/${n}`);
      for (const [n, url] of [...slow.map((receiver) => receiver.url), ...shared].entries()) {
        const endpoint = {
          endpointId: `we_${n}`,
          clientId: 'other',
          url,
          hears: HEARS,
          secret: 'whsec_AAAA',
        };
        await telling.deps.endpoints.addEndpoint(
          { ...endpoint, createdAt: telling.server.clock.now },
          undefined,
        );
      }
      for (const clientId of ['acme', 'other']) {
        await link(telling.server, { clientId, accountId: `https://dav.example/${clientId}/` });
        await telling.server.token('read', 'ada', clientId);
        await change(clientId, CALENDARS, 'first');
      }
      await telling.deliver();
      for (const receiver of [telling.receiver, ...slow]) {
        receiver.received.length = 0;
        receiver.answer = ({ body }) => (body.metadata.clientId === 'acme' ? { status: 204 } : 'never');
      }
      exhausted = new Set();
    });
    afterEach(async () => {
      for (const receiver of slow) receiver.close();
      telling.receiver.close();
      await worker?.stop();
      await telling.close();
    });

    const change = async (clientId: string, hrefs: readonly string[], title: string) => {
      const { provider, deps, clock } = telling.server;
      for (const href of hrefs)
        provider.put(href, resource(`${href}a`, event('2026-11-20T09:00:00', { title })));
      clock.now += 61_000;
      for (const { accountKey } of await deps.accounts.listAccounts(clientId, 'ada')) {
        await deps.sync.syncList(accountKey, clock.now);
        for (const { calendarKey } of await deps.mirror.listCalendars(accountKey))
          await deps.sync.syncCalendar(calendarKey, clock.now);
      }
      await deps.streams.scheduleChanged(clock.now);
      // A running worker lets changes settle: what it scheduled first is due by now.
      clock.now += 1_000;
    };
    const start = (instead: Partial<DeliveryWorkerDeps> = {}) => {
      const slots = {
        opened: (work: string, load: () => SlotLoad) => void loads.set(work, load),
        waited() {},
        refused() {},
        exhausted: ({ work, clientId }: { work: string; clientId: string }) =>
          void exhausted.add(`${work} ${clientId}`),
      };
      worker = startDeliveries({ ...telling.deps, ...instead, slots });
    };
    const everySlotOfOther = () => heldOf('delivery') === 64 && heldOf('resend') === 8;
    const sentTo = (clientId: string) =>
      telling.receiver.received.filter(({ body }) => body.metadata.clientId === clientId);

    it('start at once, and so does a resend, though the slow ones have an origin in common with them', async () => {
      const { deps, server } = telling;
      await change('other', CALENDARS, 'second');
      await deps.messages.askReplays(
        { clientId: 'other' },
        { now: server.clock.now, limit: 1_000, by: undefined },
      );
      start({ webhookEgress: patient(deps.webhookEgress) });
      await until('the slow application holds its slots', everySlotOfOther);
      const [first] = await deps.messages.listMessages({ clientId: 'acme' }, { after: undefined, limit: 1 });
      assert.ok(first !== undefined);

      await change('acme', CALENDARS.slice(0, 1), 'third');
      await deps.messages.askReplay('acme', first.messageId, { now: server.clock.now, by: undefined });
      deps.deliveryWakeUp.notify();
      const isResend = ({ headers }: Received) => headers['webhook-id'] === first.messageId;
      await until('a delivery and a resend arrived', () => {
        const sent = sentTo('acme');
        return sent.some(isResend) && !sent.every(isResend);
      });

      assert.deepEqual(await server.db.all('SELECT fault FROM webhook_attempt WHERE fault IS NOT NULL'), []);
      assert.ok(sentTo('other').length <= 16);
      assert.deepEqual([...exhausted].toSorted(), ['delivery other', 'resend other']);
    });

    it('have more turns under way at an origin that was quick, but still 16 requests', async () => {
      for (const receiver of [telling.receiver, ...slow]) receiver.answer = () => ({ status: 204 });
      // With this clock, each response counts as quick.
      start({ paceNow: () => 0 });
      await change('other', CALENDARS, 'second');
      telling.deps.deliveryWakeUp.notify();
      await until('three endpoints at the origin have all', () => sentTo('other').length === 30);

      telling.receiver.answer = () => 'never';
      telling.receiver.received.length = 0;
      await change('other', CALENDARS, 'third');
      telling.deps.deliveryWakeUp.notify();
      await until('three endpoints have all turns that they may', () => heldOf('delivery') === 24);
      await until('requests arrived', () => sentTo('other').length >= 16);

      assert.equal(sentTo('other').length, 16);
    });

    it('are looked for again at once if they became due during a look', async () => {
      for (const receiver of [telling.receiver, ...slow]) receiver.answer = () => ({ status: 204 });
      await change('acme', CALENDARS, 'second');
      const { streams } = telling.deps;
      const { clock } = telling.server;
      const dueAt = await streams.nextDueAt();
      assert.ok(dueAt !== undefined);
      clock.now = dueAt - 1;
      const takeStreams: typeof streams.takeStreams = async (terms) => {
        const claimed = await streams.takeStreams(terms);
        clock.now = dueAt;
        return claimed;
      };
      const waits: number[] = [];
      const wait = async (milliseconds: number) => {
        waits.push(milliseconds);
        await telling.deps.deliveryWakeUp.wait(milliseconds);
      };
      const deliveryWakeUp = { notify: telling.deps.deliveryWakeUp.notify, wait };
      start({ streams: { ...streams, takeStreams }, deliveryWakeUp });

      await until('all arrived', () => sentTo('acme').length === CALENDARS.length);
      assert.equal(waits[0], 0);
    });

    it('are sent and give their slots back if the schedule could not be written in the same look', async () => {
      for (const receiver of [telling.receiver, ...slow]) receiver.answer = () => ({ status: 204 });
      await change('acme', CALENDARS, 'second');
      const { streams } = telling.deps;
      let failures = 0;
      const scheduleChanged = () => {
        failures += 1;
        return Promise.reject(new Error('The disk is full'));
      };
      start({ streams: { ...streams, scheduleChanged } });

      await until('all arrived', () => sentTo('acme').length === CALENDARS.length);
      await until('no slot is held', () => heldOf('delivery') === 0);
      assert.ok(failures > 0);
    });
  });
});
