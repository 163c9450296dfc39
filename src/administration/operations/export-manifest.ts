/** Writes the manifest of a deployment. Applied again, it changes nothing. Secrets and logos are left out. */
import { APP_KINDS } from '../../access/provider-apps.ts';
import { asObject, type Members } from '../../http/fields.ts';
import { SWITCH_KEYS, SWITCHES, switchField } from '../../oauth/switches.ts';
import { readableApplications } from '../applications.ts';
import { toTopics } from '../documents/endpoint.ts';
import { HEARS_EVENTS } from '../webhooks.ts';
import { updateBranding } from './branding-operations.ts';
import { differences, pick } from './manifest.ts';
import type { AdministrationDeps } from './operation.ts';
import { isApproved, readDocument, SETTINGS } from './plan-applications.ts';
import { listMembers } from './plan-members.ts';

export async function exportManifest(deps: AdministrationDeps): Promise<Members> {
  const clients = await readableApplications(deps.actor, deps);
  const applications: [string, Members][] = [];
  for (const client of clients) {
    const isNamesake = clients.some((other) => other !== client && other.name === client.name);
    const { name, ...document } = await readDocument(client, deps);
    const { client_id, branding, verified } = document;
    const apps = APP_KINDS.map((kind) => [kind, document[`${kind}_client_id`]] as const);
    const endpoints = await exportEndpoints(client.clientId, deps);
    const entry = {
      ...(isNamesake && { client_id, name }),
      ...withoutDefaults(pick(document, SETTINGS)),
      // The keys at an address change without Kalends.
      ...(document.jwks_uri !== null && { jwks: null }),
      branding: withoutEmpty(pick(asObject(branding) ?? {}, updateBranding.fields)),
      provider_apps: Object.fromEntries(
        apps.flatMap(([kind, id]) => (id === null ? [] : [[kind, { app_client_id: id }]])),
      ),
      verified: verified === false || isApproved(document) ? verified : null,
      endpoints,
    };
    applications.push([isNamesake ? `${name} (${client_id})` : String(name), withoutEmpty(entry)]);
  }
  const keys = new Map(clients.map(({ clientId }, i) => [clientId, applications[i]?.[0]]));
  const members = (await listMembers(deps)).map(({ name, role, clientIds }) => {
    const applications = clientIds.flatMap((id) => keys.get(id) ?? []);
    return [name, { role, ...(role === 'developer' && { applications }) }];
  });
  return { applications: Object.fromEntries(applications), members: Object.fromEntries(members) };
}

/** Returns the added endpoints by URL, and the webhook URL if it has other topics than a new one. */
async function exportEndpoints(clientId: string, { endpoints }: Pick<AdministrationDeps, 'endpoints'>) {
  const listed = (await endpoints.listEndpoints(clientId)).filter(({ expiresAt }) => expiresAt === undefined);
  const usual = { hears: toTopics({ hears: HEARS_EVENTS }) };
  const exported = listed.filter(
    (one) => !one.isFirst || differences({ hears: toTopics(one) }, usual).length > 0,
  );
  return Object.fromEntries(
    exported.map(({ url, endpointId, ...one }) => {
      const isNamesake = listed.some((other) => other.endpointId !== endpointId && other.url === url);
      const ids = isNamesake ? { endpoint_id: endpointId, url } : {};
      return [isNamesake ? `${url} (${endpointId})` : url, { ...ids, hears: toTopics(one) }];
    }),
  );
}

/** Leaves out switches that have their defaults, as a new application does. */
function withoutDefaults(settings: Members): Members {
  const defaults = new Map<string, unknown>(
    SWITCH_KEYS.map((key) => [switchField(key), SWITCHES[key].initial]),
  );
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => defaults.get(name) !== value));
}

const withoutEmpty = (fields: Members): Members =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && JSON.stringify(value) !== '{}'),
  );
