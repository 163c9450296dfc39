/** The operations on requests and connections, besides what the matrix tests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { ENVIRONMENT_KEY as key, NOW, openAdministrationApp, USER } from './administration-app.ts';
import { REFUSED_REQUEST } from './logged-requests.ts';

const at = (instant: number) => new Date(instant).toISOString();
/** Accounts without a problem have no reason. */
const CONTRADICTIONS = [
  'state=connected&reason=password_refused',
  'state=active&provider=caldav',
  'state=active&turn=user',
];

onEachDatabase((database, open) => {
  /** Opens the API with two requests of `acme`, one of `other`, and an account with a problem of each. */
  const opened = async () => {
    const administration = await openAdministrationApp(await open());
    const { stores, db, send } = administration;
    const entries = [
      { requestId: 'a', at: NOW - 3 },
      { requestId: 'b', at: NOW - 2, status: 200, body: undefined },
      { requestId: 'c', at: NOW - 1, clientId: 'other', route: '/event' },
    ];
    await stores.requestLog.addRequests(entries.map((entry) => ({ ...REFUSED_REQUEST, ...entry })));
    for (const clientId of ['acme', 'other']) {
      const facts = { clientId, userId: USER, accountId: USER, display: USER };
      const account = await stores.accounts.linkAccount(newAccount(facts), NOW);
      await grantAll(db, { clientId, userId: USER });
      const health = { state: 'reauth_required', reason: 'password_refused', message: USER } as const;
      await stores.accounts.setHealth(account, health, NOW + (clientId === 'acme' ? 1 : 0));
    }
    const list = async (query: string, sender = key) => {
      const { document } = await send('get', `/requests?${query}`, { key: sender });
      const { requests, code } = document as { requests?: Record<string, string>[]; code?: string };
      return requests?.map((entry) => entry.request_id) ?? code;
    };
    return { ...administration, list };
  };

  it(`requests are listed by filters, the newest first, and shown alone, on ${database}`, async () => {
    const { app, send, list } = await opened();
    assert.deepEqual(await list(''), ['c', 'b', 'a']);
    assert.deepEqual(await list('status=errors'), ['c', 'a']);
    assert.deepEqual(await list('status=2xx&client_id=acme'), ['b']);
    assert.deepEqual(await list('route=/event'), ['c']);
    assert.deepEqual(await list(`from=${at(NOW - 2)}&to=${at(NOW - 1)}`), ['b']);
    assert.deepEqual(await list(`client_id=acme&user_id=${USER}`), ['b', 'a']);
    assert.deepEqual(await list('client_id=acme&user_id=nobody'), []);
    for (const query of [`user_id=${USER}`, 'status=600', 'after=x', 'from=today'])
      assert.equal(await list(query), 'invalid_request', query);
    const { document } = await send('get', '/requests?limit=1', { key });
    const [first] = document.requests as object[];
    assert.deepEqual((await send('get', '/requests/c', { key })).document, first);
    assert.deepEqual(await list(`limit=2&after=${encodeURIComponent(String(document.next))}`), ['b', 'a']);
    assert.equal((await send('get', '/requests/d', { key })).document.code, 'not_there');
    for (const other of [
      'endpoints',
      'deliveries',
      'connections?state=connected',
      'applications/acme/users',
    ]) {
      const page = `/${other}${other.includes('?') ? '&' : '?'}after=${encodeURIComponent(String(document.next))}`;
      assert.equal((await send('get', page, { key })).document.code, 'invalid_request', page);
    }
    await app.close();
  });

  it(`a developer reads the requests of its applications alone, on ${database}`, async () => {
    const { app, send, list, createKey } = await opened();
    const developer = (await createKey('developer', { clientIds: ['other'] })).secret;
    assert.deepEqual(await list('', developer), ['c']);
    assert.deepEqual(await list('request_id=a', developer), []);
    assert.equal(await list('client_id=acme', developer), 'not_there');
    const foreign = await send('get', '/requests/a', { key: developer });
    const unknown = await send('get', '/requests/d', { key: developer });
    assert.deepEqual([foreign.status, foreign.document], [404, unknown.document]);
    await app.close();
  });

  it(`connections are listed by reason, and page by page, on ${database}`, async () => {
    const { app, send } = await opened();
    const { document } = await send('get', '/connections', { key });
    const [group] = document.reasons as { reason: string; count: number; accounts: object[] }[];
    assert.deepEqual([group?.reason, group?.count, group?.accounts.length], ['password_refused', 2, 2]);
    const listed: object[] = [];
    for (let after: unknown = ''; after !== null; ) {
      const query = after === '' ? '' : `&after=${encodeURIComponent(String(after))}`;
      const page = await send('get', `/connections?reason=password_refused&limit=1${query}`, { key });
      assert.equal(page.document.reason, 'password_refused');
      listed.push(...(page.document.accounts as object[]));
      after = page.document.next;
    }
    assert.deepEqual(listed, group?.accounts);
    const connected = await send('get', '/connections?state=connected&client_id=acme', { key });
    assert.deepEqual(connected.document, { accounts: listed.slice(0, 1), next: null });
    for (const query of ['reason=none', 'state=none', 'reason=password_refused&after=x', ...CONTRADICTIONS])
      assert.equal((await send('get', `/connections?${query}`, { key })).document.code, 'invalid_request');
    await app.close();
  });

  it(`a viewer reads connections with masked names, a developer those of its applications, on ${database}`, async () => {
    const { app, send, createKey } = await opened();
    const viewer = (await createKey('viewer')).secret;
    const developer = (await createKey('developer', { clientIds: ['other'] })).secret;
    for (const query of ['', '?reason=password_refused', '?state=connected']) {
      const masked = JSON.stringify((await send('get', `/connections${query}`, { key: viewer })).document);
      assert.match(masked, /j•••/);
      assert.doesNotMatch(masked, /jane/);
      const own = JSON.stringify((await send('get', `/connections${query}`, { key: developer })).document);
      assert.match(own, /"client_id":"other"/);
      assert.doesNotMatch(own, /"client_id":"acme"/);
    }
    const { document } = await send('get', '/connections?client_id=acme', { key: developer });
    assert.equal(document.code, 'not_there');
    await app.close();
  });
});
