/** Webhook keys of single applications: what they sign, who is shown them, and what another application's receiver refuses. */
import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { createServer } from '../../src/http/server.ts';
import { sealedField } from '../../src/lib/sealing.ts';
import { sendMessage } from '../../src/webhooks/send-message.ts';
import type { WebhookKeyUse } from '../../src/webhooks/webhook-key-store.ts';
import { webhookKeysRoute } from '../../src/webhooks/webhook-keys.route.ts';
import {
  openWebhookSigner,
  rotateWebhookKeys,
  type WebhookSigner,
} from '../../src/webhooks/webhook-signer.ts';
import { calendar } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { counterpart } from '../harness/counterpart.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';
import { type DeliveryServer, deliverChange, openDeliveryServer } from './delivery-server.ts';
import { CRYPTOGRAPHY, verdictOf } from './python-verifier.ts';
import type { Received } from './receiver.ts';

const HOUR = 3_600_000;

onEachDatabase((database, open) => {
  describe(`webhook keys of applications, on ${database}`, () => {
    let telling: DeliveryServer;
    let signer: WebhookSigner;
    let url: string;
    let close: () => Promise<void>;
    beforeEach(async () => {
      telling = await openDeliveryServer({ db: await open() });
      const { deps, server } = telling;
      signer = deps.webhookSigner;
      const app = createServer({ log: server.log, trustProxy: undefined, secure: true });
      app.register(webhookKeysRoute({ webhookSigner: signer, clients: server.deps.clients }));
      url = await app.listen({ host: '127.0.0.1', port: 0 });
      close = async () => {
        await app.close();
        await telling.close();
      };
    });
    afterEach(() => close());

    const switchTo = (keys: WebhookKeyUse['keys'], overlapMs = 0, clientId = 'acme') => {
      const { deps, clock } = telling.server;
      return deps.webhookKeys.switchWebhookKeys({
        clientId,
        keys,
        overlapUntil: clock.now + overlapMs,
        by: undefined,
      });
    };
    /** Half a minute passes, and the keys are loaded again. */
    const reload = async () => {
      const before = JSON.stringify([signer.signing('acme'), signer.signing('other')]);
      telling.server.clock.now += 31_000;
      await until(
        'the keys are loaded',
        () => JSON.stringify([signer.signing('acme'), signer.signing('other')]) !== before,
        nextTurn,
      );
    };
    const idsOf = (keys: readonly { readonly id: string }[]) => keys.map(({ id }) => id);
    const listOf = async (clientId: string) => {
      const response = await fetch(`${url}/.well-known/webhook-keys/${clientId}`);
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as { code?: string },
      };
    };

    it('an application with own keys is signed for by these alone, and all others by those of the instance', async () => {
      const instance = idsOf(signer.published());
      await switchTo('own');
      await reload();

      const own = idsOf(signer.signing('acme'));

      assert.equal(own.length, 1);
      assert.notDeepEqual(own, instance);
      assert.deepEqual(idsOf(signer.signing('other')), instance);
      assert.deepEqual(idsOf(signer.published()), instance);
      assert.equal(signer.signaturesOf('acme', Buffer.from('x')).length, 1);
      assert.notDeepEqual(
        signer.signaturesOf('acme', Buffer.from('x')),
        signer.signaturesOf('other', Buffer.from('x')),
      );
    });

    it('until an overlap ends, the keys used before also sign in both directions, and the list has those in use', async () => {
      const instance = idsOf(signer.published());
      await switchTo('own', HOUR);
      await reload();
      const [own = '', ...rest] = idsOf(signer.signing('acme'));
      assert.deepEqual([rest, idsOf(signer.published('acme'))], [instance, [own]]);

      await switchTo('instance', HOUR);
      await reload();
      assert.deepEqual(idsOf(signer.signing('acme')), [...instance, own]);
      assert.deepEqual(idsOf(signer.published('acme')), instance);

      telling.server.clock.now += HOUR;
      assert.deepEqual(idsOf(signer.signing('acme')), instance, 'to the millisecond, without a reload');
    });

    it('a rotation of own keys changes nothing for other applications', async () => {
      await switchTo('own');
      await switchTo('own', 0, 'other');
      await reload();
      const before = {
        own: signer.published('acme'),
        other: signer.published('other'),
        all: signer.published(),
      };
      const deps = { ...telling.server.deps, sealer: telling.sealer, by: undefined };

      const rotated = await rotateWebhookKeys(HOUR, deps, 'acme');
      await reload();

      assert.deepEqual(idsOf(signer.published('acme')), [rotated?.keyId, before.own[0]?.id]);
      assert.deepEqual([signer.published('other'), signer.published()], [before.other, before.all]);
    });

    it('instances that load at once agree on the first key of an application', async () => {
      await switchTo('own');
      const deps = { ...telling.server.deps, sealer: telling.sealer, by: undefined };

      const signers = await Promise.all(Array.from({ length: 5 }, () => openWebhookSigner(deps)));

      const lists = signers.map((one) => JSON.stringify(one.published('acme')));
      assert.equal(new Set(lists).size, 1);
    });

    it('a reload unseals only keys that it did not have', async () => {
      const opened: string[] = [];
      const { sealer, server } = telling;
      const counting: typeof sealer = {
        ...sealer,
        open: (sealed, context) => {
          opened.push(sealed);
          return sealer.open(sealed, context);
        },
      };
      signer = await openWebhookSigner({ ...server.deps, sealer: counting });
      assert.equal(opened.length, 1);

      await switchTo('own');
      await reload();
      await switchTo('own', 0, 'other');
      await reload();

      assert.equal(opened.length, 3);
    });

    it('an application that is deleted while it is signed for takes its keys with it', async () => {
      await switchTo('own');
      await reload();
      await telling.server.deps.clients.deleteClient('acme', telling.server.clock.now, undefined);

      assert.equal(signer.signaturesOf('acme', Buffer.from('x')).length, 1);
      assert.equal((await listOf('acme')).status, 404);
      await reload();

      assert.deepEqual(signer.published('acme'), signer.published());
    });

    it('the list of an application has its own keys or the instance’s, with the headers of the root list', async () => {
      await switchTo('own');
      await reload();
      const root = await fetch(`${url}/.well-known/webhook-keys`);

      const [acme, other] = [await listOf('acme'), await listOf('other')];

      assert.deepEqual(await root.json(), { keys: signer.published() });
      assert.deepEqual([acme.status, acme.body], [200, { keys: signer.published('acme') }]);
      assert.deepEqual([other.status, other.body], [200, { keys: signer.published() }]);
      for (const name of ['cache-control', 'content-type'])
        assert.equal(acme.headers.get(name), root.headers.get(name));
    });

    it('a client id that no application has is 404, and a path that cannot be read is refused as everywhere', async () => {
      const unknown = ['ACME', 'acme%20', '%00', 'acme%00', '%2e%2e', '..%2Facme', 'a'.repeat(3_900)];
      const odd = ['', 'acme/', 'acme/x', "'%20OR%201=1--", '%F0%9F%91%BB', '..'];
      for (const id of [...unknown, ...odd]) {
        const { status, body } = await listOf(id);
        assert.deepEqual([id.slice(0, 99), status, body.code], [id.slice(0, 99), 404, 'not_found']);
      }

      const unreadable = await Promise.all(['%', '%zz', '%ED%A0%80', 'a'.repeat(5_000)].map(listOf));

      assert.deepEqual(
        unreadable.map(({ status }) => status),
        [400, 400, 400, 414],
      );
    });

    describe('before a verifier in Python', counterpart('python3-cryptography', CRYPTOGRAPHY), () => {
      const delivered = (title: string): Promise<Received> => deliverChange(telling, title);
      const verdict = (delivery: Received, keysOf: string) =>
        verdictOf(delivery, `${url}/.well-known/webhook-keys${keysOf}`);
      beforeEach(async () => {
        // The verifier looks at the real time; each sync is a minute later.
        telling.server.clock.now = Date.now() - 3 * 60_000;
        telling.server.provider.addCalendar(calendar('/work/'));
        await link(telling.server);
        await telling.server.token('read');
        await telling.sync();
        await telling.deliver();
      });

      it('the receiver of another application refuses a delivery that was forwarded to it', async () => {
        const shared = await delivered('With the shared key');
        assert.equal(await verdict(shared, '/other'), 'verified', 'what own keys are for');
        await switchTo('own', 0, 'other');
        await reload();

        const forwarded = await delivered('Forwarded');

        assert.equal(await verdict(forwarded, '/acme'), 'verified');
        assert.equal(await verdict(forwarded, '/other'), 'no_matching_signature');
        assert.equal(
          await verdict({ ...forwarded, raw: `${forwarded.raw} ` }, '/acme'),
          'no_matching_signature',
        );
      });

      it('in an overlap, a delivery is verified with the own keys and with those of the instance', async () => {
        await switchTo('own', HOUR);
        await reload();

        const received = await delivered('In the overlap');

        assert.deepEqual(
          [await verdict(received, ''), await verdict(received, '/acme')],
          ['verified', 'verified'],
        );
        telling.server.clock.now += HOUR;
        await nextTurn();
        const later = await delivered('After it');
        assert.deepEqual(String(later.headers['webhook-signature']).match(/v1a,/g)?.length, 1);
      });
    });
  });

  it(`without a switch a signature is that of a known key, id, time and body, on ${database}`, async () => {
    const telling = await openDeliveryServer({ db: await open() });
    const { sealer, server, receiver } = telling;
    const seed = Buffer.from(`302e020100300506032b657004220420${'07'.repeat(32)}`, 'hex');
    const key = createPrivateKey({ key: seed, format: 'der', type: 'pkcs8' });
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    const sealed = sealer.seal(pem, sealedField('webhook_key.sealed')('whk_fixed'));
    const sql = `UPDATE webhook_key SET key_id = 'whk_fixed', sealed = :sealed RETURNING key_id`;
    await server.db.write(sql, { sealed });
    const webhookSigner = await openWebhookSigner({ ...server.deps, sealer });
    const now = () => 1_790_000_000_000;

    await sendMessage(
      {
        ...{
          clientId: 'acme',
          url: receiver.url,
          privateNetwork: 1,
          secrets: [],
          body: '{"title":"Café ☕"}',
        },
        messageId: 'msg_2a161f33-a287-419f-85f9-fc95dbecccdd',
      },
      { ...telling.deps, webhookSigner, now },
    );

    const [received] = receiver.received;
    await telling.close();
    assert.equal(
      received?.headers['webhook-signature'],
      'v1a,6LiDcf2Ur0qqwX9SsaATVsIfY8j4OQk5So0Peq5PZdcBq/Snd0x7ZuEtLVhD6Ih/QUapjNyoBqy+iGdCKYp9Aw==',
    );
  });
});
