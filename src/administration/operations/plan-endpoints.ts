/** Plans the endpoints of an application. Its webhook URL is the first one, whose topics an entry with this URL sets. */
import { type Members, text } from '../../http/fields.ts';
import { firstEndpointId } from '../../webhooks/endpoints.ts';
import { toTopics } from '../documents/endpoint.ts';
import { webhookAddressProblem } from '../webhook-address.ts';
import { HEARS_EVENTS } from '../webhooks.ts';
import { addEndpointOperation, removeEndpointOperation, updateEndpoint } from './endpoint-operations.ts';
import { asText, pathOf, readSection } from './manifest.ts';
import type { AdministrationDeps } from './operation.ts';
import { deletion, type Planned, type PlanTerms, type Step, stepsFor } from './plan-step.ts';

const FIELDS = { endpoint_id: text({ max: 100 }), ...updateEndpoint.fields };

export async function planEndpoints(
  { key, path, fields: given, clientId = '', document }: Planned,
  { report, mayDelete }: PlanTerms,
  deps: AdministrationDeps,
): Promise<Step[]> {
  if (given.endpoints === undefined) return [];
  const listed = clientId === '' ? [] : await deps.endpoints.listEndpoints(clientId);
  const [firstId, url] = [firstEndpointId(clientId), asText(given.webhook_url ?? document?.webhook_url)];
  const { hears: topics } = listed.find(({ isFirst }) => isFirst) ?? { hears: HEARS_EVENTS };
  const first = url ? [{ endpointId: firstId, url, hears: topics }] : [];
  const others = listed.filter(({ isFirst, expiresAt }) => !isFirst && expiresAt === undefined);
  const items = [...first, ...others].map(({ endpointId: id, ...endpoint }) => ({
    ...{ id, name: endpoint.url, before: { url: endpoint.url, hears: toTopics(endpoint) } },
  }));
  const section = pathOf(path, 'endpoints');
  const readName = (key: string, fields: Members) => asText(fields.url) ?? key;
  const { pairs, rest } = readSection(section, given.endpoints, {
    ...{ table: FIELDS, items, readName, idField: 'endpoint_id', report },
  });
  const steps: Step[] = [];
  for (const [{ path, name, fields }, item] of pairs) {
    const { share_address: isShared, endpoint_id: _id, ...others } = fields;
    const isMoved = name !== item?.name;
    const address = { clientId, url: name, isShared: isShared === true };
    const problem = isMoved ? await webhookAddressProblem(deps.actor, address, deps) : undefined;
    if (problem !== undefined) report(path, `is not valid: ${problem}`);
    if (isMoved && item?.id === firstId) report(path, 'is webhook_url of the application, which moves it');
    const operations = [item === undefined ? addEndpointOperation : updateEndpoint];
    // A new application has no endpoint ids yet. `apply` adds the one of its webhook URL.
    const endpointId = clientId === '' ? {} : { endpoint_id: item?.id };
    const target = {
      key,
      operations,
      before: item?.before,
      options: { ...endpointId, share_address: isShared },
    };
    steps.push(...stepsFor({ path, fields: { url: name, ...others } }, target));
  }
  const deletions = rest
    .filter(mayDelete)
    .map(({ id, name }) => deletion(pathOf(section, name), removeEndpointOperation, { endpoint_id: id }));
  return [...steps, ...deletions];
}
