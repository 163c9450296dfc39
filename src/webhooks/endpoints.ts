/** Endpoints and their secrets, as an operator makes them. */
import { randomBytes } from 'node:crypto';
import { SETTINGS } from '../branding/settings-error.ts';
import { ApiError } from '../http/refusal.ts';
import { webhookUrlProblem } from '../oauth/redirect-uri.ts';
import type { EndpointHears } from './endpoint.ts';
import { newEndpointSecret, rotatedSecrets } from './endpoint-secret.ts';
import type { EndpointStore } from './endpoint-store.ts';

export type EndpointsDeps = {
  readonly endpoints: EndpointStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The endpoint that is an application's webhook URL, where that is set. */
export const firstEndpointId = (clientId: string): string => `we_${clientId}`;

export type EndpointToAdd = {
  readonly clientId: string;
  readonly url: string;
  readonly hears: EndpointHears;
  /** Whether another application may have one at that address as well. */
  readonly shared: boolean;
};

/** Throws ApiError 400 for a URL that cannot be, and 409 for the address of another application. */
export async function addEndpoint(
  { clientId, url, hears, shared }: EndpointToAdd,
  { endpoints, now }: EndpointsDeps,
): Promise<{ readonly endpointId: string; readonly secret: string }> {
  const problem = webhookUrlProblem(url);
  if (problem !== undefined)
    throw new ApiError(SETTINGS.invalid_client_metadata, `The webhook URL ${problem}`);
  if (!shared) await refuseElsewhere(url, clientId, endpoints);
  const endpointId = `we_${randomBytes(12).toString('base64url')}`;
  const secret = newEndpointSecret();
  await endpoints.addEndpoint({ endpointId, clientId, url, hears, secret, createdAt: now() });
  return { endpointId, secret };
}

/**
 * Throws ApiError 409 if another application has its webhooks at the address of `url`, where deliveries of one could be
 * taken for those of the other. This prevents mistakes; what protects a receiver is checking `metadata.clientId`.
 */
export async function refuseElsewhere(
  url: string,
  clientId: string,
  endpoints: Pick<EndpointStore, 'isElsewhere'>,
): Promise<void> {
  if (await endpoints.isElsewhere(url, clientId)) throw new ApiError(SETTINGS.address_in_use);
}

/** Makes the secret of an endpoint that has none. Answers it then; `undefined` where it has one, or there is none such. */
export async function makeFirstSecret(
  endpointId: string,
  { endpoints }: Pick<EndpointsDeps, 'endpoints'>,
): Promise<string | undefined> {
  const fresh = newEndpointSecret();
  let isMade = false;
  await endpoints.changeSecrets(endpointId, (secrets) => {
    isMade = secrets.length === 0;
    return isMade ? [{ secret: fresh }] : secrets;
  });
  return isMade ? fresh : undefined;
}

/** A new secret beside the one before it, which signs for `overlapMs` more. `undefined` when there is no such endpoint. */
export async function rotateEndpointSecret(
  { endpointId, overlapMs }: { readonly endpointId: string; readonly overlapMs: number },
  { endpoints, now }: EndpointsDeps,
): Promise<string | undefined> {
  const fresh = newEndpointSecret();
  const rotation = { now: now(), overlapMs };
  const isChanged = await endpoints.changeSecrets(endpointId, (secrets) =>
    rotatedSecrets(secrets, fresh, rotation),
  );
  return isChanged ? fresh : undefined;
}
