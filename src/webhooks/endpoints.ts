/** Operators' management of endpoints and their secrets. */
import { randomBytes } from 'node:crypto';
import type { By } from '../audit/audit-entry.ts';
import { SETTINGS } from '../branding/settings-error.ts';
import { ApiError } from '../http/refusal.ts';
import { webhookUrlProblem } from '../oauth/redirect-uri.ts';
import type { EndpointHears } from './endpoint.ts';
import { newEndpointSecret, rotatedSecrets } from './endpoint-secret.ts';
import type { EndpointStore } from './endpoint-store.ts';
import type { EndpointSecret } from './message.ts';

export type EndpointsDeps = { readonly endpoints: EndpointStore; readonly now: () => number };

/** Returns the id of the endpoint that is an application's webhook URL. */
export const firstEndpointId = (clientId: string): string => `we_${clientId}`;

export type EndpointToAdd = {
  readonly clientId: string;
  readonly url: string;
  readonly hears: EndpointHears;
  /** Whether another application may have an endpoint at the same address. */
  readonly shared: boolean;
};

/** Throws ApiError 400 for an invalid URL, and 409 for the address of another application. */
export async function addEndpoint(
  { clientId, url, hears, shared }: EndpointToAdd,
  { endpoints, now, by }: EndpointsDeps & By,
): Promise<{ readonly endpointId: string; readonly secret: string }> {
  const problem = webhookUrlProblem(url);
  if (problem !== undefined)
    throw new ApiError(SETTINGS.invalid_client_metadata, `The webhook URL ${problem}`);
  if (!shared) await refuseElsewhere(url, clientId, endpoints);
  const endpointId = `we_${randomBytes(12).toString('base64url')}`;
  const secret = newEndpointSecret();
  await endpoints.addEndpoint({ endpointId, clientId, url, hears, secret, createdAt: now() }, by);
  return { endpointId, secret };
}

/**
 * Throws ApiError 409 if another application has an endpoint at the address of `url`, where deliveries could be
 * confused. This prevents mistakes; a receiver's protection is to check `metadata.clientId`.
 */
export async function refuseElsewhere(
  url: string,
  clientId: string,
  endpoints: Pick<EndpointStore, 'isElsewhere'>,
): Promise<void> {
  if (await endpoints.isElsewhere(url, clientId)) throw new ApiError(SETTINGS.address_in_use);
}

/** Creates and returns an endpoint's first secret; `undefined` if it has one or does not exist. */
export async function makeFirstSecret(
  endpointId: string,
  { endpoints, by }: Pick<EndpointsDeps, 'endpoints'> & By,
): Promise<string | undefined> {
  const fresh = newEndpointSecret();
  let isMade = false;
  const change = (secrets: readonly EndpointSecret[]) => {
    isMade = secrets.length === 0;
    return isMade ? [{ secret: fresh }] : secrets;
  };
  await endpoints.changeSecrets(endpointId, change, by);
  return isMade ? fresh : undefined;
}

/** Adds a secret; its predecessor signs for another `overlapMs`. `undefined` if the endpoint does not exist. */
export async function rotateEndpointSecret(
  { endpointId, overlapMs }: { readonly endpointId: string; readonly overlapMs: number },
  { endpoints, now, by }: EndpointsDeps & By,
): Promise<string | undefined> {
  const fresh = newEndpointSecret();
  const rotation = { now: now(), overlapMs };
  const change = (secrets: readonly EndpointSecret[]) => rotatedSecrets(secrets, fresh, rotation);
  const isChanged = await endpoints.changeSecrets(endpointId, change, by);
  return isChanged ? fresh : undefined;
}
