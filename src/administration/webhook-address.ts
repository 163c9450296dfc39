/** The rule for the addresses of an application's deliveries, for both its settings and its endpoints. */
import { notPublic } from '../lib/egress/egress-error.ts';
import { type PrivateNetwork, publicNetwork } from '../lib/egress/private-network.ts';
import { webhookUrlProblem } from '../oauth/redirect-uri.ts';
import { may } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import { unreachableProblem } from '../webhooks/endpoint-url.ts';

export type WebhookAddressDeps = {
  readonly endpoints: Pick<EndpointStore, 'isElsewhere'>;
  /** The private addresses that deliveries may reach. */
  readonly privateNetwork: PrivateNetwork;
};

export type WebhookAddress = {
  /** Empty for an application that does not exist yet. */
  readonly clientId: string;
  readonly url: string;
  /** Whether another application may have its webhooks there too. */
  readonly isShared: boolean;
};

/** The problem of an address that another application has. */
export const ADDRESS_TAKEN = 'Another application uses this webhook URL. Use another path.';

/** Returns the problem of an address that `actor` sets, as a sentence. */
export async function webhookAddressProblem(
  actor: Actor,
  { clientId, url, isShared }: WebhookAddress,
  { endpoints, privateNetwork }: WebhookAddressDeps,
): Promise<string | undefined> {
  const mayAnywhere = may(actor, 'endpoint.any_address', clientId);
  const malformed = webhookUrlProblem(url);
  // The text is the same as in the log of deliveries: a developer does not learn what the setting allows.
  if (!mayAnywhere && malformed === undefined && unreachableProblem(url, publicNetwork(privateNetwork)))
    return `${notPublic(new URL(url).hostname).message}.`;
  const problem = malformed ?? unreachableProblem(url, privateNetwork);
  if (problem !== undefined) return `The webhook URL ${problem}.`;
  if ((isShared && mayAnywhere) || !(await endpoints.isElsewhere(url, clientId))) return undefined;
  return ADDRESS_TAKEN;
}
