/** Endpoints in the operator's network: only a URL that an owner or the command line set leads there. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createEgress } from '../../src/lib/egress/egress.ts';
import { sendTest } from '../../src/webhooks/test-message.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type Canary, startCanary } from '../servers/canary.ts';
import { type DnsServer, startDns } from '../servers/dns.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';

const HOSTS = ['intranet.test', '127.0.0.1'];

onEachDatabase((database, open) => {
  describe(`endpoints in the operator’s network, on ${database}`, () => {
    let telling: DeliveryServer;
    let canary: Canary;
    let dns: DnsServer;
    before(async () => {
      canary = await startCanary();
      dns = await startDns({ 'intranet.test': [['127.0.0.1']], 'ten.test': [['10.1.2.3']] });
      const egress = createEgress({ privateNetwork: { mode: 'hosts', hosts: HOSTS }, lookup: dns.lookup });
      telling = await openDeliveryServer({ db: await open(), egress });
      telling.server.provider.addCalendar(calendar('/work/'));
      await link(telling.server);
      await telling.server.token('read');
      await telling.sync();
      const person = `INSERT INTO person (person_id, name, login, role, created_at) VALUES (:id, :id, :id, :id, 1)
                      RETURNING person_id`;
      for (const id of ['owner', 'developer']) await telling.server.db.write(person, { id });
    });
    after(async () => {
      await telling.close();
      await dns.stop();
      await canary.stop();
    });

    /** The faults of a delivery, its resend and a test, without the host, after this member has set the URL. */
    const faults = async (id: 'owner' | 'developer', url: string) => {
      const { deps, server } = telling;
      const by = { actor: { kind: 'person', id, name: id }, address: undefined, now: deps.now } as const;
      for (const webhookUrl of [null, url])
        await server.deps.clients.updateClient('acme', { webhookUrl }, { now: deps.now(), by });
      const title = `${id} ${url}`;
      server.provider.put('/work/', resource('a', event('2026-11-20T09:00:00', { title })));
      await telling.sync();
      await telling.deliver();
      const [newest] = await deps.messages.listMessages({ clientId: 'acme' }, { after: undefined, limit: 1 });
      const { messageId } = newest ?? assert.fail('nothing was sent');
      await deps.messages.askReplay('acme', messageId, { now: deps.now(), by: undefined });
      await telling.resend();
      const sent = (await deps.messages.findAttempts('acme', messageId))?.log ?? [];
      const endpoint = (await deps.endpoints.findEndpoint('we_acme')) ?? assert.fail();
      const { attempt } = await sendTest({ ...endpoint, secrets: [] }, deps);
      const attempts = [...sent.slice(-2), attempt];
      assert.ok(sent.length >= 2 && attempts.every(({ answer }) => answer === undefined));
      return attempts.map(({ status, fault }) => status ?? fault?.replace(new URL(url).hostname, 'HOST'));
    };

    it('get everything that is sent to a URL that an owner set', async () => {
      for (const host of HOSTS) {
        const before = canary.requests.length;
        assert.deepEqual(await faults('owner', `http://${host}:${canary.port}/hook`), [200, 200, 200]);
        assert.ok(canary.requests.length >= before + 3);
      }
    });

    it('get nothing that is sent to a URL that a developer set, and are not told from unknown names', async () => {
      const before = canary.connections();
      const text = 'HOST is not a public host';
      for (const host of [
        ...HOSTS,
        'ten.test',
        'unknown.test',
        '10.1.2.3',
        '[::1]',
        'localhost',
        '2130706433',
      ])
        for (const scheme of ['https', 'http'])
          assert.deepEqual(await faults('developer', `${scheme}://${host}:${canary.port}/`), [
            text,
            text,
            text,
          ]);
      assert.equal(canary.connections(), before);
    });
  });
});
