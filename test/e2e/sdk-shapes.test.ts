/**
 * Requests of the published clients in seven languages, replayed (docs/wire.md 6): their headers, bodies and encodings,
 * how they refresh and retry, and their fallback paths.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { decodeJwt } from 'jose';

import { openBrowser } from './browser.ts';
import { allow, jsonOf, linkAccount, type TokenPair, tokensOf } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

type Sdk = {
  readonly name: string;
  readonly clientIdHeader: boolean;
  /** Sends `Content-Type: application/json` with requests that have no body. */
  readonly typedGet: boolean;
  readonly disconnectBody: '{}' | '[]';
  readonly providers: string;
  /** Sent when the caller names none. */
  readonly scope: string | undefined;
  readonly space: '%20' | '+';
  readonly redirectUriOnRefresh: boolean;
  readonly formType: string;
  /** Statuses after which it refreshes once and retries. */
  readonly refreshesOn: readonly number[];
};

const COMMA = 'providers=google%2Ccaldav';
const REPEATED = 'providers=google&providers=caldav';
const FORM = 'application/x-www-form-urlencoded';
const COMMON = {
  clientIdHeader: true,
  typedGet: true,
  disconnectBody: '{}',
  providers: COMMA,
  scope: undefined,
  space: '%20',
  redirectUriOnRefresh: true,
  formType: FORM,
  refreshesOn: [401],
} as const;
const SDKS: readonly Sdk[] = [
  { ...COMMON, name: 'Node', space: '+' },
  { ...COMMON, name: 'Python', scope: 'calendar', space: '+' },
  {
    ...COMMON,
    ...{
      name: 'PHP',
      clientIdHeader: false,
      scope: 'calendar',
      disconnectBody: '[]',
      refreshesOn: [401, 403],
    },
  },
  { ...COMMON, name: 'Ruby', providers: REPEATED, space: '+' },
  { ...COMMON, name: 'Go', providers: REPEATED, typedGet: false, space: '+' },
  {
    ...COMMON,
    ...{ name: 'Java', providers: REPEATED, typedGet: false, redirectUriOnRefresh: false },
    formType: `${FORM}; charset=utf-8`,
  },
  { ...COMMON, name: '.NET', typedGet: false, formType: `${FORM}; charset=utf-8` },
];

describe('requests of the published clients', { skip: WITHOUT_RADICALE }, () => {
  let site: Site;
  before(async () => {
    site = await openSite();
  });
  after(() => site?.close());

  for (const sdk of SDKS) {
    it(`the service carries the ${sdk.name} client through connecting, reading, refreshing and disconnecting`, async () => {
      const client = clientOf(sdk, site, `user of ${sdk.name}`);
      await client.authorize();
      const first = await tokensOf(
        await client.token({ grant_type: 'authorization_code', code: client.userId }),
      );

      for (const path of [
        '/calendars',
        '/events?pageSize=10',
        '/oauth/connection-status',
        '/connection-status',
      ]) {
        const answer = await client.get(path, first.accessToken);
        assert.equal(answer.status, 200, path);
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      }
      // The access token is invalid: the client refreshes once and retries once.
      const recovered = await client.getWithRetry('/calendars', {
        ...first,
        accessToken: `${first.accessToken}x`,
      });
      assert.equal(recovered.answer.status, 200);
      assert.equal(decodeJwt(first.accessToken).scope, 'read-write');
      const current = recovered.pair;
      for (const path of ['/oauth/disconnect', '/disconnect']) {
        const answer = await client.disconnect(path, current.accessToken);
        assert.equal(answer.status, 200, path);
        assert.equal((await jsonOf(answer)).success, true);
      }
      const status = await jsonOf(await client.get('/oauth/connection-status', current.accessToken));
      assert.deepEqual(status.connections, { google: [], microsoft: [], apple: [], caldav: [] });
    });
  }

  it('the service serves a client that answers 401 with one refresh and one retry', async () => {
    const [sdk = SDKS[0]] = SDKS;
    const client = clientOf(sdk as Sdk, site, 'retrying'); // the list is not empty
    await client.authorize();
    const first = await tokensOf(
      await client.token({ grant_type: 'authorization_code', code: client.userId }),
    );

    const late = await client.getWithRetry('/calendars', { ...first, accessToken: 'expired' });
    const lost = await client.getWithRetry('/calendars', { ...first, accessToken: 'expired' });

    assert.equal(late.answer.status, 200);
    // The first client spent the refresh token: the second fails as it expects.
    assert.equal(lost.answer.status, 401);
    assert.equal(lost.refused?.error, 'invalid_grant');
    assert.equal(lost.refused?.message, lost.refused?.error_description);
  });

  it('the service refreshes for the PHP client after a 403, which stays one', async () => {
    const php = SDKS.find(({ name }) => name === 'PHP');
    const client = clientOf({ ...(php as Sdk), scope: 'free-busy' }, site, 'php-403'); // it is in the list
    await client.authorize();
    const first = await tokensOf(
      await client.token({ grant_type: 'authorization_code', code: client.userId }),
    );

    const { answer, pair } = await client.getWithRetry('/calendars', first);

    assert.equal(answer.status, 403);
    assert.notEqual(pair.refreshToken, first.refreshToken);
    assert.equal(typeof (await jsonOf(answer)).message, 'string');
    assert.equal((await client.get('/events', pair.accessToken)).status, 200);
  });

  it('the service answers the Node client’s second exchange, which comes with Bearer and no secret, invalid_client', async () => {
    const { url, clientId, redirectUri } = site.application;
    const answer = await fetch(`${url}/api/oauth/token`, {
      method: 'POST',
      headers: { authorization: 'Bearer abc', client_id: clientId, 'content-type': FORM },
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x', redirect_uri: redirectUri }),
    });

    assert.equal(answer.status, 400);
    assert.equal((await jsonOf(answer)).error, 'invalid_client');
  });

  it('the service answers no API call with a redirect', async () => {
    for (const path of ['/api/calendars', '/api/events', '/api/oauth/connection-status', '/api/nothing']) {
      const answer = await fetch(`${site.application.url}${path}`, { redirect: 'manual' });

      assert.ok([401, 404].includes(answer.status), `${path} ${answer.status}`);
    }
  });
});

