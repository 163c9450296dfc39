/** The published client at an application with opaque codes, required PKCE and `iss`, at the program as it is shipped. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createPkce, KalendsError, type KalendsOptions, kalends } from '../../packages/client/src/kalends.ts';
import { openBrowser } from '../e2e/browser.ts';
import { allow, linkAccount } from '../e2e/flow.ts';
import { type ClientSite, network, openClientSite, STATE } from './client-site.ts';

const refusedAs = (code: string) => (error: unknown) => error instanceof KalendsError && error.code === code;

describe('the client with opaque codes', () => {
  let site: ClientSite;
  before(async () => {
    site = await openClientSite();
    await site.program.command(
      ...['client', 'update', site.options.clientId],
      ...['--code-format', 'opaque', '--pkce', 'required', '--issuer-in-callback', 'on'],
    );
  });
  after(() => site?.close());

  const clientWith = (options: Partial<KalendsOptions>) => kalends({ ...site.options, ...options });

  /** Goes through the pages and returns the callback of the user. */
  async function flow(userId: string) {
    const { codeVerifier, codeChallenge } = await createPkce();
    const browser = openBrowser();
    await browser.open(site.client.authorizationUrl({ userId, state: STATE, language: 'en', codeChallenge }));
    await linkAccount(browser, site.login);
    const { destination = '' } = await allow(browser);
    return { url: new URL(destination), state: STATE, userId, codeVerifier };
  }

  it('returns the tokens of the user who is signed in, whatever characters its id has', async () => {
    const callback = await flow('zoë +&/ö');

    const tokens = await clientWith({ codes: 'opaque' }).completeAuthorization(callback);

    assert.ok(tokens.accessToken);
    assert.match(callback.url.searchParams.get('code') ?? '', /^[\w-]{43}$/);
    assert.equal(callback.url.searchParams.get('iss'), site.program.url);
  });

  it('returns no tokens of another user', async () => {
    const callback = await flow('ada');

    const completed = clientWith({ codes: 'opaque' }).completeAuthorization({ ...callback, userId: 'eve' });

    await assert.rejects(completed, refusedAs('user_mismatch'));
  });

  it('expects opaque codes if an issuer is given, and otherwise the user’s id', async () => {
    const callback = await flow('bob');

    await assert.rejects(clientWith({}).completeAuthorization(callback), refusedAs('user_mismatch'));
    const tokens = await clientWith({ issuer: site.program.url }).completeAuthorization(callback);

    assert.ok(tokens.accessToken);
  });

  it('refuses another iss, and a missing one if an issuer is given, before it sends the code', async () => {
    const { fetch, sent } = network();
    const callback = await flow('kim');
    const changed = (iss: string | undefined) => {
      const url = new URL(callback.url);
      url.searchParams.delete('iss');
      if (iss !== undefined) url.searchParams.set('iss', iss);
      return { ...callback, url };
    };
    const { url } = site.program;
    const cases: [string | undefined, string | undefined][] = [
      [undefined, 'https://evil.example'],
      [undefined, `${url}/`],
      [undefined, ''],
      [url, undefined],
      [url, 'https://evil.example'],
      ['https://other.example', url],
    ];

    for (const [issuer, iss] of cases) {
      const completed = clientWith({ issuer, codes: 'opaque', fetch }).completeAuthorization(changed(iss));
      await assert.rejects(completed, refusedAs('issuer_mismatch'), `${issuer} ${iss}`);
    }

    assert.deepEqual(sent, []);
    const tokens = await clientWith({ codes: 'opaque' }).completeAuthorization(changed(undefined));
    assert.ok(tokens.accessToken);
  });

  it('checks iss before it reports that the user cancelled', async () => {
    const url = `/callback?error=access_denied&state=${encodeURIComponent(STATE)}`;
    const completed = (iss: string) =>
      clientWith({ codes: 'opaque' }).completeAuthorization({ url: url + iss, state: STATE, userId: 'ada' });

    await assert.rejects(completed('&iss=https://evil.example'), refusedAs('issuer_mismatch'));
    await assert.rejects(completed(`&iss=${site.program.url}`), refusedAs('access_denied'));
  });
});
