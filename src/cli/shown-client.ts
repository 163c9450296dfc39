/** An application as commands print it: a document for programs, rows for people. */

import type { ProviderAppStore } from '../access/provider-apps.ts';
import type { BrandingStore } from '../branding/branding-store.ts';
import type { Client } from '../oauth/client.ts';
import { describeLook } from './branding-options.ts';
import { describeFlow } from './flow-options.ts';
import { describeApps } from './provider-app-options.ts';

export type ClientDescription = {
  readonly document: Readonly<Record<string, unknown>>;
  readonly rows: readonly string[][];
};

type DescriptionDeps = {
  readonly branding: Pick<BrandingStore, 'findLook'>;
  readonly providerApps: ProviderAppStore;
};

/** All settings but the secrets; `url` is the instance's own. */
export async function describeClient(
  client: Client,
  { branding, providerApps }: DescriptionDeps,
  url: string,
): Promise<ClientDescription> {
  const base = { document: documentOf(client), rows: rowsOf(client) };
  const look = describeLook(await branding.findLook(client.clientId), url);
  const apps = await describeApps(client.clientId, providerApps);
  return {
    document: { ...base.document, ...look.document, ...apps.document },
    rows: [...base.rows, ...look.rows, ...apps.rows],
  };
}

/** The document in lists of applications: without the providers' apps. */
export async function clientDocument(
  client: Client,
  { branding }: Pick<DescriptionDeps, 'branding'>,
  url: string,
): Promise<ClientDescription['document']> {
  return { ...documentOf(client), ...describeLook(await branding.findLook(client.clientId), url).document };
}

function documentOf(client: Client) {
  return {
    client_id: client.clientId,
    name: client.name,
    display_name: client.displayName ?? null,
    redirect_uri: client.redirectUri,
    webhook_url: client.webhookUrl ?? null,
    ...describeFlow(client).document,
    created_at: new Date(client.createdAt).toISOString(),
  };
}

function rowsOf(client: Client): string[][] {
  return [
    ['client_id', client.clientId],
    ['name', client.name],
    ['display name', client.displayName ?? '(none)'],
    ['redirect URI', client.redirectUri],
    ['webhook URL', client.webhookUrl ?? '(none)'],
    ...describeFlow(client).rows,
    ['created', new Date(client.createdAt).toISOString()],
  ];
}
