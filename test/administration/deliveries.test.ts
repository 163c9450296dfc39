/** The operations on deliveries, besides what the matrix tests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plantDelivery, plantEndpoints } from '../dashboard/planted-deliveries.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { ENVIRONMENT_KEY as key, NOW, openAdministrationApp, USER } from './administration-app.ts';

const at = (instant: number) => new Date(instant).toISOString();
const PERIOD = { from: at(NOW - 1_000_000), to: at(NOW + 1) };

onEachDatabase((database, open) => {
  /** Opens the API with three dead deliveries of `acme` and one delivery of `other`. */
  const opened = async () => {
    const administration = await openAdministrationApp(await open());
    await plantEndpoints(administration);
    const attempt = { answer: 'canary', fault: 'It answered 500' };
    const facts = { userId: USER, calendarId: USER, attempt };
    for (const [index, messageId] of ['msg_1', 'msg_2', 'msg_3'].entries()) {
      const planted = { messageId, clientId: 'acme', state: 'dead', createdAt: NOW + index - 10 } as const;
      await plantDelivery(administration.deps, { ...planted, ...facts });
    }
    const other = {
      messageId: 'msg_4',
      clientId: 'other',
      state: 'delivered',
      createdAt: NOW - 100,
    } as const;
    await plantDelivery(administration.deps, { ...other, ...facts });
    const list = async (query: string, sender = key) => {
      const { document } = await administration.send('get', `/deliveries?${query}`, { key: sender });
      return (document.deliveries as { id: string }[] | undefined)?.map(({ id }) => id) ?? document.code;
    };
    return { ...administration, list };
  };

  it(`deliveries are listed by filters, the newest first, on ${database}`, async () => {
    const { app, list } = await opened();
    assert.deepEqual(await list(''), ['msg_3', 'msg_2', 'msg_1', 'msg_4']);
    assert.deepEqual(await list('client_id=acme&state=dead'), ['msg_3', 'msg_2', 'msg_1']);
    assert.deepEqual(await list('state=delivered'), ['msg_4']);
    assert.deepEqual(await list('endpoint_id=we_other'), ['msg_4']);
    assert.deepEqual(await list(`client_id=acme&user_id=${USER}&from=${at(NOW - 8)}`), ['msg_3']);
    assert.deepEqual(await list('client_id=acme&user_id=nobody'), []);
    for (const query of [`user_id=${USER}`, 'calendar_id=x', 'state=lost', 'after=x', 'limit=201'])
      assert.equal(await list(query), 'invalid_request', query);
    assert.equal(await list(`from=${PERIOD.to}&to=${PERIOD.from}`), 'invalid_request');
    assert.equal(await list('client_id=none'), 'not_there');
    await app.close();
  });

  it(`a received signature is compared with the keys of the application, on ${database}`, async () => {
    const { app, send, deps, stores } = await opened();
    const message = await stores.messages.findMessage('acme', 'msg_1', undefined);
    const content = Buffer.from(`msg_1.1763208000.${message?.body}`);
    const line = deps.webhookSigner.signaturesOf('acme', content).join(' ');
    const check = async (signature: string, path = 'msg_1') =>
      send('post', `/deliveries/${path}/signature`, { key, body: { timestamp: '1763208000', signature } });
    const [own] = (await check(line)).document.signatures as { scheme: string; by: string }[];
    assert.deepEqual([own?.scheme, own?.by], ['v1a', deps.webhookSigner.signing('acme')[0]?.id]);
    assert.deepEqual((await check('v1a,AAAA odd')).document.signatures, [
      { scheme: 'v1a', by: null, signature: 'v1a,AAAA' },
      { scheme: null, by: null, signature: 'odd' },
    ]);
    assert.equal((await check(line, 'none')).document.code, 'not_there');
    assert.equal((await check('')).document.code, 'invalid_request');
    await app.close();
  });

  it(`lists of deliveries are read page by page, with each once, on ${database}`, async () => {
    const { app, send } = await opened();
    const listed: string[] = [];
    for (let after: unknown = ''; after !== null; ) {
      const query = after === '' ? '' : `&after=${encodeURIComponent(String(after))}`;
      const { document } = await send('get', `/deliveries?limit=1${query}`, { key });
      listed.push(...(document.deliveries as { id: string }[]).map(({ id }) => id));
      after = document.next;
    }
    assert.deepEqual(listed, ['msg_3', 'msg_2', 'msg_1', 'msg_4']);
    await app.close();
  });

  it(`a developer gets deliveries of its applications, and others as if they did not exist, on ${database}`, async () => {
    const { app, send, list, createKey } = await opened();
    const developer = (await createKey('developer', { clientIds: ['other'] })).secret;
    assert.deepEqual(await list('', developer), ['msg_4']);
    assert.deepEqual(await list('endpoint_id=we_acme', developer), []);
    assert.equal(await list('client_id=acme', developer), 'not_there');
    for (const [method, action] of [
      ['get', ''],
      ['get', '/body'],
      ['get', '?client_id=other'],
      ['post', '/replay'],
    ] as const) {
      const body = method === 'post' ? {} : undefined;
      const foreign = await send(method, `/deliveries/msg_1${action}`, { key: developer, body });
      const unknown = await send(method, `/deliveries/msg_9${action}`, { key: developer, body });
      assert.deepEqual([foreign.status, foreign.document.code], [404, 'not_there']);
      assert.deepEqual(unknown.document, foreign.document);
    }
    const body = { client_id: 'acme', ...PERIOD };
    const replay = await send('post', '/deliveries/replay', { key: developer, body });
    assert.equal(replay.document.code, 'not_there');
    await app.close();
  });

  it(`a viewer reads masked names, and neither bodies nor responses, on ${database}`, async () => {
    const { app, send, createKey } = await opened();
    const viewer = (await createKey('viewer')).secret;
    for (const path of ['/deliveries', '/deliveries?client_id=acme', '/deliveries/msg_1']) {
      const { status, document } = await send('get', path, { key: viewer });
      assert.equal(status, 200);
      assert.match(JSON.stringify(document), /j•••/);
      assert.doesNotMatch(JSON.stringify(document), /jane|canary|Secret of/);
    }
    assert.equal((await send('get', '/deliveries/msg_1/body', { key: viewer })).document.code, 'not_allowed');
    await app.close();
  });

  it(`a delivery is shown with its attempts, and its body is audited, on ${database}`, async () => {
    const { app, send, stores } = await opened();
    const audited = async () =>
      (await stores.audit.listEntries({ action: 'delivery.shown' }, { limit: 9 })).length;
    const { document } = await send('get', '/deliveries/msg_1', { key });
    assert.deepEqual([document.id, document.clientId, document.userId], ['msg_1', 'acme', USER]);
    const attempt = { number: 1, startedAt: at(NOW - 10), durationMs: 12, status: 500 };
    assert.deepEqual(document.attemptLog, [{ ...attempt, fault: 'It answered 500', answer: 'canary' }]);
    assert.equal(await audited(), 0);
    const whole = await send('get', '/deliveries/msg_1/body', { key });
    assert.deepEqual(whole.document, { ...document, body: whole.document.body });
    assert.match(JSON.stringify(whole.document.body), /Secret of msg_1/);
    assert.equal(await audited(), 1);
    await app.close();
  });

  it(`deliveries are resent, one or those of a period, and no other ones, on ${database}`, async () => {
    const { app, db, send } = await opened();
    const waiting = async () => {
      const sql = 'SELECT message_id FROM webhook_message WHERE replay_at IS NOT NULL ORDER BY message_id';
      return (await db.all<{ messageId: string }>(sql)).map(({ messageId }) => messageId);
    };
    const one = await send('post', '/deliveries/msg_4/replay', { key, body: {} });
    assert.deepEqual([one.document, await waiting()], [{ count: 1, more: false }, ['msg_4']]);
    const replay = async (body: object) => (await send('post', '/deliveries/replay', { key, body })).document;
    assert.equal((await replay({ client_id: 'acme' })).code, 'invalid_request');
    assert.equal((await replay(PERIOD)).code, 'invalid_request');
    const all = await replay({ client_id: 'acme', state: 'dead', ...PERIOD });
    assert.deepEqual(all, { count: 3, more: false });
    assert.deepEqual(await waiting(), ['msg_1', 'msg_2', 'msg_3', 'msg_4']);
    await app.close();
  });
});
