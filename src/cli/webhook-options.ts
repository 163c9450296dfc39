/** What the commands about webhooks share: naming an endpoint, and refusing a URL that cannot be. */
import type { PrivateNetwork } from '../lib/egress/private-network.ts';
import type { EndpointStore, ListedEndpoint } from '../webhooks/endpoint-store.ts';
import { unreachableProblem } from '../webhooks/endpoint-url.ts';
import { refuseElsewhere } from '../webhooks/endpoints.ts';
import { CommandError, type CommandOption, type Positional } from './command.ts';

export const ENDPOINT_ID: Positional = {
  name: 'ENDPOINT_ID',
  doc: 'The endpoint, as `webhook list` shows it.',
};

export const SHARE_ADDRESS: CommandOption = {
  name: 'share-address',
  doc: 'Allow the address although another application has its webhooks there.',
};

/** Throws unless there is such an endpoint. */
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
    `There is no endpoint "${endpointId}"; "kalends webhook list" shows those there are.`,
  );

export type UrlToCheck = {
  readonly url: string | null | undefined;
  readonly clientId: string;
  readonly shared: boolean;
};

/** Throws for one that deliveries could not reach, or that is another application's address. One that is no URL is not judged. */
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
