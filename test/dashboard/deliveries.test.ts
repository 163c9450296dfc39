/** The log of deliveries as pages: who sees what, what is masked, and resending. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { signWithSecrets } from '../../src/webhooks/endpoint-secret.ts';
import { unescaped } from '../connect/connect-harness.ts';
import { takeTerms } from '../contract/take-terms.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, type DashboardBrowser, leadsTo, openDashboardApp } from './dashboard-app.ts';
import { bodyOf, plantCalendar, plantDelivery, plantEndpoints } from './planted-deliveries.ts';

const LIST = '/dashboard/deliveries';
const HOSTILE = '<script>alert(1)</script>\u202egnp';

onEachDatabase((database, open) => {
  describe(`deliveries in the dashboard, on ${database}`, () => {
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    let developer: DashboardBrowser;
    let viewer: DashboardBrowser;
    let now = 0;
    before(async () => {
      dashboard = await openDashboardApp(await open());
      now = dashboard.clock.now;
      await plantEndpoints(dashboard);
      for (let number = 0; number < 60; number += 1)
        await plantDelivery(dashboard, {
          messageId: `msg_a${String(number).padStart(2, '0')}`,
          ...{ clientId: 'acme', state: 'delivered', createdAt: now - 100_000 - (number >> 1) },
        });
      const attempt = { answer: HOSTILE, fault: 'It answered 500' };
      const acme = { clientId: 'acme', state: 'dead', createdAt: now - 60_000 } as const;
      await plantDelivery(dashboard, {
        ...acme,
        messageId: 'msg_dead',
        calendarId: 'cal@example.com',
        attempt,
      });
      await plantDelivery(dashboard, {
        ...acme,
        messageId: 'msg_late',
        createdAt: now - 50_000,
        userId: HOSTILE,
      });
      await plantDelivery(dashboard, { ...acme, messageId: 'msg_other', clientId: 'other', userId: 'zoe' });
      owner = await dashboard.signedIn('owner');
      developer = await dashboard.signedIn('developer');
      viewer = await dashboard.signedIn('viewer');
    });
    after(() => dashboard.app.close());

    /** Returns the ids of the list in its order. */
    const listed = (body: string): string[] =>
      [...body.matchAll(/<a href="\/dashboard\/deliveries\/\w+\/(msg_\w+)"/g)].map(([, id]) => id ?? '');
    const auditedActions = async (): Promise<string[]> =>
      (await dashboard.stores.audit.listEntries({}, { limit: 50 })).map(({ action }) => action);

    it('lists older deliveries on further pages, each once, the newest first', async () => {
      const seen: string[] = [];
      let path: string | undefined = LIST;
      for (let pages = 0; path !== undefined && pages < 5; pages += 1) {
        const { body } = await owner.get(path);
        seen.push(...listed(body));
        const text = body.replaceAll('&#61;', '=').replaceAll('&#38;', '&');
        path = /href="([^"]*after=[^"]*)"/.exec(text)?.[1];
      }
      assert.equal(seen.length, 63);
      assert.equal(new Set(seen).size, 63);
      assert.deepEqual(seen.slice(0, 4), ['msg_late', 'msg_other', 'msg_dead', 'msg_a01']);
    });

    it('each filter leaves out what is not meant, and a bad one says what is wrong', async () => {
      const at = (ms: number) => new Date(ms).toISOString().slice(0, 19);
      const filters: readonly (readonly [string, readonly string[]])[] = [
        ['client=other', ['msg_other']],
        ['state=dead', ['msg_late', 'msg_other', 'msg_dead']],
        ['client=acme&state=dead&user=ada%40example.com', ['msg_dead']],
        ['client=acme&calendar=cal%40example.com', ['msg_dead']],
        ['endpoint=we_other', ['msg_other']],
        [`from=${at(now - 60_000)}&to=${at(now - 55_000)}`, ['msg_other', 'msg_dead']],
        ['client=nobody', []],
      ];
      for (const [query, ids] of filters)
        assert.deepEqual(listed((await owner.get(`${LIST}?${query}`)).body), ids, query);
      for (const query of [
        'from=yesterday',
        'state=lost',
        'user=ada',
        'from=2026-02-01T00:00&to=2026-01-01T00:00',
      ]) {
        const { status, body } = await owner.get(`${LIST}?${query}`);
        assert.equal(status, 400, query);
        assert.match(body, /role="alert"/, query);
        assert.deepEqual(listed(body), []);
      }
    });

    it('a developer sees the deliveries of the applications given to them, whatever the address says', async () => {
      for (const query of [
        '',
        'client=other',
        'client=other&user=zoe',
        'endpoint=we_other',
        'state=dead',
        'user=zoe',
      ]) {
        const { status, body } = await developer.get(`${LIST}?${query}`);
        assert.equal(status, 200, query);
        assert.ok(!body.includes('msg_other'), query);
      }
      for (const path of ['', '/body']) {
        assert.equal((await developer.get(`${LIST}/other/msg_other${path}`)).status, 404);
        // The developer's own application has no such delivery.
        assert.equal((await developer.get(`${LIST}/acme/msg_other${path}`)).status, 404);
      }
      assert.equal((await developer.post(`${LIST}/acme/msg_other/replay`)).status, 404);
    });

    it('a viewer reads no user’s name, no answer and no body', async () => {
      for (const path of [LIST, `${LIST}?state=dead`, `${LIST}/acme/msg_dead`]) {
        const { status, body } = await viewer.get(path);
        assert.equal(status, 200);
        assert.match(body, /a•••@e•••\.com/, path);
        const shown = body.replaceAll(/name="token" value="[\w-]{43}"/g, '');
        for (const hidden of ['ada@example', 'cal@example', 'alert(1)', 'Secret of', 'gnp', 'hush'])
          assert.ok(!shown.includes(hidden), `${path}: ${hidden}`);
      }
      assert.equal((await viewer.get(`${LIST}/acme/msg_dead/body`)).status, 403);
    });

    it('what users and receivers wrote is text, and what cannot be seen is written out', async () => {
      for (const path of [LIST, `${LIST}/acme/msg_dead`, `${LIST}/acme/msg_late`]) {
        const { body } = await owner.get(path);
        assert.ok(!body.includes('<script>alert'), path);
      }
      assert.match((await owner.get(`${LIST}/acme/msg_dead`)).body, /\\u202egnp/);
    });

    it('a body is shown after a fresh sign-in only, and each time audited', async () => {
      const stale = await dashboard.signedIn('developer');
      dashboard.clock.now += 6 * 60_000;
      const asked = await stale.get(`${LIST}/acme/msg_dead/body`);
      assert.match(leadsTo(asked), /^\/dashboard\/confirm\?next=/);
      assert.ok(!(await auditedActions()).includes('delivery.shown'));

      const fresh = await dashboard.signedIn('developer');
      assert.ok(!(await fresh.get(`${LIST}/acme/msg_dead`)).body.includes('Secret of'));
      const { body } = await fresh.get(`${LIST}/acme/msg_dead/body`);
      assert.match(body, /Secret of msg_dead/);
      assert.match(body, /webhook-signature: v1a,\S+ v1,/);
      assert.equal(body.match(/>Valid</g)?.length, 2);
      assert.deepEqual(
        (await auditedActions()).filter((action) => action === 'delivery.shown'),
        ['delivery.shown'],
      );
    });

    it('a body of a playground user needs no fresh sign-in, and is audited all the same', async () => {
      await plantDelivery(dashboard, {
        ...{
          messageId: 'msg_test',
          clientId: 'acme',
          state: 'withheld',
          createdAt: now,
          userId: 'playground:1',
        },
      });
      await dashboard.db.write(
        `INSERT INTO playground_user (client_id, user_id, person_id, created_at, ends_at)
         VALUES ('acme', 'playground:1', :personId, 1, 2)`,
        { personId: developer.personId },
      );
      const shown = async () =>
        (await auditedActions()).filter((action) => action === 'delivery.shown').length;
      const [stale, before] = [await dashboard.signedIn('developer'), await shown()];
      dashboard.clock.now += 6 * 60_000;

      const { status, body } = await stale.get(`${LIST}/acme/msg_test/body`);

      assert.equal(status, 200);
      assert.match(body, /Secret of msg_test/);
      assert.equal(await shown(), before + 1);
      assert.match(leadsTo(await stale.get(`${LIST}/acme/msg_dead/body`)), /^\/dashboard\/confirm/);
      assert.equal((await viewer.get(`${LIST}/acme/msg_test/body`)).status, 403);
      await dashboard.db.write(`DELETE FROM webhook_message WHERE message_id = 'msg_test'`);
    });

    it('a pending delivery with an attempt is listed as retrying, with the title of its calendar', async () => {
      await plantCalendar(dashboard, { calendarKey: 'c1', title: 'Garden <b>club</b>' });
      const pending = { clientId: 'acme', state: 'pending', createdAt: now } as const;
      await plantDelivery(dashboard, {
        ...pending,
        messageId: 'msg_tried',
        calendarKey: 'c1',
        calendarId: '/c/',
      });
      await plantDelivery(dashboard, { ...pending, messageId: 'msg_new', attempts: 0 });

      const { body } = await owner.get(`${LIST}?state=retrying`);

      assert.deepEqual(listed(body), ['msg_tried']);
      assert.match(body, /class="state warn">.*?Retrying</);
      assert.match(body, /Garden &#60;b&#62;club|Garden &lt;b&gt;club/);
      assert.deepEqual(listed((await developer.get(`${LIST}?client=acme&state=retrying`)).body), [
        'msg_tried',
      ]);
      assert.doesNotMatch((await viewer.get(`${LIST}?state=retrying`)).body, /Garden/);
      assert.match((await owner.get(`${LIST}/acme/msg_new`)).body, /class="state quiet">.*?Pending</);
      await dashboard.db.write(`DELETE FROM webhook_message WHERE state = 'pending'`);
    });

    it('says of a signature that somebody received whether it is genuine, and shows no body for it', async () => {
      const timestamp = '1790000000';
      const content = Buffer.from(`msg_dead.${timestamp}.${bodyOf('msg_dead')}`);
      const secrets = (await dashboard.stores.endpoints.secretsOf('we_acme')) ?? [];
      const [own = ''] = signWithSecrets(content, secrets, now);
      const [byKey = ''] = dashboard.deps.webhookSigner.signaturesOf('acme', content);
      const check = async (signature: string) =>
        (await developer.post(`${LIST}/acme/msg_dead/signature`, { timestamp, signature })).body;

      const both = await check(`${byKey} ${own}`);
      assert.equal(both.match(/>Valid</g)?.length, 2);
      assert.ok(!both.includes('Secret of'));
      const wrong = await check(`v1a,${'A'.repeat(86)}== v1,${HOSTILE} v2,x`);
      assert.ok(!wrong.includes('>Valid<') && !wrong.includes('<script>alert'));
      assert.equal(wrong.match(/>Invalid</g)?.length, 3);
      assert.match(await check(' '), /contains no signature/);
    });

    it('names the host of the endpoint, and its application if the reader has several', async () => {
      await plantDelivery(dashboard, {
        messageId: 'msg_host',
        ...{ clientId: 'acme', state: 'dead', createdAt: now, userId: 'host' },
      });
      const cell = async (browser: DashboardBrowser) =>
        /<td><bdi class="cut">(.*?)<\/td>/.exec(
          (await browser.get(`${LIST}?client=acme&user=host`)).body,
        )?.[1];

      assert.equal(await cell(owner), 'acme.example</bdi><small><bdi>The acme</bdi></small>');
      assert.equal(await cell(developer), 'acme.example</bdi>');
    });

    it('stays below 60 KB if every row of the list can be resent', async () => {
      for (let number = 0; number < 41; number += 1)
        await plantDelivery(dashboard, {
          messageId: `msg_01K9Z3N8T6WQ4V5B7C9D1E2F${String(number).padStart(2, '0')}`,
          ...{
            clientId: 'acme',
            state: 'pending',
            createdAt: now,
            calendarId: 'a-long-calendar@group.calendar.example',
          },
        });
      const { body } = await owner.get(`${LIST}?client=acme&state=retrying&period=30d`);

      assert.equal(body.match(/name="delivery"/g)?.length, 35);
      assert.ok(Buffer.byteLength(body) <= 60 * 1024, `${Buffer.byteLength(body)} bytes`);
      await dashboard.db.write(`DELETE FROM webhook_message WHERE state = 'pending'`);
    });

    it('resends one delivery, or all deliveries that match a filter after it has counted them', async () => {
      const replays = async () =>
        (await auditedActions()).filter((action) => action === 'delivery.replayed').length;
      const before = await replays();
      assert.equal((await viewer.post(`${LIST}/acme/msg_dead/replay`)).status, 403);
      const one = await developer.post(`${LIST}/acme/msg_late/replay`);
      assert.match((await developer.get(leadsTo(one))).body, /sent again within a few seconds/);

      const query = 'state=dead&user=ada%40example.com';
      const page = await developer.get(`${LIST}/acme/replay?${query}`);
      assert.match(page.body, /1 delivery will be sent again/);
      const names = [...page.body.matchAll(/name="(\w+)" value="([^"]*)"/g)];
      const form = Object.fromEntries(
        names.map(([, name = '', value = '']) => [name, value.replaceAll('&#61;', '=')]),
      );
      const sent = await developer.post(`${LIST}/acme/replay`, {
        ...{ state: 'dead', user: 'ada@example.com' },
        ...{ client: 'other', from: form.from ?? '', to: form.to ?? '' },
      });
      assert.match((await developer.get(leadsTo(sent))).body, /1 delivery is sent again/);
      const due = await dashboard.stores.messages.takeReplays(takeTerms(dashboard.clock.now));
      assert.deepEqual(due.map(({ messageId }) => messageId).toSorted(), ['msg_dead', 'msg_late']);
      assert.equal((await developer.get(`${LIST}/other/replay`)).status, 404);
      assert.equal(await replays(), before + 2);
    });

    it('resends a failed delivery from its row, and leads back to the list with its filters', async () => {
      for (const messageId of ['msg_row_1', 'msg_row_2'])
        await plantDelivery(dashboard, {
          messageId,
          ...{ clientId: 'acme', state: 'dead', createdAt: now, userId: 'row' },
        });
      const query = 'client=acme&state=dead&user=row';
      const list = (await developer.get(`${LIST}?${query}`)).body;
      const [, back = ''] =
        /<input type="hidden" name="back" value="([^"]*)"/.exec(list.slice(list.indexOf('data-live'))) ?? [];
      const buttons = [...list.matchAll(/<button [^>]*name="delivery" value="([^"]*)"/g)];
      assert.deepEqual(
        buttons.map(([, delivery]) => delivery),
        ['acme msg_row_2', 'acme msg_row_1'],
      );
      const resend = (delivery = '', to = back) => developer.post(LIST, { delivery, back: unescaped(to) });
      const answer = await resend(buttons[0]?.[1]);

      assert.equal(leadsTo(answer), `${LIST}?${query}&replayed=1`);
      assert.match((await developer.get(leadsTo(answer))).body, /1 delivery is sent again/);
      assert.ok(!(await viewer.get(`${LIST}?state=dead`)).body.includes('name="delivery"'));
      assert.ok(!(await developer.get(`${LIST}?state=delivered`)).body.includes('name="delivery"'));
      for (const [browser, delivery, status] of [
        [viewer, 'acme msg_row_1', 403],
        [developer, 'other msg_other', 404],
        [developer, 'acme msg_none', 404],
        [developer, '', 404],
      ] as const)
        assert.equal((await browser.post(LIST, { delivery })).status, status, delivery);
      for (const foreign of [
        'https://evil.example/',
        '//evil.example',
        '/dashboard',
        'x:',
        '\\\\[',
        'http://[',
      ]) {
        assert.equal(leadsTo(await resend('acme msg_row_2', foreign)), `${LIST}?replayed=1`, foreign);
      }
    });

    it('an empty list says what will be shown', async () => {
      const empty = await openDashboardApp(await open());
      const { body } = await (await empty.signedIn('owner')).get(LIST);
      assert.match(body, /No deliveries yet/);
      await empty.app.close();
    });
  });
});
