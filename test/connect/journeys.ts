/** The Connect pages with a Google and a Microsoft in memory, and users on their way there and back. */

import assert from 'node:assert/strict';
import { providerApps } from '../../src/access/provider-apps.ts';
import type { Account } from '../../src/calendars/account-store.ts';
import type { ConnectDeps } from '../../src/connect/flow/connect-deps.ts';
import { FakeSignInProvider } from '../harness/fake-sign-in-provider.ts';
import { allow, everyAccount, redeem } from './approvals.ts';
import {
  type Answer,
  Browser,
  type Harness,
  openConnect,
  transactionOf,
  unescaped,
} from './connect-harness.ts';

/** The instance's app at both providers. */
export const INSTANCE_APP = { clientId: 'instance-app', clientSecret: 'canary-secret' };

export type Journeys = Awaited<ReturnType<typeof openJourneys>>;

/** Opens pages with a separate user for each journey. `nextUser` switches to another. */
export async function openJourneys(changes: Pick<Partial<ConnectDeps>, 'accountLimits'> = {}) {
  const google = new FakeSignInProvider('google', Date.now);
  const microsoft = new FakeSignInProvider('microsoft', Date.now);
  const none = { findProviderApp: async () => undefined };
  const harness: Harness = await openConnect({
    providers: { google, microsoft },
    apps: providerApps(none, { google: INSTANCE_APP, microsoft: INSTANCE_APP }),
    signInOrigins: ['http://127.0.0.1:4100'],
    ...changes,
  });
  let user = 0;
  const userId = () => `user-${user}`;

  return {
    harness,
    google,
    microsoft,
    userId,
    nextUser: () => {
      user += 1;
    },
    /** Returns the user's accounts, including those of open transactions. */
    accounts: (): Promise<Account[]> => everyAccount(harness, userId()),
    /** Connects an account: the user allows it, and the application redeems the code. */
    async connect(kind: 'google' | 'microsoft' = 'google', query: Readonly<Record<string, string>> = {}) {
      const { browser, sent } = await this.depart(kind, query);
      const provider = kind === 'google' ? google : microsoft;
      const page = await follow(browser, await browser.get(provider.allow(sent.location)));
      await allow(browser, page);
      const grant = await redeem(harness, userId());
      assert.ok(grant);
      const [account] = await everyAccount(harness, userId());
      assert.ok(account);
      return { browser, grant, account };
    },
    /** Sends a browser to the provider from the selection page. */
    async depart(kind: 'google' | 'microsoft' = 'google', query: Readonly<Record<string, string>> = {}) {
      const browser = new Browser(harness);
      const selection = await browser.start({ user_id: userId(), ...query });
      const transaction = transactionOf(selection);
      const sent = await browser.get(`/connect/${kind}?transaction=${transaction}`);
      return { browser, transaction, selection, sent };
    },
  };
}

/** Returns the page after a 303. */
export const follow = (browser: Browser, answer: Answer): Promise<Answer> => browser.get(answer.location);

/** Returns a page's markup with its escaped characters as they are read. */
export const read = ({ body }: Answer): string => unescaped(body);

/** Returns the path of the account's button on the selection page. */
export function signInAgainPath(page: Answer, label: string): string | undefined {
  const form = page.body.split('<form').find((part) => part.includes(`>${label}</button>`)) ?? '';
  const action = /action="([^"]+)"/.exec(form)?.[1];
  const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
    ([, name, value]) => `${name}=${value}`,
  );
  return action && `${action}?${fields.join('&')}`;
}
