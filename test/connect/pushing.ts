/** Helpers for pushed requests (RFC 9126): an application pushes them and a browser opens them. */

import { checkPushedParameters } from '../../src/connect/flow/authorize-request.ts';
import { findAccountToReconnect } from '../../src/connect/flow/start-authorization.ts';
import { receivedQuery } from '../../src/http/received-query.ts';
import type { Client } from '../../src/oauth/client.ts';
import { createIssuer, issuerOf } from '../../src/oauth/issuers.ts';
import { type NamedAccount, pushRequest } from '../../src/oauth/pushed-requests.ts';
import { ACME, type Answer, type Browser, type Harness } from './connect-harness.ts';

/** Pushes a request of `client` for its user and returns the `request_uri`. */
export async function push(
  { pushedRequests, deps }: Harness,
  parameters: Readonly<Record<string, string>> = {},
  client: Client = ACME,
): Promise<string> {
  const { now, publicUrl } = deps;
  const query = receivedQuery(`?${new URLSearchParams({ user_id: 'ada', ...parameters })}`);
  const hasAccount = async (account: NamedAccount) =>
    (await findAccountToReconnect(account, deps)) !== undefined;
  const issuer = createIssuer(issuerOf(client), publicUrl);
  const checks = { checkAuthorization: checkPushedParameters, hasAccount };
  const pushing = { issuer, pushedRequests, now, publicUrl, ...checks };
  return (await pushRequest({ client, query, dpopJkt: parameters.dpop_jkt }, pushing)).request_uri;
}

/**
 * Returns the path that a browser is sent to for `requestUri`; `beside` has other parameters that somebody added to it.
 */
export const pushedPath = (requestUri: string, beside: Readonly<Record<string, string>> = {}): string =>
  `/authorize?${new URLSearchParams({ client_id: 'acme', request_uri: requestUri, ...beside })}`;

/** Pushes a request and opens the selection page in the browser. */
export async function startPushed(
  harness: Harness,
  browser: Browser,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const started = await browser.get(pushedPath(await push(harness, parameters)));
  return browser.get(started.location);
}
