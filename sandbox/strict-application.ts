/** The sandbox's application with the profile `fapi2`. Its keys are in the data folder, so that each sandbox has its own. */
import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { loadConfig } from '../src/config/config.ts';
import { readKeySet } from '../src/oauth/client-keys.ts';
import { planProfile } from '../src/oauth/profile.ts';
import { DEFAULT_SWITCHES } from '../src/oauth/switches.ts';
import { clientStore } from '../src/store/applications/client-store.ts';
import { openDatabase } from '../src/store/drivers/open-database.ts';

export type StrictApplication = {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The file with its private keys as a JWK Set, which only its owner can read. */
  readonly jwksPath: string;
};

const CLIENT_ID = 'projSandboxFapi2Strict01';
const FILE = 'fapi2-jwks.json';

/** Registers it in the database of these settings, or updates its address and keys. Creates its keys at the first start. */
export async function registerStrictApplication(
  settings: Readonly<Record<string, string>> & { readonly KALENDS_DATA_DIR: string },
  redirectUri: string,
): Promise<StrictApplication> {
  const { db } = await openDatabase(loadConfig(settings), Date.now);
  try {
    const jwksPath = path.join(settings.KALENDS_DATA_DIR, FILE);
    const keys = await publicKeys(jwksPath);
    const clients = clientStore(db);
    const now = Date.now();
    if ((await clients.findClient(CLIENT_ID)) === undefined) {
      const facts = { clientId: CLIENT_ID, name: 'FAPI 2.0', displayName: 'FAPI 2.0', redirectUri };
      const profile = planProfile(DEFAULT_SWITCHES, 'fapi2', undefined);
      const client = { ...facts, ...profile?.switches, webhookUrl: undefined, createdAt: now, keys };
      await clients.createClient(client, undefined, undefined);
    } else {
      const change = { redirectUris: () => [redirectUri], keys };
      await clients.updateClient(CLIENT_ID, change, { now, by: undefined });
    }
    return { clientId: CLIENT_ID, redirectUri, jwksPath };
  } finally {
    await db.close();
  }
}

/** Returns the public keys of the file, which is created if it is absent. */
async function publicKeys(file: string): Promise<{ readonly jwks: string }> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const created = { ...privateKey.export({ format: 'jwk' }), kid: 'sandbox', alg: 'ES256', use: 'sig' };
  const text = `${JSON.stringify({ keys: [created] }, undefined, 2)}\n`;
  await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((reason: NodeJS.ErrnoException) => {
    if (reason.code !== 'EEXIST') throw reason;
  });
  const { keys }: { keys: { d?: string }[] } = JSON.parse(await readFile(file, 'utf8'));
  const set = await readKeySet({ keys: keys.map(({ d: _, ...key }) => key) });
  if ('problem' in set) throw new Error(`${file} ${set.problem}`);
  return set;
}
