/** An application as commands print it: a document for programs, rows for people. */

import type { ProviderAppStore } from '../access/provider-apps.ts';
import type { BrandingStore } from '../branding/branding-store.ts';
import type { Client } from '../oauth/client.ts';
import type { VerificationStore } from '../verification/verification-store.ts';
import type { WebhookKeyStore } from '../webhooks/webhook-key-store.ts';
import { describeLook } from './branding-options.ts';
import { describeFlow } from './flow-options.ts';
import { describeApps } from './provider-app-options.ts';
import { describeVerification } from './verified-option.ts';

export type ClientDescription = {
  readonly document: Readonly<Record<string, unknown>>;
  readonly rows: readonly string[][];
};

type DescriptionDeps = {
  readonly branding: Pick<BrandingStore, 'findLook'>;
  readonly verification: Pick<VerificationStore, 'findVerification'>;
  readonly providerApps: ProviderAppStore;
  readonly webhookKeys: Pick<WebhookKeyStore, 'listKeyUses'>;
};

/** All settings but the secrets; `url` is the instance's own. */
export async function describeClient(
  client: Client,
  { branding, verification, providerApps, webhookKeys }: DescriptionDeps,
  url: string,
): Promise<ClientDescription> {
  const base = { document: documentOf(client), rows: rowsOf(client) };
  const look = describeLook(await branding.findLook(client.clientId), url);
  const review = describeVerification(await verification.findVerification(client.clientId));
  const apps = await describeApps(client.clientId, providerApps);
  const [use] = await webhookKeys.listKeyUses(client.clientId);
  const keys = { own_webhook_keys: use?.keys === 'own' };
  const keysRow = ['webhook keys', use?.keys ?? 'instance'];
  return {
    document: { ...base.document, ...keys, ...look.document, ...review.document, ...apps.document },
    rows: [...base.rows, keysRow, ...look.rows, ...review.rows, ...apps.rows],
  };
}

/** The document in lists of applications: without the providers' apps. */
export async function clientDocument(
  client: Client,
  { branding, verification }: Pick<DescriptionDeps, 'branding' | 'verification'>,
  url: string,
): Promise<ClientDescription['document']> {
  const look = describeLook(await branding.findLook(client.clientId), url);
  const review = describeVerification(await verification.findVerification(client.clientId));
  return { ...documentOf(client), ...look.document, ...review.document };
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
