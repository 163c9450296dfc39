/** Reads what the document of an application shows. */
import type { ApplicationSubject } from '../administration/documents/application.ts';
import type { Client } from '../oauth/client.ts';
import type { Storage } from './command.ts';

/** Returns what lists show of an application. `url` is the origin of the instance. */
export async function readListed(
  client: Client,
  { branding, verification }: Pick<Storage, 'branding' | 'verification'>,
  url: string,
): Promise<ApplicationSubject> {
  const review = await verification.findVerification(client.clientId);
  return { client, look: await branding.findLook(client.clientId), verification: review, url };
}

/** Returns all settings of an application besides its secrets. `url` is the origin of the instance. */
export async function readSettings(
  client: Client,
  storage: Pick<Storage, 'branding' | 'verification' | 'providerApps' | 'webhookKeys'>,
  url: string,
): Promise<ApplicationSubject> {
  const [use] = await storage.webhookKeys.listKeyUses(client.clientId);
  return {
    ...(await readListed(client, storage, url)),
    apps: await storage.providerApps.listProviderApps(client.clientId),
    webhookKeys: use?.keys ?? 'instance',
  };
}
