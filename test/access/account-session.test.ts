/** Access to an account at its provider: renewed once for all instances, never lost, and with distinct failures. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { accountSessions } from '../../src/access/account-session.ts';
import { type InstanceApps, providerApps } from '../../src/access/provider-apps.ts';
import type { TokenLeaseStore } from '../../src/access/token-lease-store.ts';
import type { Account } from '../../src/calendars/account-store.ts';
import type { AccountSession, OAuthCredentials } from '../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../src/calendars/provider-error.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { NOW, newAccount, openWithUsers, sealer } from '../contract/calendar-rows.ts';
import { collectingLog } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { APP, FakeRedirectProvider } from '../harness/fake-redirect-provider.ts';
import { providerErrorOf } from '../harness/provider-error-of.ts';

type Setting = { apps?: InstanceApps; tokens?: (store: TokenLeaseStore) => TokenLeaseStore };

/** Creates an account with an expired access token, and sessions of it as different instances open them. */
async function openAccount(
  db: Database,
  { apps = { google: APP }, tokens: wrap = (store) => store }: Setting = {},
) {
  const { accounts, tokens } = await openWithUsers(async () => db);
  const clock = { now: NOW };
  const now = () => clock.now;
  const google = new FakeRedirectProvider('google', now);
  const log = collectingLog();
  const linkAgain = (credentials: OAuthCredentials): Promise<Account> => {
    const id = { provider: 'google', accountId: 'ada@example.com', calendarPermission: true } as const;
    return accounts.linkAccount(newAccount({ ...id, credentials }), clock.now);
  };
  const account = await linkAgain(google.issue(0));
  /** Opens a session of its own instance, which shares only the database with others. */
  const instance = (): AccountSession => {
    const stores = openStores(db, { sealer });
    return accountSessions({
      ...stores,
      tokens: wrap(stores.tokens),
      providers: { google: google.asProvider() },
      apps: providerApps(stores.providerApps, apps),
      log,
      now,
    }).open(account);
  };
  const health = async () => (await accounts.findAccount(account.accountKey))?.health;
  const stored = async () => {
    const credentials = await tokens.findCredentials(account.accountKey);
    assert.ok(credentials);
    return credentials;
  };
  return { clock, google, accounts, account, tokens, instance, health, stored, linkAgain, log };
}

const MINUTE = 60_000;

