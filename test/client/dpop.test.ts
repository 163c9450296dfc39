/** The published client with DPoP (RFC 9449), at an application of the program that requires it with nonces. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { type KalendsOptions, kalends, type Tokens } from '../../packages/client/src/kalends.ts';
import { openBrowser } from '../e2e/browser.ts';
import { allow, linkAccount } from '../e2e/flow.ts';
import { ADA, type ClientSite, memoryStore, network, openClientSite, STATE } from './client-site.ts';

describe('the client with DPoP', () => {
  let site: ClientSite;
  let options: KalendsOptions;
  before(async () => {
    site = await openClientSite();
    options = { url: site.program.url, ...(await site.program.createClient()) };
    await switchTo('required');
  });
  after(() => site?.close());

  const switchTo = (constraint: string) =>
    site.program.command(
      ...['client', 'update', options.clientId, '--sender-constraint', constraint],
      ...['--dpop-nonce', constraint === 'required' ? 'on' : 'off'],
    );

  function open(changed: Partial<KalendsOptions> = { dpop: true }) {
    const net = network();
    return { net, client: kalends({ ...options, fetch: net.fetch, ...changed }) };
  }
  async function tokensOf(userId: string, { client } = open()): Promise<Tokens> {
    const browser = openBrowser();
    const page = await browser.open(await client.pushedAuthorizationUrl({ userId, state: STATE }));
    if (!page.body.includes(ADA)) await linkAccount(browser, site.login);
    const { destination } = await allow(browser);
    if (destination === undefined) throw new Error('Allow led nowhere');
    return client.completeAuthorization({ url: destination, state: STATE, userId });
  }
  const jktOf = ({ accessToken }: Tokens) => Object(decodeJwt(accessToken).cnf).jkt;

  it('pushes, exchanges and calls with proofs of one key, and repeats a request for its nonce', async () => {
    const opened = open();
    const tokens = await tokensOf('ada', opened);
    const { client, net } = opened;

    await client.user(memoryStore(tokens)).connectionStatus();
    await client.user(memoryStore(tokens)).connectionStatus();

    const proofs = net.sent.flatMap(({ headers }) => headers.get('dpop') ?? []);
    const requests = net.sent.map(({ request }) => request);
    const status = 'GET /connection-status';
    assert.deepEqual(requests, ['POST /par', 'POST /par', 'POST /token', status, status]);
    assert.equal(proofs.length, requests.length);
    assert.equal(new Set(proofs.map((proof) => decodeJwt(proof).jti)).size, proofs.length);
    assert.equal(new Set(proofs.map((proof) => JSON.stringify(decodeProtectedHeader(proof).jwk))).size, 1);
    assert.equal(net.sent.at(-1)?.headers.get('authorization'), `DPoP ${tokens.accessToken}`);
  });

  it('refreshes with its own key if the tokens in the store are bound to that of another process', async () => {
    const store = memoryStore(await tokensOf('ben'));
    const first = jktOf(store.tokens);

    await open().client.user(store).connectionStatus();

    assert.notEqual(jktOf(store.tokens), first);
    assert.equal(store.saved.length, 1);
  });

  it('shares tokens with another process by a shared key pair', async () => {
    const dpop = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
    const store = memoryStore(await tokensOf('cleo', open({ dpop })));

    await open({ dpop }).client.user(store).connectionStatus();

    assert.equal(store.saved.length, 0);
  });

  it('binds the tokens of an earlier client with their next refresh', async () => {
    await switchTo('accepted');
    const store = memoryStore({ ...(await tokensOf('dora', open({}))), expiresAt: 0 });
    const { client, net } = open();

    await client.user(store).connectionStatus();

    assert.ok(jktOf(store.tokens));
    assert.match(net.sent.at(-1)?.headers.get('authorization') ?? '', /^DPoP /);
  });

  it('sends unbound tokens as Bearer tokens', async () => {
    const store = memoryStore(await site.tokensOf('finn'));
    const { client, net } = open({ ...site.options, dpop: true });

    await client.user(store).connectionStatus();

    assert.equal(net.sent.at(-1)?.headers.get('authorization'), `Bearer ${store.tokens.accessToken}`);
    assert.equal(net.sent.at(-1)?.headers.get('dpop'), null);
  });

  it('without DPoP fails with the code of the service', async () => {
    await switchTo('required');

    await assert.rejects(tokensOf('ella', open({})), { code: 'invalid_dpop_proof', status: 400 });
  });
});
