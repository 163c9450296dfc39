/**
 * Reconnect links: a link repairs one account of a user (docs/security.md T22). It may get into other hands, so it gives
 * no code and no access, and shows no other account.
 */
import { randomBytes } from 'node:crypto';

import type { Caller } from '../../audit/audit-entry.ts';
import type { Account, AccountStore, AccountVersion } from '../../calendars/account-store.ts';
import { PROVIDER_KINDS } from '../../calendars/provider-facts.ts';
import { oneOf, required, text } from '../../http/fields.ts';
import { ApiError, errorTable } from '../../http/refusal.ts';
import { hashOfSecret, openWith, type Sealer, sealWith } from '../../lib/sealing.ts';
import { issuerOf } from '../../oauth/issuers.ts';
import { READING } from '../../reading/read-error.ts';
import type { AuthorizationRequest, AuthorizationRequestStore } from '../flow/authorization-request-store.ts';
import { newSecret } from '../flow/connect-cookies.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import { ConnectError } from '../flow/connect-error.ts';
import { chooseLanguage } from '../messages/messages.ts';

export const RECONNECTING = errorTable({
  grant_required: {
    status: 409,
    message: 'No active grant covers this account: send the user to /authorize',
    when: 'The user has the account, but no active grant of your application covers it, so a link could not repair anything.',
    fix: 'Send the user to `/authorize`, where the user can reconnect the account and allow access.',
    field: 'account',
  },
});

export const NEW_RECONNECT_LINK = {
  provider: required(oneOf(PROVIDER_KINDS, { doc: 'The provider of the account.', example: 'google' })),
  account: required(text({ max: 2048, doc: 'The account’s id.', example: 'ada@example.com' })),
};

const LIFETIME_MS = 7 * 24 * 3_600_000;
const CONTEXT = 'a reconnect link';

