/** Reads an application as operators see it from its stores. */

import type { Client } from '../oauth/client.ts';
import type { OperatorStores } from '../system/operator-stores.ts';
import type { ApplicationSubject } from './documents/application.ts';

export type ApplicationSubjectDeps = Pick<
  OperatorStores,
  'branding' | 'verification' | 'providerApps' | 'webhookKeys' | 'clientKeys'
> & {
  /** Returns the origin of logos. */
  addresses(): Promise<{ readonly url: string }>;
};

/** Returns what lists show of an application. Its address is needed only for a logo. */
export async function readListed(
  client: Client,
  {
    branding,
    verification,
    addresses,
  }: Omit<ApplicationSubjectDeps, 'providerApps' | 'webhookKeys' | 'clientKeys'>,
): Promise<ApplicationSubject> {
  const review = await verification.findVerification(client.clientId);
  const look = await branding.findLook(client.clientId);
  const { url } = (look.branding.logo ?? look.branding.darkLogo) ? await addresses() : { url: '' };
  return { client, look, verification: review, url };
}

/** Returns how many users an application has. */
export const countUsers = async (
  clientId: string,
  { clients }: Pick<OperatorStores, 'clients'>,
): Promise<number> => (await clients.countContents(clientId, Number.MAX_SAFE_INTEGER)).users;

/** Returns all settings of an application besides its secrets. */
export async function readSettings(
  client: Client,
  deps: ApplicationSubjectDeps,
): Promise<ApplicationSubject> {
  const [use] = await deps.webhookKeys.listKeyUses(client.clientId);
  return {
    ...(await readListed(client, deps)),
    apps: await deps.providerApps.listProviderApps(client.clientId),
    webhookKeys: use?.keys ?? 'instance',
    keys: (await deps.clientKeys.findKeys(client.clientId)) ?? null,
  };
}