onEachDatabase((database, open) => {
  describe(`the session of an account on ${database}`, () => {
    it('an account’s session renews an expired token exactly once for fifty callers at five instances', async () => {
      const { google, instance } = await openAccount(await open());
      const instances = Array.from({ length: 5 }, instance);
      google.beforeRenewal = () => sleep(50);

      const got = await Promise.all(Array.from({ length: 50 }, (_, i) => instances[i % 5]?.accessToken()));

      assert.deepEqual(google.renewals, ['refresh-1']);
      assert.deepEqual(new Set(got), new Set(['access-2']));
      assert.deepEqual([google.owners, google.identities], [['acme ada'], ['id:ada@example.com']]);
      assert.deepEqual([instances[0]?.user?.clientId, instances[0]?.user?.userId], ['acme', 'ada']);
    });

    it('an account’s session keeps a token until a minute before it expires, and then renews it', async () => {
      const { clock, google, instance, linkAgain } = await openAccount(await open());
      await linkAgain(google.issue());

      clock.now = NOW + 59 * MINUTE - 1;
      const before = await instance().accessToken();
      clock.now = NOW + 59 * MINUTE;
      const after = await instance().accessToken();

      assert.deepEqual([before, after], ['access-2', 'access-3']);
      assert.deepEqual(google.renewals, ['refresh-2']);
    });

    it('an account’s session renews a token that the provider refused once for all callers', async () => {
      const { google, instance, linkAgain } = await openAccount(await open());
      await linkAgain(google.issue());

      const got = await Promise.all(
        Array.from({ length: 10 }, () => instance().renewAccessToken('access-2')),
      );
      const late = await instance().renewAccessToken('access-2');

      assert.deepEqual(new Set([...got, late]), new Set(['access-3']));
      assert.deepEqual(google.renewals, ['refresh-2']);
    });

    it('an account’s session continues with the newest refresh token, renewal after renewal', async () => {
      const { clock, google, instance } = await openAccount(await open());

      for (let i = 0; i < 3; i += 1) {
        await instance().accessToken();
        clock.now += 60 * MINUTE;
      }

      assert.deepEqual(google.renewals, ['refresh-1', 'refresh-2', 'refresh-3']);
    });

    it('an account’s session keeps the refresh token when the provider repeats none', async () => {
      const { google, instance, stored } = await openAccount(await open());
      const provider = google.asProvider();
      const renew = provider.signIn.renew;
      google.asProvider = () => ({
        ...provider,
        signIn: {
          ...provider.signIn,
          renew: async (...args) => ({ ...(await renew(...args)), refreshToken: undefined }),
        },
      });

      await instance().accessToken();

      assert.equal((await stored()).credentials.refreshToken, 'refresh-1');
    });

    it('an account’s session takes over from an instance that died while renewing, after its lease', async () => {
      const { clock, google, account, tokens, instance, stored } = await openAccount(await open());
      const { version } = await stored();
      const dead = { accountKey: account.accountKey, version, holder: 'dead' };
      await tokens.leaseTokens({ ...dead, failures: 0 }, NOW, NOW + MINUTE);

      const waiting = instance().accessToken();
      await sleep(300);
      const renewalsBefore = google.renewals.length;
      clock.now += MINUTE;

      assert.equal(await waiting, 'access-2');
      assert.deepEqual([renewalsBefore, google.renewals.length], [0, 1]);
    });

    it('an account’s session keeps and uses newer credentials that the user linked during a renewal', async () => {
      const { google, instance, stored, linkAgain } = await openAccount(await open());
      google.beforeRenewal = async () => {
        google.beforeRenewal = async () => {};
        await linkAgain(google.issue());
      };

      const got = await instance().accessToken();

      assert.equal(got, 'access-2');
      assert.equal((await stored()).credentials.refreshToken, 'refresh-2');
    });

    it('an account’s session does not hold a failed renewal against what the user linked meanwhile', async () => {
      const { google, instance, health, linkAgain } = await openAccount(await open());
      google.renewalFailures.push(new ProviderError('unauthorized', 'Revoked'));
      google.beforeRenewal = async () => {
        google.beforeRenewal = async () => {};
        await linkAgain(google.issue());
      };

      assert.equal(await instance().accessToken(), 'access-2');
      assert.equal((await health())?.state, 'active');
    });

    it('an account’s session stores renewed access again when the database failed, so that no refresh token is lost', async () => {
      let failures = 2;
      const tokens = (store: TokenLeaseStore): TokenLeaseStore => ({
        ...store,
        async storeRenewed(...args) {
          if (failures-- > 0) throw new Error('connection lost');
          return store.storeRenewed(...args);
        },
      });
      const { instance, stored } = await openAccount(await open(), { tokens });

      assert.equal(await instance().accessToken(), 'access-2');
      assert.equal((await stored()).credentials.refreshToken, 'refresh-2');
    });

    it('an account’s session gives all waiting callers the reason for a failure, after one request', async () => {
      const { google, instance } = await openAccount(await open());
      google.renewalFailures.push(new ProviderError('unauthorized', 'Revoked', { reason: 'access_revoked' }));
      google.beforeRenewal = () => sleep(50);

      const refusals = await Promise.all(
        Array.from({ length: 20 }, () => providerErrorOf(instance().accessToken())),
      );

      assert.equal(google.renewals.length, 1);
      assert.ok(
        refusals.every(
          ({ kind, message, reason }) =>
            `${kind} ${message} ${reason}` === 'unauthorized Revoked access_revoked',
        ),
      );
    });

    it('an account’s session retries temporary failures, later each time, and never before Retry-After', async () => {
      const { clock, google, instance } = await openAccount(await open());
      const busy = new ProviderError('rate_limited', 'Busy', { retryAfter: 20_000 });
      google.renewalFailures.push(busy, new ProviderError('unavailable', 'Down'));

      const first = await providerErrorOf(instance().accessToken());
      clock.now += 19_999;
      const early = await providerErrorOf(instance().accessToken());
      clock.now += 1;
      const second = await providerErrorOf(instance().accessToken());
      clock.now += 9_999;
      await providerErrorOf(instance().accessToken());
      const renewals = google.renewals.length;
      clock.now += 1;

      assert.equal(await instance().accessToken(), 'access-2');
      assert.deepEqual([first.retryAfter, early.retryAfter, second.retryAfter], [20_000, 1, 10_000]);
      assert.equal(renewals, 2);
    });

    it('an account’s session does not retry a dead refresh token, but tries a new one at once', async () => {
      const { clock, google, instance, linkAgain } = await openAccount(await open());
      google.renewalFailures.push(new ProviderError('unauthorized', 'Revoked'));
      await providerErrorOf(instance().accessToken());

      clock.now += 20 * MINUTE;
      await providerErrorOf(instance().accessToken());
      const renewals = google.renewals.length;
      await linkAgain(google.issue(0));

      assert.equal(await instance().accessToken(), 'access-3');
      assert.equal(renewals, 1);
    });

    it('an account’s session reports that the user must act after the app was replaced, without a request', async () => {
      const apps = { google: { clientId: 'another', clientSecret: 's' } };
      const { google, instance, health } = await openAccount(await open(), { apps });

      const error = await providerErrorOf(instance().accessToken());

      assert.deepEqual([error.kind, error.reason], ['unauthorized', 'app_replaced']);
      assert.equal((await health())?.state, 'reauth_required');
      assert.equal(google.renewals.length, 0);
    });

    it('an account’s session reports that the operator must act if no app is configured, without a request', async () => {
      const { google, instance, health } = await openAccount(await open(), { apps: {} });

      const error = await providerErrorOf(instance().accessToken());

      assert.deepEqual([error.kind, error.reason], ['misconfigured', 'provider_not_set_up']);
      assert.equal((await health())?.state, 'degraded');
      assert.equal(google.renewals.length, 0);
    });

    it('an account’s session reports that the user must act if there is no refresh token at all', async () => {
      const { google, instance, linkAgain } = await openAccount(await open());
      await linkAgain({ ...google.issue(0), refreshToken: undefined });

      assert.equal((await providerErrorOf(instance().accessToken())).kind, 'unauthorized');
    });

    it('an account’s session reports unauthorized for an account that was deleted', async () => {
      const { account, accounts, instance } = await openAccount(await open());
      const session = instance();
      await accounts.removeAccount(account.accountKey, NOW, undefined);

      assert.equal((await providerErrorOf(session.accessToken())).kind, 'unauthorized');
    });

    it('an account’s session treats an internal error as temporary, and logs it without secrets', async () => {
      const { google, instance, health, log } = await openAccount(await open());
      google.renewalFailures.push(new TypeError('undefined is not a function'));

      const error = await providerErrorOf(instance().accessToken());

      assert.deepEqual([error.kind, error.reason], ['unavailable', 'internal_fault']);
      assert.equal((await health())?.reason, 'internal_fault');
      const text = log.lines.join('\n');
      assert.match(text, /internal error/);
      assert.doesNotMatch(text, /refresh-1|access-1|canary/);
    });
  });
});
