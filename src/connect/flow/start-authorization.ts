/** Starts a flow: `GET /authorize` without a transaction (docs/wire.md O4.1, O3.4). */
import { randomBytes } from 'node:crypto';
import type { Account } from '../../calendars/account-store.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { Caller } from '../../http/address-key.ts';
import {
  queryWithout,
  type ReceivedQuery,
  receivedQuery,
  scalar,
  values,
} from '../../http/received-query.ts';
import { PAGE_QUERY_BYTES, queryBytes, queryTooLong } from '../../http/sizes.ts';
import { isDatabaseAway } from '../../lib/database-away-error.ts';
import { hashOfSecret } from '../../lib/sealing.ts';
import type { Client } from '../../oauth/client.ts';
import { isThumbprint, NO_THUMBPRINT } from '../../oauth/dpop.ts';
import { type Issuer, issuerProblem } from '../../oauth/issuers.ts';
import { CHALLENGE_REQUIRED, lacksChallenge } from '../../oauth/pkce.ts';
import { isPlaygroundUser } from '../../oauth/playground-users.ts';
import {
  hashOfRequestUri,
  isVouchedFor,
  type NamedAccount,
  PUSHED_REQUEST_SECONDS,
  readPushedFacts,
} from '../../oauth/pushed-requests.ts';
import { chooseRedirectUri, UNREGISTERED_REDIRECT_URI } from '../../oauth/redirect-uri.ts';
import { chooseResource, type ResourceDeps } from '../../oauth/resource-indicators.ts';
import { chooseLanguage } from '../messages/messages.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import { readAuthorizeRequest, readClientId, startingQuery } from './authorize-request.ts';
import { newSecret } from './connect-cookies.ts';
import type { ConnectDeps } from './connect-deps.ts';
import { ConnectError } from './connect-error.ts';
import { standingOf, type Visit } from './connect-flow.ts';
import { selectionPath, signInPath } from './paths.ts';

type StartInput = {
  readonly visit: Omit<Visit, 'transactionId'>;
  readonly acceptLanguage: string | undefined;
};

/** A new transaction with its secret, or the earlier one of a pushed request that this browser used before. */
type Started = {
  readonly request: AuthorizationRequest;
  readonly secret: string | undefined;
  /** The first page, with all received parameters (docs/wire.md O4.1). */
  readonly path: string;
};

export type StartDeps = Pick<
  ConnectDeps,
  | 'accounts'
  | 'clients'
  | 'users'
  | 'requests'
  | 'pushedRequests'
  | 'attempts'
  | 'offeredProviders'
  | 'mostOpenRequests'
  | 'publicUrl'
  | 'activityNotes'
  | 'log'
  | 'now'
> & { readonly issuer: Issuer };

/**
 * Checks the application first, then the rest; finds or creates the user and stores the request. Revokes nothing.
 * Throws ConnectError: 401 for the application, 429 over a limit, 400 for the rest.
 */
