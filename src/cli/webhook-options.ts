/** Arguments and checks that the webhook commands share. */
import type { PrivateNetwork } from '../lib/egress/private-network.ts';
import type { EndpointStore, ListedEndpoint } from '../webhooks/endpoint-store.ts';
import { unreachableProblem } from '../webhooks/endpoint-url.ts';
import { refuseElsewhere } from '../webhooks/endpoints.ts';
import { CommandError, type CommandOption, type Positional } from './command.ts';

export const ENDPOINT_ID: Positional = {
  name: 'ENDPOINT_ID',
  doc: 'The id of an endpoint, see `webhook list`.',
};

export const SHARE_ADDRESS: CommandOption = {
  name: 'share-address',
  doc: 'Allow an address that another application uses for its webhooks.',
};

/** Returns an endpoint. Throws CommandError if it does not exist. */
export async function findEndpoint(
  endpoints: Pick<EndpointStore, 'findEndpoint'>,
  endpointId: string,
): Promise<ListedEndpoint> {
  const endpoint = await endpoints.findEndpoint(endpointId);
  if (endpoint === undefined) throw unknownEndpoint(endpointId);
  return endpoint;
}

export const unknownEndpoint = (endpointId: string): CommandError =>
  new CommandError(
    'not_found',
    `There is no endpoint "${endpointId}"; "kalends webhook list" lists the endpoints.`,
  );

export type UrlToCheck = {
  readonly url: string | null | undefined;
  readonly clientId: string;
  readonly shared: boolean;
};

/** Throws if deliveries cannot reach the URL, or if another application uses its address. Ignores values that are not URLs. */
export async function checkWebhookUrl(
  { url, clientId, shared }: UrlToCheck,
  {
    endpoints,
    privateNetwork,
  }: { readonly endpoints: EndpointStore; readonly privateNetwork: PrivateNetwork },
): Promise<void> {
  if (typeof url !== 'string' || !URL.canParse(url)) return;
  const problem = unreachableProblem(url, privateNetwork);
  if (problem !== undefined) throw new CommandError('invalid_client_metadata', `The webhook URL ${problem}.`);
  if (!shared) await refuseElsewhere(url, clientId, endpoints);
}
