/** The actions on endpoints in the dashboard, and who may take them. The CLI uses the same functions. */
import { startOfHour } from '../activity/activity.ts';
import type { By } from '../audit/audit-entry.ts';
import type { PrivateNetwork } from '../lib/egress/private-network.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed, type Permission } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import type { EndpointHears } from '../webhooks/endpoint.ts';
import type { EndpointFigures, EndpointStore, ListedEndpoint } from '../webhooks/endpoint-store.ts';
import { addEndpoint, rotateEndpointSecret } from '../webhooks/endpoints.ts';
import type { Attempt } from '../webhooks/message.ts';
import type { SendDeps } from '../webhooks/send-message.ts';
import { sendTest } from '../webhooks/test-message.ts';
import { webhookAddressProblem } from './webhook-address.ts';

export type WebhooksDeps = {
  readonly endpoints: EndpointStore;
  /** The private addresses that deliveries may reach. */
  readonly privateNetwork: PrivateNetwork;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export type NamedEndpoint = { readonly clientId: string; readonly endpointId: string };

/** An endpoint, of any application that the actor may use if `clientId` is absent. */
export type SelectedEndpoint = Pick<NamedEndpoint, 'endpointId'> & Partial<NamedEndpoint>;

/** The topics of a new endpoint unless others are chosen. */
export const HEARS_EVENTS: EndpointHears = {
  events: true,
  calendars: false,
  connections: false,
  own: false,
};

const WEEK_MS = 7 * 24 * 3_600_000;

/** An endpoint with the statistics of a week of attempts. */
export type ShownEndpoint = ListedEndpoint & { readonly figures: EndpointFigures };

/** Returns the endpoints of an application with their statistics. Throws PeopleRefusal. */
export async function readEndpoints(
  actor: Actor,
  clientId: string,
  deps: WebhooksDeps,
): Promise<ShownEndpoint[]> {
  mustBeAllowed(actor, 'application.read', clientId);
  const listed = await deps.endpoints.listEndpoints(clientId);
  return Promise.all(listed.map((endpoint) => withFigures(endpoint, deps)));
}

/** Returns an endpoint with its statistics. Throws PeopleRefusal `not_there` if it is another application's. */
export async function readEndpoint(
  actor: Actor,
  named: NamedEndpoint,
  deps: WebhooksDeps,
): Promise<ShownEndpoint> {
  return withFigures(await findWebhook(actor, named, { needs: 'application.read', ...deps }), deps);
}

const withFigures = async (
  endpoint: ListedEndpoint,
  { endpoints, now }: WebhooksDeps,
): Promise<ShownEndpoint> => ({
  ...endpoint,
  figures: await endpoints.figuresOf(endpoint.endpointId, startOfHour(now() - WEEK_MS)),
});

/** Returns an endpoint. Throws PeopleRefusal, for one of an application that the actor may not read as if it did not exist. */
export async function findWebhook(
  actor: Actor,
  { clientId, endpointId }: SelectedEndpoint,
  { needs, endpoints }: { readonly needs: Permission } & Pick<WebhooksDeps, 'endpoints'>,
): Promise<ListedEndpoint> {
  const endpoint = await endpoints.findEndpoint(endpointId);
  const owner = clientId ?? endpoint?.clientId;
  mustBeAllowed(actor, needs, owner);
  if (endpoint === undefined || endpoint.clientId !== owner) throw new PeopleRefusal('not_there');
  return endpoint;
}

export type TypedEndpoint = {
  readonly url: string;
  readonly hears: EndpointHears;
  /** Whether another application may have an endpoint at that address too. */
  readonly isShared: boolean;
};

export type EndpointProblem = { readonly problem: string };

/** Adds an endpoint. Its secret is stored sealed and displayed only once. Throws PeopleRefusal. */
export async function addWebhook(
  actor: Actor,
  { clientId, typed }: { readonly clientId: string; readonly typed: TypedEndpoint },
  deps: WebhooksDeps & By,
): Promise<{ readonly endpointId: string; readonly secret: string } | EndpointProblem> {
  mustBeAllowed(actor, 'application.change', clientId);
  const problem =
    (await webhookAddressProblem(actor, { clientId, ...typed }, deps)) ?? hearsProblem(typed.hears);
  if (problem !== undefined) return { problem };
  const { url, hears } = typed;
  // The check above already decided whether the actor may share it.
  return addEndpoint({ clientId, url, hears, shared: true }, deps);
}

/** Changes all typed values or none. The first endpoint's URL changes with its application. Throws PeopleRefusal. */
export async function changeWebhook(
  actor: Actor,
  { typed, ...named }: SelectedEndpoint & { readonly typed: TypedEndpoint },
  deps: WebhooksDeps & By,
): Promise<EndpointProblem | undefined> {
  const endpoint = await findWebhook(actor, named, { needs: 'application.change', ...deps });
  const { clientId, endpointId, isFirst, url: before } = endpoint;
  const isMoved = !isFirst && typed.url !== before;
  const wrong = isMoved ? await webhookAddressProblem(actor, { clientId, ...typed }, deps) : undefined;
  const problem = wrong ?? hearsProblem(typed.hears);
  if (problem !== undefined) return { problem };
  const { hears } = typed;
  await deps.endpoints.changeEndpoint(endpointId, { hears, ...(isMoved && { url: typed.url }) }, deps.by);
  return undefined;
}

const hearsProblem = ({ events, calendars, connections }: EndpointHears): string | undefined =>
  events || calendars || connections ? undefined : 'Select at least one topic.';

export async function pauseWebhook(actor: Actor, named: SelectedEndpoint, deps: WebhooksDeps & By) {
  const { endpointId } = await findWebhook(actor, named, { needs: 'application.change', ...deps });
  await deps.endpoints.pauseEndpoint(endpointId, deps.now(), deps.by);
}

export async function resumeWebhook(actor: Actor, named: SelectedEndpoint, deps: WebhooksDeps & By) {
  const { endpointId } = await findWebhook(actor, named, { needs: 'application.change', ...deps });
  await deps.endpoints.resumeEndpoint(endpointId, deps.by);
}

/** Removes an endpoint. Returns false for the first one, which has its application's URL. Throws PeopleRefusal. */
export async function removeWebhook(
  actor: Actor,
  named: SelectedEndpoint,
  deps: WebhooksDeps & By,
): Promise<boolean> {
  const { endpointId } = await findWebhook(actor, named, { needs: 'application.change', ...deps });
  return deps.endpoints.removeEndpoint(endpointId, deps.by);
}

/** Returns the new secret. The previous one also signs for `overlapMs` milliseconds. Throws PeopleRefusal. */
export async function rotateWebhookSecret(
  actor: Actor,
  { overlapMs, ...named }: SelectedEndpoint & { readonly overlapMs: number },
  deps: WebhooksDeps & By,
): Promise<string> {
  const { endpointId } = await findWebhook(actor, named, { needs: 'application.secrets', ...deps });
  const secret = await rotateEndpointSecret({ endpointId, overlapMs }, deps);
  if (secret === undefined) throw new PeopleRefusal('not_there');
  return secret;
}

/** Sends one test delivery to the URL now. Returns undefined for a listener, which has none. Throws PeopleRefusal. */
export async function testWebhook(
  actor: Actor,
  named: SelectedEndpoint,
  deps: WebhooksDeps & SendDeps,
): Promise<{ readonly url: string; readonly attempt: Attempt } | undefined> {
  const endpoint = await findWebhook(actor, named, { needs: 'application.change', ...deps });
  if (endpoint.expiresAt !== undefined) return undefined;
  const secrets = (await deps.endpoints.secretsOf(endpoint.endpointId)) ?? [];
  const { attempt } = await sendTest({ ...endpoint, secrets }, deps);
  return { url: endpoint.url, attempt };
}