export async function startAuthorization(input: StartInput, deps: StartDeps): Promise<Started> {
  const { visit, acceptLanguage } = input;
  const clientId = readClientId(visit.query);
  const client = clientId === undefined ? undefined : await deps.clients.findClient(clientId);
  await limitStarts({ clientId: client?.clientId ?? '', address: visit.address }, deps);
  if (client === undefined) throw new ConnectError('client_unknown');
  const { issuer } = deps;
  const description = issuerProblem(client, issuer);
  if (description !== undefined) throw new ConnectError('another_issuer', { description });

  const transactionId = randomBytes(16).toString('base64url');
  const pushed = await takePushedRequest(client, { visit, transactionId }, deps);
  if (pushed !== undefined && 'request' in pushed) {
    const { request } = pushed;
    return { request, secret: undefined, path: selectionPath(request) };
  }
  const parameters = pushed?.query ?? visit.query;
  const secret = newSecret();
  // Only the dashboard pushes requests of playground users: `/par` refuses them.
  const options = readAuthorizeRequest(parameters, { acceptsPlayground: pushed !== undefined });
  if (lacksChallenge(client, options.codeChallenge)) {
    const context = { parameter: 'code_challenge', description: CHALLENGE_REQUIRED };
    throw new ConnectError('parameter_missing', context);
  }
  const redirectUri = readRedirectUri({ ...options, issuer }, parameters, client);
  const isVouched = pushed !== undefined && isVouchedFor(parameters, client);
  const resource = readRequestedResource(parameters, client, deps);
  const { reconnect, ...facts } = readPushedFacts(isVouched ? parameters : []);
  const providers = chooseProviders(options.providers, client, deps.offeredProviders);
  const { userId } = options;
  const account = reconnect && (await findAccountToReconnect({ ...client, userId, reconnect }, deps));
  const reconnects = account && providers.includes(account.provider) ? account : undefined;
  const request: AuthorizationRequest = {
    ...options,
    ...facts,
    providers,
    isPushed: pushed !== undefined,
    isVouched,
    issuer: issuer.name,
    transactionId,
    secretHash: hashOfSecret(secret),
    clientId: client.clientId,
    redirectUri,
    resource,
    dpopJkt: readDpopJkt(parameters, client),
    // Fixed for the whole flow, including sign-ins at a provider.
    language: chooseLanguage({ named: scalar(parameters, 'lng'), acceptLanguage }),
    query:
      pushed === undefined
        ? startingQuery(visit.query, {
            ...options,
            keepsRedirectUri: client.furtherRedirectUris.length > 0,
            keepsResource: resource !== undefined,
            keepsDpopJkt: client.senderConstraint !== 'off',
          })
        : startingQuery(readBeside(visit)),
    formToken: randomBytes(32).toString('base64url'),
    status: 'open',
    allowedAt: undefined,
    hasDisconnected: false,
    wasSentAhead: false,
    reconnects: reconnects?.accountKey,
    createdAt: deps.now(),
  };
  const path =
    reconnects !== undefined
      ? signInPath(reconnects.provider, request, reconnects.accountKey)
      : pushed === undefined
        ? buildFirstPath(request, visit)
        : selectionPath(request);
  await loadUser(request, visit.address, deps);
  await deps.requests.createRequest(request, deps.mostOpenRequests);
  deps.activityNotes.add(request.clientId, 'flow_started');
  return { request, secret, path };
}

/**
 * Returns the user's account that `PROVIDER:ID` names, as in `/connection-status`. If several people connected it, one that
 * needs reconnecting comes first.
 */
export async function findAccountToReconnect(
  { clientId, userId, reconnect }: NamedAccount,
  { accounts }: Pick<ConnectDeps, 'accounts'>,
): Promise<Account | undefined> {
  const linked = await accounts.listAccounts(clientId, userId);
  const matches = linked.filter(({ provider, accountId }) => `${provider}:${accountId}` === reconnect);
  return matches.find(({ health }) => health.state === 'reauth_required') ?? matches[0];
}

/** Returns a registered URI; for the dashboard's playground, the one that it pushed. Throws ConnectError 400. */
function readRedirectUri(
  { userId, issuer }: Pick<AuthorizationRequest, 'userId'> & Pick<StartDeps, 'issuer'>,
  parameters: ReceivedQuery,
  client: Client,
): string {
  const requested = scalar(parameters, 'redirect_uri');
  if (requested !== undefined && isPlaygroundUser(userId)) return requested;
  const chosen = chooseRedirectUri(requested, client, issuer);
  if (chosen !== undefined) return chosen;
  const context = { parameter: 'redirect_uri', description: UNREGISTERED_REDIRECT_URI };
  throw new ConnectError('parameter_invalid', context);
}

/** Returns the resource that the request names. Throws ConnectError 400 `invalid_target` for an unknown one. */
function readRequestedResource(
  parameters: ReceivedQuery,
  client: Client,
  deps: ResourceDeps,
): string | undefined {
  const chosen = chooseResource(values(parameters, 'resource'), client, deps);
  if (chosen === undefined) throw new ConnectError('target_unknown', { parameter: 'resource' });
  return chosen.resource;
}

/** Returns the key to bind the code to, if the application has a sender constraint. Throws ConnectError 400. */
function readDpopJkt(parameters: ReceivedQuery, client: Client): string | undefined {
  const dpopJkt = scalar(parameters, 'dpop_jkt');
  if (dpopJkt === undefined || client.senderConstraint === 'off') return undefined;
  if (isThumbprint(dpopJkt)) return dpopJkt;
  throw new ConnectError('parameter_invalid', { parameter: 'dpop_jkt', description: NO_THUMBPRINT });
}

