/** Signing in with the sandbox's Microsoft, and what becomes of the tokens after. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { completeSignIn } from '../../../sandbox/microsoft/complete-sign-in.ts';
import type { PendingSignIn, ProviderApp } from '../../../src/calendars/calendar-provider.ts';
import type { HealthReason } from '../../../src/calendars/health-reason.ts';
import { ProviderError, type ProviderErrorKind } from '../../../src/calendars/provider-error.ts';
import type { Egress } from '../../../src/lib/egress/egress.ts';
import { ADA, APP, type MicrosoftHarness, microsoftHarness, REDIRECT_URI } from './microsoft-harness.ts';

const failsAs =
  (kind: ProviderErrorKind, reason?: HealthReason) =>
  (failure: unknown): boolean => {
    assert.ok(failure instanceof ProviderError, String(failure));
    assert.deepEqual([failure.kind, failure.reason], [kind, reason]);
    return true;
  };

let microsoft: MicrosoftHarness;
before(async () => {
  microsoft = await microsoftHarness();
});
beforeEach(() => {
  microsoft.faults.clear();
  microsoft.sandbox.registerApp({ ...APP, redirectUris: [REDIRECT_URI] });
});
after(() => microsoft.close());

describe('Signing in with Microsoft', () => {
  const request = {
    app: APP,
    redirectUri: REDIRECT_URI,
    scope: 'read-write',
    state: 'state',
    language: 'fr',
  } as const;

  it('a Microsoft sign-in asks for the smallest permission that serves the scope, with PKCE, state and nonce', async () => {
    const permissions = { 'free-busy': 'ReadBasic', read: 'Read', 'read-write': 'ReadWrite' } as const;
    for (const [scope, permission] of Object.entries(permissions)) {
      // The keys of the object above.
      const { url, pending } = await microsoft.provider.signIn.begin({
        ...request,
        scope: scope as keyof typeof permissions,
      });

      const parameters = Object.fromEntries(url.searchParams);
      assert.equal(parameters.scope, `openid profile email offline_access Calendars.${permission}`);
      assert.equal(parameters.code_challenge_method, 'S256');
      assert.equal(parameters.state, 'state');
      assert.equal(parameters.nonce, pending.nonce);
      assert.equal(parameters.prompt, 'select_account');
      assert.notEqual(parameters.code_challenge, pending.codeVerifier);
    }
  });

  it('a Microsoft sign-in names the account to reconnect', async () => {
    const { url } = await microsoft.provider.signIn.begin({ ...request, loginHint: ADA.email });

    assert.equal(url.searchParams.get('login_hint'), ADA.email);
  });

  it('a Microsoft sign-in knows the account by its address, of an organisation or a person', async () => {
    const personal = { email: 'Grace@outlook.com', name: 'Grace' };
    await microsoft.sandbox.manual.addPerson(personal);

    const ada = await microsoft.signIn('read');
    const grace = await microsoft.signIn('read', personal.email);

    assert.deepEqual([ada.accountId, ada.display], [ADA.email, ADA.email]);
    assert.deepEqual([grace.accountId, grace.display], ['grace@outlook.com', 'Grace@outlook.com']);
  });

  it('a Microsoft sign-in tells what was granted and for how long', async () => {
    const { credentials, grantedScopes, calendarPermission } = await microsoft.signIn('read');

    assert.equal(calendarPermission, true);
    assert.ok(grantedScopes.includes('Calendars.Read'));
    assert.equal(credentials.appClientId, APP.clientId);
    assert.ok(credentials.refreshToken !== undefined);
    const life = credentials.expiresAt - microsoft.clock.now();
    assert.ok(life > 3_000_000 && life <= 3_700_000, `${life}`);
    const { covers } = microsoft.provider.signIn;
    assert.deepEqual(
      (['free-busy', 'read', 'read-write'] as const).map((scope) => covers(grantedScopes, scope)),
      [true, true, false],
    );
  });

  it('a Microsoft sign-in keeps the keys of ID tokens for a while, whichever tenant they are of', async () => {
    await microsoft.signIn('read');
    await microsoft.sandbox.manual.addPerson({ email: 'other@fabrikam.test', name: 'Other' });
    microsoft.fault({ kind: 'status', status: 503 }, 'keys');

    const other = await microsoft.signIn('read', 'other@fabrikam.test');

    assert.equal(other.accountId, 'other@fabrikam.test');
  });

  it('a Microsoft sign-in takes no for an answer', async () => {
    const { url, pending } = await microsoft.provider.signIn.begin(request);
    const declining = { email: 'declining@contoso.test', name: 'Declining' };
    await microsoft.sandbox.manual.addPerson(declining);
    const callback = await completeSignIn(url, { account: declining.email, consent: 'Cancel' });

    const completed = microsoft.provider.signIn.complete(callback, pending, APP);

    await assert.rejects(completed, failsAs('access_denied'));
  });

  it('a Microsoft sign-in says when an administrator must approve, and where', async () => {
    const worker = { email: 'worker@strict.test', name: 'Worker' };
    await microsoft.sandbox.manual.addPerson(worker);
    await microsoft.sandbox.manual.demandAdminConsent(worker.email);

    await assert.rejects(
      microsoft.signIn('read', worker.email),
      failsAs('permission_missing', 'admin_consent_required'),
    );
    const consent = { redirectUri: REDIRECT_URI, scope: 'read' } as const;
    const page = microsoft.provider.signIn.adminConsentUrl?.(APP, consent);
    assert.equal(page?.pathname, '/organizations/v2.0/adminconsent');
    assert.match(await (await fetch(page)).text(), /Accept/);

    await microsoft.sandbox.manual.giveAdminConsent(worker.email, APP.clientId);
    assert.equal((await microsoft.signIn('read', worker.email)).calendarPermission, true);
  });

  describe('refuses', () => {
    async function tampered(
      change: (callback: URL, pending: PendingSignIn) => PendingSignIn,
      app: ProviderApp = APP,
    ): Promise<unknown> {
      const { url, pending } = await microsoft.provider.signIn.begin(request);
      const callback = await completeSignIn(url, { account: ADA.email });
      const changed = change(callback, pending);
      return microsoft.provider.signIn.complete(callback, changed, app);
    }
    const unusable = failsAs('invalid_response', 'provider_answer_unreadable');

    it('a Microsoft sign-in refuses a callback with another state', async () => {
      const result = tampered((callback, pending) => {
        callback.searchParams.set('state', 'forged');
        return pending;
      });
      await assert.rejects(result, unusable);
    });

    it('a Microsoft sign-in refuses an ID token with another nonce', async () => {
      await assert.rejects(
        tampered((_callback, pending) => ({ ...pending, nonce: 'another' })),
        unusable,
      );
    });

    it('a Microsoft sign-in refuses a code without its verifier', async () => {
      const other = 'v'.repeat(43);
      await assert.rejects(
        tampered((_callback, pending) => ({ ...pending, codeVerifier: other })),
        failsAs('unauthorized', 'reauthentication_demanded'),
      );
    });

    it('a Microsoft sign-in refuses a callback that names another issuer', async () => {
      const result = tampered((callback, pending) => {
        callback.searchParams.set('iss', 'https://login.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0');
        return pending;
      });
      await assert.rejects(result, unusable);
    });

    it('a Microsoft sign-in refuses an ID token of another time', async () => {
      const { url, pending } = await microsoft.provider.signIn.begin(request);
      const callback = await completeSignIn(url, { account: ADA.email });
      const later = microsoft.providerWith({ now: () => microsoft.clock.now() + 7_200_000 });
      await assert.rejects(later.signIn.complete(callback, pending, APP), unusable);
    });

    it('a Microsoft sign-in refuses an app with a wrong secret', async () => {
      const wrong = { ...APP, clientSecret: 'wrong' };
      await assert.rejects(
        tampered((_callback, pending) => pending, wrong),
        failsAs('misconfigured', 'app_credentials_refused'),
      );
    });
  });

  it('a Microsoft sign-in needs no permission of plain http beyond what egress opens', async () => {
    const provider = microsoft.providerWith({ issuer: 'http://10.0.0.1/common/v2.0' });

    await assert.rejects(provider.signIn.begin(request), failsAs('forbidden_address', 'address_forbidden'));
  });

  it('a Microsoft sign-in says of an issuer that is none that the operator must act', async () => {
    const provider = microsoft.providerWith({ issuer: `${microsoft.sandbox.origin}/nobody/v2.0` });

    await assert.rejects(provider.signIn.begin(request), failsAs('misconfigured', 'provider_not_set_up'));
  });

  it('a Microsoft sign-in accepts the tokens of one tenant alone where one is set up', async () => {
    const { sandbox } = microsoft;
    const personal = { email: 'someone@outlook.com', name: 'Someone' };
    await sandbox.manual.addPerson(personal);
    const provider = microsoft.providerWith({ issuer: `${sandbox.origin}/consumers/v2.0` });
    const { url, pending } = await provider.signIn.begin(request);

    const { accountId } = await provider.signIn.complete(
      await completeSignIn(url, { account: personal.email }),
      pending,
      APP,
    );

    assert.equal(accountId, personal.email);
  });
});

describe("Renewing Microsoft's tokens", () => {
  it('a renewal at Microsoft keeps the newest refresh token and what was granted', async () => {
    const { credentials } = await microsoft.signIn('read');
    microsoft.clock.turn(3_600_000);

    const renewed = await microsoft.provider.signIn.renew(credentials, APP);
    const again = await microsoft.provider.signIn.renew(renewed, APP);

    assert.notEqual(renewed.refreshToken, credentials.refreshToken);
    assert.notEqual(again.refreshToken, renewed.refreshToken);
    assert.deepEqual(renewed.scopes, credentials.scopes);
    assert.ok(renewed.expiresAt > credentials.expiresAt);
    assert.ok(renewed.issuedAt > credentials.issuedAt);
  });

  it('a personal account renews its access at Microsoft where common refuses it', async () => {
    const { sandbox, provider } = microsoft;
    await sandbox.manual.addPerson({ email: 'hal@outlook.com', name: 'Hal' });
    const { credentials, identity } = await microsoft.signIn('read', 'hal@outlook.com');
    microsoft.fault({ kind: 'common_refused' }, 'token');

    const renewed = await provider.signIn.renew(credentials, APP, identity);

    assert.notEqual(renewed.refreshToken, credentials.refreshToken);
    const refused = provider.signIn.renew(renewed, APP);
    await assert.rejects(refused, failsAs('unauthorized', 'reauthentication_demanded'));
  });

  it('an account of an organization renews its access at Microsoft in its own tenant', async () => {
    const { credentials, identity } = await microsoft.signIn('read');
    const paths: string[] = [];
    const request: Egress['request'] = (sent) => {
      paths.push(new URL(sent.url).pathname);
      return microsoft.egress.request(sent);
    };
    const provider = microsoft.providerWith({ egress: { ...microsoft.egress, request } });

    await provider.signIn.renew(credentials, APP, identity);

    const tenant = /^oid:(.*)\//.exec(identity)?.[1];
    assert.equal(paths.at(-1), `/${tenant}/oauth2/v2.0/token`);
  });

  it('revoking at Microsoft resolves, since there is nothing to call', async () => {
    const { credentials } = await microsoft.signIn('read');
    const before = microsoft.sandbox.requests();

    await microsoft.provider.signIn.revoke(credentials, APP);

    assert.equal(microsoft.sandbox.requests(), before);
  });

  it('a renewal at Microsoft without a refresh token asks the user', async () => {
    const { credentials } = await microsoft.signIn('read');

    await assert.rejects(
      microsoft.provider.signIn.renew({ ...credentials, refreshToken: undefined }, APP),
      failsAs('unauthorized', 'reauthentication_demanded'),
    );
  });

  const refusals: readonly (readonly [string, number, ProviderErrorKind, HealthReason])[] = [
    ['AADSTS50173', 400, 'unauthorized', 'access_revoked'],
    ['AADSTS700082', 400, 'unauthorized', 'reauthentication_demanded'],
    ['AADSTS50076', 400, 'unauthorized', 'reauthentication_demanded'],
    ['AADSTS53003', 400, 'unauthorized', 'reauthentication_demanded'],
    ['AADSTS65001', 400, 'permission_missing', 'admin_consent_required'],
    ['AADSTS90094', 400, 'permission_missing', 'admin_consent_required'],
    ['AADSTS7000215', 401, 'misconfigured', 'app_credentials_refused'],
    ['AADSTS700016', 400, 'misconfigured', 'app_credentials_refused'],
    ['AADSTS7000222', 401, 'misconfigured', 'app_secret_expired'],
    ['AADSTS90033', 503, 'unavailable', 'provider_unavailable'],
    ['temporarily_unavailable', 400, 'unavailable', 'provider_unavailable'],
    ['invalid_grant', 400, 'unauthorized', 'reauthentication_demanded'],
  ];
  for (const [reason, status, kind, health] of refusals)
    it(`a renewal at Microsoft takes ${reason} for ${health}`, async () => {
      const { credentials } = await microsoft.signIn('read');
      microsoft.fault({ kind: 'status', status, reason }, 'token');

      await assert.rejects(microsoft.provider.signIn.renew(credentials, APP), failsAs(kind, health));
    });

  it('a renewal at Microsoft waits as long as Microsoft asks', async () => {
    const { credentials } = await microsoft.signIn('read');
    for (const [status, kind] of [
      [429, 'rate_limited'],
      [503, 'unavailable'],
    ] as const) {
      microsoft.faults.clear();
      microsoft.fault({ kind: 'status', status, retryAfter: 11 }, 'token');

      const failure = await microsoft.provider.signIn
        .renew(credentials, APP)
        .catch((reason: unknown) => reason);

      assert.ok(failure instanceof ProviderError);
      assert.deepEqual([failure.kind, failure.retryAfter], [kind, 11_000]);
    }
  });

  it('a renewal at Microsoft takes a lost connection for unavailable', async () => {
    const { credentials } = await microsoft.signIn('read');
    microsoft.fault({ kind: 'reset' }, 'token');

    await assert.rejects(
      microsoft.provider.signIn.renew(credentials, APP),
      failsAs('unavailable', 'provider_unavailable'),
    );
  });

  it('a renewal at Microsoft tells a user who withdrew the access to sign in again', async () => {
    const { credentials } = await microsoft.signIn('read');
    await microsoft.sandbox.manual.revokeAccess(ADA.email);

    await assert.rejects(
      microsoft.provider.signIn.renew(credentials, APP),
      failsAs('unauthorized', 'access_revoked'),
    );
  });

  it('a renewal at Microsoft tells the operator when the secret of the app has run out', async () => {
    const { credentials } = await microsoft.signIn('read');
    const secretExpiresAt = microsoft.clock.now() - 1;
    microsoft.sandbox.registerApp({ ...APP, redirectUris: [REDIRECT_URI], secretExpiresAt });

    await assert.rejects(
      microsoft.provider.signIn.renew(credentials, APP),
      failsAs('misconfigured', 'app_secret_expired'),
    );
  });
});
