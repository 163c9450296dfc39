/** Where an application's deliveries may go: one rule for its settings and its endpoints. */
import type { PrivateNetwork } from '../lib/egress/private-network.ts';
import { webhookUrlProblem } from '../oauth/redirect-uri.ts';
import { may } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import { unreachableProblem } from '../webhooks/endpoint-url.ts';

export type WebhookAddressDeps = {
  readonly endpoints: Pick<EndpointStore, 'isElsewhere'>;
  /** What deliveries may reach. */
  readonly privateNetwork: PrivateNetwork;
};

export type WebhookAddress = {
  /** Empty for an application that is not there yet. */
  readonly clientId: string;
  readonly url: string;
  /** Whether another application may have its webhooks there as well. */
  readonly isShared: boolean;
};

/** What is wrong with an address that `actor` sets, as a sentence. */
export async function webhookAddressProblem(
  actor: Actor,
  { clientId, url, isShared }: WebhookAddress,
  { endpoints, privateNetwork }: WebhookAddressDeps,
): Promise<string | undefined> {
  const problem = webhookUrlProblem(url) ?? unreachableProblem(url, privateNetwork);
  if (problem !== undefined) return `The webhook URL ${problem}.`;
  const mayAnywhere = may(actor, 'endpoint.any_address', clientId);
  const isPrivate = unreachableProblem(url, { mode: 'deny' }) !== undefined;
  // On a machine for development every address is of that machine.
  if (isPrivate && !mayAnywhere && privateNetwork.mode !== 'loopback')
    return 'This address is of the operator’s own network: an owner can set it.';
  if ((isShared && mayAnywhere) || !(await endpoints.isElsewhere(url, clientId))) return undefined;
  return 'Another application has its webhooks at this address. Give this one a path of its own.';
}