export type ReconnectLinkDeps = {
  readonly requests: Pick<AuthorizationRequestStore, 'groupsOf'>;
  readonly accounts: Pick<AccountStore, 'auditReconnectLink'>;
  readonly sealer: Pick<Sealer, 'derive'>;
  /** The public origin, without a trailing slash. */
  readonly publicUrl: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** `expiresAt` is in epoch milliseconds. */
export type ReconnectLink = { readonly account: Account; readonly url: string; readonly expiresAt: number };

type RequestedLink = Pick<Account, 'clientId' | 'userId'> & {
  readonly isRequested: (account: Account) => boolean;
  /** The operator who creates it; `undefined` for the application. */
  readonly by: Caller | undefined;
};

/**
 * Creates a link for one of the user's accounts; of several that match, for one that needs reconnecting. Throws ApiError:
 * 404 if there is none, 409 if no active grant covers it.
 */
export async function createReconnectLink(
  { isRequested, by, ...user }: RequestedLink,
  { requests, accounts, sealer, publicUrl, now }: ReconnectLinkDeps,
): Promise<ReconnectLink> {
  const matches = (await listGranted(user, { requests, now })).filter(({ account }) => isRequested(account));
  if (matches.length === 0) throw new ApiError(READING.account_not_found, 'The user has no such account');
  const covered = matches.flatMap(({ account, scope }) => (scope === undefined ? [] : [account]));
  const account = covered.find(needsReconnecting) ?? covered[0];
  if (account === undefined) throw new ApiError(RECONNECTING.grant_required);
  await accounts.auditReconnectLink(account, by);
  const expiresAt = now() + LIFETIME_MS;
  return {
    account,
    url: `${publicUrl}/reconnect/${sealToken({ ...account, expiresAt }, sealer)}`,
    expiresAt,
  };
}

export const needsReconnecting = ({ health }: Account): boolean => health.state === 'reauth_required';

/** Returns the user's own accounts, each with the widest scope at which an active grant covers it. */
async function listGranted(
  user: Pick<Account, 'clientId' | 'userId'>,
  { requests, now }: Pick<ReconnectLinkDeps, 'requests' | 'now'>,
) {
  const { groups } = await requests.groupsOf(user, undefined, now());
  return groups.flatMap(({ unfinished, givenScope, accounts }) =>
    unfinished === undefined ? accounts.map((account) => ({ account, scope: givenScope })) : [],
  );
}

type TokenFacts = AccountVersion & { readonly expiresAt: number };

const linkKey = (sealer: ReconnectLinkDeps['sealer']): Buffer => sealer.derive('reconnect links');

const sealToken = ({ accountKey, timesLinked, expiresAt }: TokenFacts, sealer: ReconnectLinkDeps['sealer']) =>
  sealWith(linkKey(sealer), JSON.stringify([accountKey, timesLinked, expiresAt]), CONTEXT);

/** Returns the facts that were sealed here; `undefined` for any other text. */
function openToken(token: string, sealer: ReconnectLinkDeps['sealer']): TokenFacts | undefined {
  try {
    // Only sealToken creates what opens.
    const [accountKey, timesLinked, expiresAt] = JSON.parse(openWith(linkKey(sealer), token, CONTEXT));
    return { accountKey, timesLinked, expiresAt };
  } catch {
    return undefined;
  }
}

type OpenedLink = {
  readonly token: string;
  readonly address: string;
  readonly acceptLanguage: string | undefined;
};

type OpenDeps = Pick<
  ConnectDeps,
  | 'accounts'
  | 'attempts'
  | 'clients'
  | 'mostOpenRequests'
  | 'now'
  | 'offeredProviders'
  | 'requests'
  | 'sealer'
>;

/**
 * Starts the authorization request of a link, whose browser gets its secret; returns the application if the link was used
 * and its account works. Throws ConnectError: 429 over the limits of `/authorize`, 410 if the link has ended.
 */
export async function openReconnectLink(
  { token, address, acceptLanguage }: OpenedLink,
  deps: OpenDeps,
): Promise<
  { readonly request: AuthorizationRequest; readonly secret: string } | { readonly usedAt: string }
> {
  const { accounts, attempts, clients, now, offeredProviders, requests } = deps;
  const facts = openToken(token, deps.sealer);
  if (facts === undefined || facts.expiresAt <= now()) throw new ConnectError('link_expired');
  const owner = await accounts.findAccount(facts.accountKey);
  if (owner === undefined) throw new ConnectError('link_expired');
  // Only links that can start a request count: nobody can use up the limit of others with forged ones.
  const retryAfter = await attempts.authorize({ clientId: owner.clientId, address });
  if (retryAfter !== undefined) throw new ConnectError('too_many_requests', { retryAfter });
  const granted = await listGranted(owner, deps);
  const { account, scope } = granted.find((one) => one.account.accountKey === facts.accountKey) ?? {};
  if (account === undefined || scope === undefined) throw new ConnectError('link_expired');
  const { clientId, userId, provider } = account;
  if (account.timesLinked !== facts.timesLinked) {
    if (needsReconnecting(account)) throw new ConnectError('link_expired');
    return { usedAt: clientId };
  }
  const client = await clients.findClient(clientId);
  if (client === undefined) throw new ConnectError('link_expired');
  const isOffered = offeredProviders.includes(provider) && (client.providers?.includes(provider) ?? true);
  if (!isOffered) throw new ConnectError('not_offered');

  const secret = newSecret();
  const request: AuthorizationRequest = {
    ...{ clientId, userId, scope, providers: [provider], reconnects: account.accountKey },
    ...{ transactionId: randomBytes(16).toString('base64url'), secretHash: hashOfSecret(secret) },
    ...{ redirectUri: client.redirectUri, language: chooseLanguage({ acceptLanguage }), theme: undefined },
    ...{ state: undefined, codeChallenge: undefined, resource: undefined, display: 'page' },
    ...{ query: '', isPushed: false, isVouched: false },
    ...{ userName: undefined, loginHint: undefined, allowedAt: undefined, issuer: issuerOf(client) },
    ...{ hasDisconnected: false, wasSentAhead: false, status: 'open' },
    ...{ formToken: randomBytes(32).toString('base64url'), createdAt: now() },
  };
  await requests.createRequest(request, deps.mostOpenRequests);
  return { request, secret };
}
