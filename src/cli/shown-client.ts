/** An application as the command line shows it: a document for programs, rows for people. */

import type { ProviderAppStore } from '../access/provider-apps.ts';
import type { BrandingStore } from '../branding/branding-store.ts';
import type { Client } from '../oauth/client.ts';
import { shownLook } from './branding-options.ts';
import { shownApps } from './provider-app-options.ts';

export type Shown = {
  readonly document: Readonly<Record<string, unknown>>;
  readonly rows: readonly string[][];
};

type ShownDeps = {
  readonly branding: Pick<BrandingStore, 'findLook'>;
  readonly providerApps: ProviderAppStore;
};

/** All that is set of it but its secrets; `url` is the instance's own. */
export async function shownClient(
  client: Client,
  { branding, providerApps }: ShownDeps,
  url: string,
): Promise<Shown> {
  const own = { document: documentOf(client), rows: rowsOf(client) };
  const look = shownLook(await branding.findLook(client.clientId), url);
  const apps = await shownApps(client.clientId, providerApps);
  return {
    document: { ...own.document, ...look.document, ...apps.document },
    rows: [...own.rows, ...look.rows, ...apps.rows],
  };
}

/** Its document where there are many: without the providers' apps. */
export async function listedClient(
  client: Client,
  { branding }: Pick<ShownDeps, 'branding'>,
  url: string,
): Promise<Shown['document']> {
  return { ...documentOf(client), ...shownLook(await branding.findLook(client.clientId), url).document };
}

function documentOf(client: Client) {
  return {
    client_id: client.clientId,
    name: client.name,
    display_name: client.displayName ?? null,
    redirect_uri: client.redirectUri,
    webhook_url: client.webhookUrl ?? null,
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
    ['created', new Date(client.createdAt).toISOString()],
  ];
}
