/**
 * An application built on openid-client, which checks state and PKCE and nothing else, and a user who writes another
 * user's user_id into the address (docs/security.md T1, T3): each session gets what its own browser allowed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import * as openid from 'openid-client';

import { type Browser, openBrowser, textOf } from './browser.ts';
import { allow, type CalendarLogin, linkAccount, read } from './flow.ts';
import { loginOf, openSite, type Site, WITHOUT_RADICALE } from './site.ts';

/** A person's browser and calendar account. */
type Person = { readonly browser: Browser; readonly login: CalendarLogin };

/** The values that the application keeps in its user's session until the browser comes back. */
type Session = { readonly address: URL; readonly state: string; readonly verifier: string };

describe('an address in which somebody changed user_id', { skip: WITHOUT_RADICALE }, () => {
  let site: Site;
  let config: openid.Configuration;
  before(async () => {
    site = await openSite();
    const { url, clientId, clientSecret } = site.application;
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
    config = await openid.discovery(new URL(url), clientId, clientSecret, undefined, options);
  });
  after(() => site?.close());

  const ada = (): Person => ({ browser: openBrowser(), login: loginOf(site.calendars, 'ada') });
  /** The attacker; her own calendars are grace's. */
  const eve = (): Person => ({ browser: openBrowser(), login: loginOf(site.calendars, 'grace') });

  /** Begins a flow of the application for its signed-in user. */
  const begin = async (userId: string, isPushed = false): Promise<Session> => {
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const parameters = {
      user_id: userId,
      redirect_uri: site.application.redirectUri,
      scope: 'read',
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const address = isPushed
      ? await openid.buildAuthorizationUrlWithPAR(config, parameters)
      : openid.buildAuthorizationUrl(config, parameters);
    return { address, state, verifier };
  };
  const changedTo = (userId: string, { address, ...session }: Session): Session => {
    const changed = new URL(address);
    changed.searchParams.set('user_id', userId);
    return { address: changed, ...session };
  };

  /** Goes through the pages, connecting an account if none can be allowed; returns the address of the callback. */
  const visit = async ({ browser, login }: Person, { address }: Session): Promise<URL> => {
    const page = await browser.open(address);
    if (!/>(Allow|Done)<\/button>/.test(page.body)) await linkAccount(browser, login);
    const { destination, body } = await allow(browser);
    return destination ?? assert.fail(textOf(body));
  };
  /** Finishes a flow as the application does: openid-client checks the state and sends the verifier. */
  const finish = async (callback: URL, { state, verifier }: Session): Promise<string> => {
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    return (await openid.authorizationCodeGrant(config, callback, checks)).access_token;
  };
  const connectAs = async (person: Person, session: Session) => finish(await visit(person, session), session);

  /** Returns the owners of the calendars that a token reads, by the first folder of their addresses. */
  const ownersRead = async (token: string): Promise<string[]> => {
    const answer = await read(site.application, '/calendars', token);
    const calendars: { id: string }[] = JSON.parse(await answer.text());
    return calendars.map(({ id }) => new URL(id).pathname.split('/')[1] ?? '');
  };

  it('a changed user_id gives the session that changed it its own calendars, and the user’s tokens none of them', async () => {
    const adas = await connectAs(ada(), await begin('known'));

    const eves = await connectAs(eve(), changedTo('known', await begin('eve')));

    assert.deepEqual(await ownersRead(eves), ['grace']);
    assert.deepEqual(await ownersRead(adas), ['ada']);
  });

  it('a changed user_id plants nothing for a user who has not come yet: only who planted it reads it', async () => {
    const eves = await connectAs(eve(), changedTo('later', await begin('eve')));
    const victim = ada();

    const session = await begin('later');
    const first = await victim.browser.open(session.address);
    assert.match(textOf(first.body), /Other accounts .* g••• CalDAV Confirm it is yours/);
    const adas = await connectAs(victim, session);

    assert.deepEqual(await ownersRead(adas), ['ada']);
    assert.deepEqual(await ownersRead(eves), ['grace']);
    const again = await victim.browser.open((await begin('later')).address);
    assert.match(textOf(again.body), /Connected accounts ada \(.*Other accounts .* g••• CalDAV/);
  });

  it('a changed user_id that was allowed and never redeemed is no part of what the user allows next', async () => {
    await visit(eve(), changedTo('first', await begin('eve')));

    const adas = await connectAs(ada(), await begin('first'));

    assert.deepEqual(await ownersRead(adas), ['ada']);
  });

  for (const order of [
    ['ada', 'eve'],
    ['eve', 'ada'],
  ] as const) {
    it(`a changed user_id that is allowed beside the user’s own: each verifier gets its own, ${order[0]} first`, async () => {
      const userId = `both, ${order[0]} first`;
      const sessions = { eve: changedTo(userId, await begin('eve')), ada: await begin(userId) };
      const people = { eve: eve(), ada: ada() };
      const callbacks = await Promise.all([visit(people.eve, sessions.eve), visit(people.ada, sessions.ada)]);
      const callback = { eve: callbacks[0], ada: callbacks[1] };

      const read = [];
      for (const who of order) read.push(await ownersRead(await finish(callback[who], sessions[who])));

      const owners = { ada: ['ada'], eve: ['grace'] };
      assert.deepEqual(
        read,
        order.map((who) => owners[who]),
      );
    });
  }

  it('a changed user_id does not exchange the code of the user with the verifier of another session', async () => {
    const evil = changedTo('swapped', await begin('eve'));
    const callback = await visit(ada(), await begin('swapped'));
    callback.searchParams.set('state', evil.state);

    await assert.rejects(finish(callback, evil), { error: 'invalid_grant' });
  });

  it('a changed user_id beside a pushed request is not read: the code is of the user who was pushed', async () => {
    const adas = await connectAs(ada(), await begin('pushed-victim', true));
    const session = changedTo('pushed-victim', await begin('pushed-eve', true));

    const callback = await visit(eve(), session);
    const eves = await finish(callback, session);

    assert.equal(callback.searchParams.get('code'), 'pushed-eve');
    assert.deepEqual(await ownersRead(eves), ['grace']);
    assert.deepEqual(await ownersRead(adas), ['ada']);
  });

  it('a changed user_id that is allowed at once with a pushed request of that user changes nothing of it', async () => {
    const evil = changedTo('pushed-both', await begin('eve'));
    const session = await begin('pushed-both', true);
    const [evils, callback] = await Promise.all([visit(eve(), evil), visit(ada(), session)]);

    assert.deepEqual(await ownersRead(await finish(callback, session)), ['ada']);
    assert.deepEqual(await ownersRead(await finish(evils, evil)), ['grace']);
  });

  it('a changed user_id reaches no page of an application that requires pushed requests', async () => {
    const { clientId } = site.application;
    const session = await begin('eve');
    await site.program.command('client', 'update', clientId, '--pushed-requests', 'required');
    try {
      const { browser } = eve();
      const page = await browser.open(changedTo('known', session).address);

      assert.equal(page.status, 400);
      assert.deepEqual(await ownersRead(await connectAs(ada(), await begin('pushed-only', true))), ['ada']);
    } finally {
      await site.program.command('client', 'update', clientId, '--pushed-requests', 'accepted');
    }
  });
});
