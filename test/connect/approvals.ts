/** Runs the end of a flow: Allow, the application that redeems the code, and the accounts that its tokens read. */
import assert from 'node:assert/strict';

import type { Account } from '../../src/calendars/account-store.ts';
import type { AuthorizationCode } from '../../src/oauth/authorization-code-store.ts';
import { deriveChallenge } from '../../src/oauth/pkce.ts';
import { ACME, type Answer, Browser, type Harness, transactionOf } from './connect-harness.ts';

/** Returns the user's accounts, including those of open transactions. */
export async function everyAccount({ deps }: Harness, userId: string): Promise<Account[]> {
  const { groups } = await deps.requests.groupsOf({ clientId: 'acme', userId }, undefined, deps.now());
  return groups.flatMap(({ accounts }) => accounts);
}

/** Returns the record of the user's latest approval, until it is redeemed. */
export async function codeOf({ codes }: Harness, userId: string): Promise<AuthorizationCode | undefined> {
  return (await codes.findCodes('acme', userId))[0];
}

/** Presses Allow or Done, on the consent page if the selection page leads to one. */
export async function allow(browser: Browser, page: Answer): Promise<Answer> {
  const isLast = page.body.includes('action="/connect/approve"');
  const last = isLast ? page : await browser.get(`/connect/consent?transaction=${transactionOf(page)}`);
  return browser.submit(last, '/connect/approve');
}

/** Returns the grant that the application gets for the user's code within ten minutes. */
export async function redeem({ deps, codes }: Harness, userId: string, verifier?: string) {
  const now = deps.now();
  const presented = {
    clientId: 'acme',
    code: userId,
    redirectUri: ACME.redirectUri,
    codeChallenge: verifier && deriveChallenge(verifier),
    approvedSince: now - 600_000,
  };
  return (await codes.redeemCode(presented, now))?.grant;
}

export type Grant = NonNullable<Awaited<ReturnType<typeof redeem>>>;

/** Returns the accounts that a grant's tokens read. */
export async function readBy({ accounts }: Harness, grant: Grant | undefined): Promise<Account[]> {
  assert.ok(grant, 'there is a grant');
  return accounts.accountsOf(grant);
}

/** Returns the names of those accounts. */
export const namesReadBy = async (harness: Harness, grant: Grant | undefined): Promise<string[]> =>
  (await readBy(harness, grant)).map(({ display }) => display);

type Connecting = {
  readonly userId: string;
  readonly names?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
};

/** Creates a user whose accounts are connected and redeemed; returns the browser and the application's grant. */
export async function connected(
  harness: Harness,
  { userId, names = ['ada@example.com'], query = {} }: Connecting,
) {
  const browser = new Browser(harness);
  let page = await browser.start({ user_id: userId, ...query });
  for (const name of names) {
    page = await browser.link(page, name);
    harness.pass(1);
  }
  await allow(browser, page);
  const grant = await redeem(harness, userId);
  assert.ok(grant);
  return { browser, grant };
}

/** Returns the texts of the buttons that continue from a page. */
export const endsOf = ({ body }: Answer): string[] =>
  ['Continue', 'Allow', 'Done', 'Cancel'].filter((word) =>
    new RegExp(`<button(?![^>]*\\bdisabled)[^>]*>${word}</button>`).test(body),
  );
