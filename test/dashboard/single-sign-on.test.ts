/**
 * Single sign-on against oidc-provider as a real server: who gets in, with which role, and with which other ways in.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { invite, makeResetLink, makeSetupLink } from '../../src/people/invitations.ts';
import { onSqlite } from '../harness/databases.ts';
import { JWT_TEXT } from '../harness/jwt-text.ts';
import { leadsTo, openDashboardApp } from './dashboard-app.ts';
import { CLIENT, type Issuer, startIssuer } from './issuer.ts';
import { isIn, onwardIn, singleSignOnBench } from './single-sign-on-app.ts';

const PASSWORD = 'seven kettles sing at noon';
const SESSION = '__Host-kalends_session';
const MINUTE = 60_000;
const FRESH_PAGE = '/dashboard/people/invite';

onSqlite((open) => {
  describe('single sign-on', () => {
    let issuer: Issuer;
    before(async () => {
      issuer = await startIssuer();
    });
    after(() => issuer.close());
    const { withDashboard } = singleSignOnBench(open, () => issuer);

    it(
      'a claim lets in whom a rule names, in a session that proves nothing yet',
      withDashboard(async ({ signIn, people }) => {
        issuer.accounts.set('a-1', { groups: ['admins'], name: 'Ada', email: 'ada@x.example' });

        const { browser, answer } = await signIn('a-1');

        assert.equal(onwardIn(answer), '/dashboard');
        assert.match(answer.body, /<noscript><meta http-equiv="refresh" content="0; url=\/dashboard"/);
        assert.ok(await isIn(browser));
        assert.match(leadsTo(await browser.get(FRESH_PAGE)), /\/dashboard\/confirm/);
        const [ada, ...others] = await people();
        assert.deepEqual([ada?.name, ada?.role, others], ['Ada', 'owner', []]);
        // The issuer did not say that the address is verified.
        assert.equal(ada?.login, 'a-1@127.0.0.1');
        assert.deepEqual([ada?.identity?.subject, ada?.identity?.roleSource], ['a-1', 'claims']);
      }),
    );

    it(
      'nobody else comes in: without a claim, with an unverified address, or one of another domain',
      withDashboard(async ({ signIn, people }) => {
        issuer.accounts.set('none', {});
        issuer.accounts.set('unverified', { email: 'eve@example.com', email_verified: false });
        issuer.accounts.set('other', { email: 'eve@example.com.evil.example', email_verified: true });
        for (const subject of ['none', 'unverified', 'other']) {
          const { browser, status, body } = await signIn(subject);
          assert.equal(status, 403, subject);
          assert.match(body, /You are not a member/);
          assert.ok(!(await isIn(browser)));
        }
        assert.deepEqual(await people(), []);
      }),
    );

    it(
      'a mapped role is raised, lowered and taken with the claim, at each sign-in',
      withDashboard(async ({ signIn, people, signedIn }) => {
        await signedIn('owner');
        const role = async () => (await people()).find(({ identity }) => identity !== undefined)?.role;
        issuer.accounts.set('b', { email: 'b@example.com', email_verified: true });
        const first = await signIn('b');
        assert.equal(await role(), 'viewer');
        issuer.accounts.set('b', { groups: 'builders' });
        const second = await signIn('b');
        assert.equal(await role(), 'developer');
        assert.ok(!(await isIn(first.browser)), 'another role ends the sessions');
        assert.deepEqual((await people()).find(({ identity }) => identity)?.clientIds, ['acme']);
        issuer.accounts.set('b', {});
        const third = await signIn('b');
        assert.equal(third.status, 403);
        assert.ok(!(await isIn(second.browser)) && !(await isIn(third.browser)));
      }),
    );

    it(
      'an owner whose claim is lowered or gone leaves no link that they created',
      withDashboard(async ({ signIn, people, signedIn, dashboard }) => {
        await signedIn('owner');
        const { people: store, audit } = dashboard.stores;
        for (const claims of [{ groups: 'builders' }, {}]) {
          issuer.accounts.set('b', { groups: 'admins' });
          await signIn('b');
          const person = (await people()).find(({ identity }) => identity !== undefined);
          const [session] = await store.listSessions(person?.personId ?? '');
          const maker = person && session && { ...person, sessionId: session.sessionId };
          const link = maker && (await invite(maker, { role: 'owner' }, dashboard.deps));
          issuer.accounts.set('b', claims);
          await signIn('b');
          assert.equal(
            await store.removeInvitation({ invitationId: link?.invitation.invitationId ?? '' }, undefined),
            false,
          );
        }
        const entries = await audit.listEntries({}, { limit: 50 });
        const withdrawn = entries.filter(({ action }) => action === 'person.invitation_withdrawn');
        assert.equal(withdrawn.length, 2);
      }),
    );

    it(
      'applications that a rule does not name are what an owner gave',
      withDashboard(async ({ signIn, people, dashboard }) => {
        issuer.accounts.set('h', { groups: ['hands'] });
        await signIn('h');
        const [person] = await people();
        await dashboard.stores.people.setRole(
          person?.personId ?? '',
          { role: 'developer', clientIds: ['other'] },
          undefined,
        );
        await signIn('h');
        assert.deepEqual((await people())[0]?.clientIds, ['other']);
      }),
    );

    it(
      'the only owner stays one, and does not come in with a lower claim',
      withDashboard(async ({ signIn, people }) => {
        issuer.accounts.set('a', { groups: ['admins'] });
        const { browser } = await signIn('a');
        issuer.accounts.set('a', { groups: ['builders'] });
        const { status, body } = await signIn('a');
        assert.equal(status, 409);
        assert.match(body, /you are the only owner\b/);
        assert.equal((await people())[0]?.role, 'owner');
        assert.ok(!(await isIn(browser)));
      }),
    );

    it(
      'an invitation is completed by single sign-on, which binds the subject and no address',
      withDashboard(async ({ signIn, leave, people, browser, deps }) => {
        const invited = { role: 'developer', login: 'ben@corp.example', clientIds: ['acme'] } as const;
        const { token } = await invite('command line', invited, deps);
        const [ben, path] = [browser(), `/dashboard/join/${token}`];
        assert.match((await ben.get(path)).body, /Join with single sign-on/);
        const address = { email: 'ben@corp.example', email_verified: true };
        issuer.accounts.set('ben', { ...address, name: 'Ben' });
        issuer.accounts.set('not-ben', address);
        const back = await leave(ben, 'ben', `${path}/single-sign-on`);
        assert.equal(onwardIn(await ben.get(back)), '/dashboard');
        assert.ok(await isIn(ben));
        const [person] = await people();
        assert.deepEqual([person?.name, person?.role, person?.clientIds], ['Ben', 'developer', ['acme']]);

        assert.equal((await signIn('ben')).status, 200);
        // Another account at the issuer with the same verified address is another person.
        assert.equal((await signIn('not-ben')).status, 403);
        assert.equal((await browser().get(path)).status, 410);
      }),
    );

    it(
      'an address that somebody here has is not taken over by who shows it at the issuer',
      withDashboard(async ({ signIn, people, browser, deps }) => {
        const setup = await makeSetupLink(deps);
        const form = { name: 'Ada', login: 'ada@example.com', password: PASSWORD };
        await browser().post(`/dashboard/join/${setup?.token}`, form);
        issuer.accounts.set('eve', { email: 'ada@example.com', email_verified: true, groups: ['admins'] });
        const { status, body } = await signIn('eve');
        assert.equal(status, 409);
        assert.match(body, /A member already has your email address/);
        assert.deepEqual(
          (await people()).map(({ identity }) => identity),
          [undefined],
        );
      }),
    );

    it(
      'a fresh sign-in is one at the issuer now, of the same person',
      withDashboard(async ({ signIn, leave, clock }) => {
        issuer.accounts.set('a', { groups: ['admins'] });
        issuer.accounts.set('b', { groups: ['admins'] });
        const { browser } = await signIn('a');
        const confirm = '/dashboard/confirm/single-sign-on';
        const page = await browser.get('/dashboard/confirm?next=/dashboard/people');
        assert.match(page.body, /Confirm with single sign-on/);
        assert.ok(!page.body.includes('type="password"'));

        const other = await browser.get(await leave(browser, 'b', confirm));
        assert.equal(other.status, 403);
        assert.match(leadsTo(await browser.get(FRESH_PAGE)), /confirm/);

        const stale = await leave(browser, 'a', confirm);
        issuer.wire.claims = { auth_time: Math.floor(clock.now / 1000) - 301 };
        assert.equal((await browser.get(stale)).status, 403);
        issuer.wire.claims = { auth_time: undefined };
        assert.equal((await browser.get(await leave(browser, 'a', confirm))).status, 401);
        issuer.wire.claims = undefined;

        const back = await browser.get(await leave(browser, 'a', confirm, { next: FRESH_PAGE }));
        assert.equal(onwardIn(back), FRESH_PAGE);
        assert.equal((await browser.get(FRESH_PAGE)).status, 200);
        clock.now += 5 * MINUTE;
        assert.match(leadsTo(await browser.get(FRESH_PAGE)), /confirm/);
      }),
    );

    it(
      'who is signed in connects and disconnects it, and takes nobody else’s',
      withDashboard(async ({ signIn, leave, signedIn, dashboard, clock }) => {
        issuer.accounts.set('a', {});
        const connect = '/dashboard/account/single-sign-on';
        const [ada, ben] = [await signedIn('owner'), await signedIn('owner')];
        await ada.get(await leave(ada, 'a', connect));
        assert.equal((await signIn('a')).status, 200);
        assert.match((await ada.get('/dashboard/account')).body, /You can sign in at/);
        const taken = await ben.get(await leave(ben, 'a', connect));
        assert.equal(taken.status, 409);

        const back = await leave(ben, 'b', connect);
        await dashboard.stores.people.endSession(ben.personId, `s-${ben.personId}`);
        assert.match(leadsTo(await ben.get(back)), /sign-in/);
        // It is this member's only way to sign in.
        const remove = `${connect}/remove`;
        assert.equal((await ada.post(remove)).status, 409);
        const passkey = { passkeyId: 'k', publicKey: 'a', counter: 0, transports: [], name: 'Key' };
        await dashboard.stores.people.addPasskey(ada.personId, passkey, {
          now: clock.now,
          most: 20,
          by: undefined,
        });
        assert.match(leadsTo(await ada.post(remove)), /done=disconnected/);
        assert.equal((await signIn('a')).status, 403);
      }),
    );

    it(
      'a session of a member whose role follows claims ends after 12 hours, even if it is in use',
      withDashboard(async ({ signIn, signedIn, clock }) => {
        issuer.accounts.set('a', { groups: ['admins'] });
        const [{ browser }, invited] = [await signIn('a'), await signedIn('owner')];
        clock.now += 12 * 60 * MINUTE - 1;
        assert.ok((await isIn(browser)) && (await isIn(invited)));

        clock.now += 1;

        assert.deepEqual([await isIn(browser), await isIn(invited)], [false, true]);
      }),
    );

    it(
      'whose role follows claims has no other way in, and no role by hand',
      withDashboard(async ({ signIn, leave, signedIn, people }) => {
        issuer.accounts.set('a', { groups: ['builders'] });
        const owner = await signedIn('owner');
        const { browser } = await signIn('a');
        await browser.get(await leave(browser, 'a', '/dashboard/confirm/single-sign-on'));
        const { body } = await browser.get('/dashboard/account');
        assert.ok(!body.includes('type="password"'));
        const password = await browser.post('/dashboard/account/password', { password: PASSWORD });
        assert.equal(password.status, 409);
        const id = (await people()).find(({ identity }) => identity !== undefined)?.personId;
        const changed = await owner.post(`/dashboard/people/${id}/role`, { role: 'owner' });
        assert.equal(changed.status, 409);
        assert.match(changed.body, /Single sign-on sets this role/);
      }),
    );

    it(
      'whose role follows claims gets a reset link from another member, and cannot create one',
      withDashboard(async ({ signIn, leave, signedIn, people }) => {
        issuer.accounts.set('a', { groups: ['admins'] });
        const owner = await signedIn('owner');
        const { browser } = await signIn('a');
        await browser.get(await leave(browser, 'a', '/dashboard/confirm/single-sign-on'));
        const id = (await people()).find(({ identity }) => identity !== undefined)?.personId;

        const own = await browser.post(`/dashboard/people/${id}/reset`);
        const others = await owner.post(`/dashboard/people/${id}/reset`);

        assert.equal(own.status, 409);
        assert.match(others.body, /\/dashboard\/join\//);
      }),
    );

    it(
      'passwords and passkeys are off once an owner has signed in by single sign-on, and never before',
      withDashboard(
        async ({ signIn, browser, deps, people }) => {
          const setup = await makeSetupLink(deps);
          const form = { name: 'Eve', login: 'eve@corp.example', password: PASSWORD };
          await browser().post(`/dashboard/join/${setup?.token}`, form);
          issuer.accounts.set('v', { email: 'v@example.com', email_verified: true });
          await signIn('v');
          assert.equal((await browser().post('/dashboard/sign-in', form)).status, 303);

          issuer.accounts.set('a', { groups: ['admins'] });
          await signIn('a');
          const { body } = await browser().get('/dashboard/sign-in');
          assert.ok(!body.includes('type="password"') && !body.includes('data-passkey'));
          const off = await browser().post('/dashboard/sign-in', form);
          assert.equal(off.status, 403);
          assert.match(off.body, /This sign-in method is off/);
          assert.equal((await browser().post('/dashboard/sign-in/passkey')).status, 403);
          const { token } = await invite('command line', { role: 'viewer' }, deps);
          const join = `/dashboard/join/${token}`;
          assert.ok(!(await browser().get(join)).body.includes('type="password"'));
          assert.equal((await browser().post(join, { ...form, login: 'x@corp.example' })).status, 403);

          // A reset link restores access if the issuer never responds again.
          const owner = (await people()).find(({ identity, role }) => identity && role === 'owner');
          const reset = await makeResetLink('command line', owner?.personId ?? '', deps);
          const back = await browser().post(`/dashboard/join/${reset?.token}`, { password: PASSWORD });
          assert.equal(leadsTo(back), '/dashboard');
          const again = { login: owner?.login ?? '', password: PASSWORD };
          assert.equal((await browser().post('/dashboard/sign-in', again)).status, 303);
        },
        { usesPasswords: false, usesPasskeys: false },
      ),
    );

    it(
      'the audit log tells who came by it, and no secret or token is kept there or logged',
      withDashboard(async ({ signIn, stores, log }) => {
        issuer.accounts.set('a', { groups: ['admins'] });
        const { browser } = await signIn('a');
        issuer.wire.key = 'another';
        await signIn('a');
        const entries = await stores.audit.listEntries({}, { limit: 10 });
        assert.deepEqual(
          entries.map(({ action }) => action),
          ['person.signed_in', 'person.registered'],
        );
        const all = JSON.stringify(entries) + log.lines.join('\n');
        for (const secret of [CLIENT.clientSecret, browser.cookies.get(SESSION) ?? 'none', 'code='])
          assert.ok(!all.includes(secret), secret);
        assert.doesNotMatch(all, JWT_TEXT);
      }),
    );

    it('without an issuer there is no such way in', async () => {
      const { app, browser } = await openDashboardApp(await open());
      const stranger = browser();
      assert.ok(!(await stranger.get('/dashboard/sign-in')).body.includes('single-sign-on'));
      for (const answer of [
        await stranger.post('/dashboard/sign-in/single-sign-on'),
        await stranger.get('/dashboard/sign-in/callback?code=x&state=y'),
      ])
        assert.equal(answer.status, 404);
      await app.close();
    });
  });
});