/** Returns the client for one user, with calls like those of its library. */
function clientOf(sdk: Sdk, { application, login }: Site, userId: string) {
  const { url, clientId, clientSecret, redirectUri } = application;
  const api = `${url}/api`;
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

  const token = (form: Record<string, string>) => {
    const isRefresh = form.grant_type === 'refresh_token';
    const withUri = isRefresh && !sdk.redirectUriOnRefresh ? form : { ...form, redirect_uri: redirectUri };
    return fetch(`${api}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: basic,
        'content-type': sdk.formType,
        ...(sdk.clientIdHeader ? { CLIENT_ID: clientId } : {}),
      },
      body: new URLSearchParams(withUri).toString(),
    });
  };
  const headersOf = (accessToken: string, typed: boolean) => ({
    authorization: `Bearer ${accessToken}`,
    ...(typed ? { 'content-type': 'application/json' } : {}),
  });
  const get = (path: string, accessToken: string) =>
    fetch(api + path, { headers: headersOf(accessToken, sdk.typedGet), redirect: 'error' });

  return {
    userId,
    token,
    get,
    async authorize() {
      const spelled = encodeURIComponent(userId).replaceAll('%20', sdk.space);
      const scope = sdk.scope === undefined ? '' : `&scope=${sdk.scope}`;
      const query = `client_id=${clientId}&response_type=code&user_id=${spelled}&redirect_uri=${encodeURIComponent(redirectUri)}${scope}&${sdk.providers}`;
      const browser = openBrowser();
      await browser.open(`${api}/oauth/authorize?${query}`);
      await linkAccount(browser, login);
      const { destination } = await allow(browser);
      assert.equal(destination?.searchParams.get('code'), userId);
    },
    async getWithRetry(path: string, pair: TokenPair) {
      const answer = await get(path, pair.accessToken);
      if (!sdk.refreshesOn.includes(answer.status)) return { answer, pair, refused: undefined };
      const refreshed = await token({ grant_type: 'refresh_token', refresh_token: pair.refreshToken });
      if (refreshed.status !== 200) return { answer, pair, refused: await jsonOf(refreshed) };
      const next = await tokensOf(refreshed);
      return { answer: await get(path, next.accessToken), pair: next, refused: undefined };
    },
    disconnect: (path: string, accessToken: string) =>
      fetch(`${api}${path}?provider=caldav`, {
        method: 'POST',
        headers: headersOf(accessToken, true),
        body: sdk.disconnectBody,
        redirect: 'error',
      }),
  };
}
