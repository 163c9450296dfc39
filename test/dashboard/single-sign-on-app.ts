/** A dashboard with single sign-on at a running issuer, and helpers for its browsers. */
import assert from 'node:assert/strict';

import { claimRules } from '../../src/config/dashboard-sign-in.ts';
import type { SingleSignOn } from '../../src/people/single-sign-on.ts';
import { identityProvider } from '../../src/providers/openid/identity-provider.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { type Answer, type DashboardBrowser, openDashboardApp } from './dashboard-app.ts';
import { CLIENT, type Issuer } from './issuer.ts';

const RULES =
  'groups=admins:owner; groups=builders:developer(acme); groups=hands:developer; email_domain=example.com:viewer';

/** Returns helpers for tests with a dashboard of their own. `issuer` returns the shared issuer once it runs. */
export function singleSignOnBench(open: () => Promise<Database>, issuer: () => Issuer) {
  /** Opens a new dashboard, with helpers for its browsers. */
  async function opened(changes: Partial<SingleSignOn> & { readonly issuerUrl?: string } = {}) {
    const { issuerUrl, ...other } = changes;
    Object.assign(issuer().wire, { claims: undefined, key: undefined, answer: undefined });
    issuer().accounts.clear();
    const clock = { now: () => dashboard.clock.now };
    const facts = {
      ...{ ...CLIENT, egress: issuer().egress, issuer: issuerUrl ?? issuer().issuer },
      // An issuer that a test passes never responds; others may be slow.
      timeoutMs: issuerUrl === undefined ? 60_000 : 500,
    };
    const dashboard = await openDashboardApp(await open(), {
      singleSignOn: {
        provider: identityProvider({ ...facts, now: () => clock.now() }),
        rules: claimRules(RULES),
        ...{ usesPasswords: true, usesPasskeys: true },
        ...other,
      },
    });
    // The issuer's clock is the machine's.
    dashboard.clock.now = Date.now();
    /** Sends the form and returns the path that the issuer redirects back to. */
    const leave = async (
      browser: DashboardBrowser,
      subject: string,
      path = '/dashboard/sign-in/single-sign-on',
      form: Readonly<Record<string, string>> = {},
    ): Promise<string> => {
      const answer = await browser.post(path, form);
      assert.equal(answer.status, 200, answer.body);
      return issuer().signIn(onwardIn(answer), subject);
    };
    const signIn = async (subject: string, browser = dashboard.browser()) => {
      const answer = await browser.get(await leave(browser, subject));
      return { browser, answer, ...answer };
    };
    const people = () => dashboard.stores.people.listPeople();
    return { ...dashboard, dashboard, leave, signIn, people };
  }

  /** Runs a test with a new dashboard and closes it afterwards. */
  const withDashboard =
    (
      work: (held: Awaited<ReturnType<typeof opened>>) => Promise<void>,
      changes: Parameters<typeof opened>[0] = {},
    ) =>
    async () => {
      const held = await opened(changes);
      await work(held).finally(() => held.app.close());
    };

  return { withDashboard };
}

export const isIn = async (browser: DashboardBrowser) => (await browser.get('/dashboard')).status === 200;

/** Returns the address to which a page between two sites redirects. */
export function onwardIn({ body }: Pick<Answer, 'body'>): string {
  const [, to = ''] = /<a [^>]*href="([^"]*)" data-goes-on/.exec(body) ?? [];
  return to.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}
