/** Helpers for the tests of reconnect links. */
import assert from 'node:assert/strict';

import type { Account } from '../../src/calendars/account-store.ts';
import { createReconnectLink } from '../../src/connect/accounts/reconnect-link.ts';
import { allow, everyAccount, redeem } from './approvals.ts';
import { Browser, type Harness, transactionOf } from './connect-harness.ts';

const REFUSED = { state: 'reauth_required', reason: 'access_revoked', message: 'Refused' } as const;

type ConnectingByForm = {
  readonly userId: string;
  readonly kind: 'apple' | 'caldav';
  /** The fields of the form. */
  readonly typed: Readonly<Record<string, string>>;
  readonly scope?: string;
};

/** Connects the user's only account with its form; returns the browser and the application's grant too. */
export async function connectByForm(
  harness: Harness,
  { userId, kind, typed, scope = 'read' }: ConnectingByForm,
) {
  const browser = new Browser(harness);
  const transaction = transactionOf(await browser.start({ user_id: userId, scope }));
  const by = 'address' in typed ? 'address' : 'server';
  const form = await browser.get(`/connect/${kind}?transaction=${transaction}&by=${by}`);
  const linked = await browser.submit(form, `/connect/${kind}`, typed);
  await allow(browser, await browser.get(linked.location));
  const grant = await redeem(harness, userId);
  const [account] = await everyAccount(harness, userId);
  assert.ok(account && grant);
  return { account, browser, grant };
}

/** Makes the account need reconnecting, and returns the path of a link for it. */
export async function brokenLink({ accounts, deps }: Harness, account: Account): Promise<string> {
  await accounts.setHealth(account, REFUSED, 5);
  const { clientId, userId, accountKey } = account;
  const isRequested = (one: Account) => one.accountKey === accountKey;
  const { url } = await createReconnectLink(
    { clientId, userId, isRequested, by: undefined },
    { ...deps, accounts },
  );
  return new URL(url).pathname;
}

/** Returns all that a link could change of the account and its user. */
export async function stateOf({ accounts, db, deps }: Harness, account: Account) {
  const user = { clientId: account.clientId, userId: account.userId };
  const rows = (sql: string) => db.all(sql, user).then((all) => JSON.stringify(all));
  const [current] = (await accounts.listAccounts(user.clientId, user.userId)).filter(
    ({ accountKey }) => accountKey === account.accountKey,
  );
  const { groups } = await deps.requests.groupsOf(user, undefined, deps.now());
  return {
    health: current?.health.state,
    credentials: JSON.stringify(await accounts.credentialsOf(account.accountKey)),
    accounts: groups.flatMap((group) => group.accounts.map(({ accountKey }) => accountKey)),
    codes: await rows(
      "SELECT coverage_id FROM token_family WHERE client_id = :clientId AND user_id = :userId AND token_hash = ''",
    ),
    grants: await rows(
      `SELECT family_id, scope, ended_at FROM token_family
        WHERE client_id = :clientId AND user_id = :userId AND token_hash <> ''`,
    ),
    coverage: await rows(
      `SELECT c.coverage_id, c.group_id, c.scope
         FROM grant_coverage AS c JOIN account_group AS g ON g.group_id = c.group_id
        WHERE g.client_id = :clientId AND g.user_id = :userId ORDER BY c.coverage_id, c.group_id`,
    ),
  };
}