/** Returns the first page with every parameter as received. Throws ConnectError 414 if that is too long. */
function buildFirstPath(request: AuthorizationRequest, { query }: StartInput['visit']): string {
  const path = selectionPath({ ...request, query: queryWithout(query, 'transaction', 'redirect_uri') });
  if (queryBytes(path) <= PAGE_QUERY_BYTES) return path;
  const { status, message } = queryTooLong(PAGE_QUERY_BYTES);
  const description = `${message}, the registered redirect URI included`;
  throw new ConnectError('unreadable', { status, description });
}

/** Throws 429 if an address starts flows too often. Unknown applications count as one; pages do not count. */
async function limitStarts(caller: Caller, { attempts }: StartDeps): Promise<void> {
  const retryAfter = await attempts.authorize(caller);
  if (retryAfter !== undefined) throw new ConnectError('too_many_requests', { retryAfter });
}

type TakenUp = { readonly query: ReceivedQuery } | { readonly request: AuthorizationRequest } | undefined;

/** Uses the pushed request (RFC 9126 §4) of `request_uri`, if there is one. Throws ConnectError 400. */
async function takePushedRequest(
  client: Client,
  { visit, transactionId }: { readonly visit: StartInput['visit']; readonly transactionId: string },
  { issuer, pushedRequests, requests, now }: StartDeps,
): Promise<TakenUp> {
  const uri = scalar(visit.query, 'request_uri');
  if (uri === undefined) {
    if (issuer.isStrict || client.pushedRequests === 'required') throw new ConnectError('push_required');
    return undefined;
  }
  const createdSince = now() - PUSHED_REQUEST_SECONDS * 1000;
  const terms = { clientId: client.clientId, issuer: issuer.name, transactionId, createdSince };
  const spent = await pushedRequests.spend(hashOfRequestUri(uri), terms);
  if (spent === undefined) throw new ConnectError('request_uri_invalid');
  if ('request' in spent) return { query: receivedQuery(`?${spent.request.query}`) };
  // The same browser continues its earlier transaction.
  const earlier = await requests.findRequest(spent.spentFor);
  const secret = visit.cookies.transactions.find((one) => one.transactionId === spent.spentFor)?.secret;
  const standing = standingOf({ page: { transactionId: spent.spentFor }, secret, request: earlier }, now());
  if (earlier === undefined || standing === 'session_expired') throw new ConnectError('request_uri_invalid');
  return { request: earlier };
}

/** Returns the parameters that count for a pushed request: anybody could have written the rest. */
const readBeside = ({ query }: StartInput['visit']): ReceivedQuery =>
  query.filter(({ name }) => name === 'client_id' || name === 'request_uri');

/** Returns the requested providers that instance and application offer; all offered ones if none is left. */
function chooseProviders(
  asked: readonly ProviderKind[],
  client: Client,
  ofInstance: readonly ProviderKind[],
): readonly ProviderKind[] {
  const limited = ofInstance.filter((kind) => client.providers?.includes(kind) ?? true);
  const both = limited.filter((kind) => asked.includes(kind));
  return both.length > 0 ? both : limited;
}

/** Finds or creates the user. Throws 400 if that fails (docs/wire.md O7), unless the whole database is unavailable. */
async function loadUser(
  { clientId, userId }: AuthorizationRequest,
  address: string,
  { users, attempts, log, now }: StartDeps,
): Promise<void> {
  try {
    if (!(await users.isUser(clientId, userId))) {
      const retryAfter = await attempts.newUsers({ clientId, address });
      if (retryAfter !== undefined) throw new ConnectError('too_many_requests', { retryAfter });
    }
    await users.loadOrCreateUser(clientId, userId, now());
  } catch (cause) {
    if (cause instanceof ConnectError || isDatabaseAway(cause)) throw cause;
    const fields = { event: 'user_not_created', err: cause, clientId } as const;
    log.error(fields, 'A user could not be created or retrieved');
    throw new ConnectError('user_failed', { cause });
  }
}
