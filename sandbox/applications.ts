/**
 * The sandbox's applications at Kalends: the demo, and those of the person who starts it. Their ids and secrets are the
 * same at every start, so that an application's own settings stay valid. They are not secret: anyone can read them
 * here.
 */
import { loadConfig } from '../src/config/config.ts';
import { hashOfSecret } from '../src/lib/sealing.ts';
import { clientStore } from '../src/store/applications/client-store.ts';
import { openDatabase } from '../src/store/drivers/open-database.ts';
import { endpointStore } from '../src/store/webhooks/webhook-endpoint-store.ts';
import { firstEndpointId } from '../src/webhooks/endpoints.ts';

export type SandboxApplication = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  readonly displayName: string;
  readonly redirectUri: string;
  readonly webhookUrl: string | undefined;
  /** Whether `clientSecret` is not valid any more, because someone rotated it. */
  readonly isRotated?: boolean;
};

const DEMO = 'projSandboxDemonstration';
const SECRET_LENGTH = 43;
const secretOf = (words: string): string => `kalends_${words.padEnd(SECRET_LENGTH, '0')}`;

/** The secret of every endpoint here, in the form of Standard Webhooks. */
export const WEBHOOK_SECRET = `whsec_${Buffer.from('kalends sandbox webhook secret 1').toString('base64')}`;

export const demoApplication = (redirectUri: string, webhookUrl: string): SandboxApplication => ({
  clientId: DEMO,
  clientSecret: secretOf('SandboxDemonstrationIsNoSecret'),
  name: 'Sandbox demo',
  displayName: 'Tideline',
  redirectUri,
  webhookUrl,
});

/**
 * Returns one application per redirect URI, since an application has one; all of them receive changes at the same
 * address.
 */
export const ownApplications = (
  redirectUris: readonly string[],
  webhookUrl: string | undefined,
): SandboxApplication[] =>
  redirectUris.map((redirectUri, i) => {
    const number = String(i + 1).padStart(2, '0');
    return {
      clientId: `projSandboxApplication${number}`,
      clientSecret: secretOf(`SandboxApplication${number}IsNoSecret`),
      name: i === 0 ? 'My application' : `My application ${i + 1}`,
      displayName: 'My application',
      ...{ redirectUri, webhookUrl },
    };
  });

/**
 * Registers them in the database of these settings, even if Kalends is not running, or updates their addresses. The
 * secret of the demo is restored, because it has no other.
 */
export async function registerApplications(
  settings: Readonly<Record<string, string>>,
  applications: readonly SandboxApplication[],
): Promise<SandboxApplication[]> {
  const { db, sealer } = await openDatabase(loadConfig(settings), Date.now);
  const clients = clientStore(db);
  const endpoints = endpointStore(db, sealer);
  const isRotated = async ({ clientId, clientSecret }: SandboxApplication): Promise<boolean> => {
    const { secretHashes = [] } = (await clients.findClientWithSecrets(clientId, Date.now())) ?? {};
    return secretHashes.length !== 1 || secretHashes[0] !== hashOfSecret(clientSecret);
  };
  try {
    for (const application of applications) {
      const { clientId, clientSecret, redirectUri, webhookUrl } = application;
      if ((await clients.findClient(clientId)) === undefined) {
        const client = { ...application, createdAt: Date.now() };
        await clients.createClient(client, hashOfSecret(clientSecret), undefined);
      } else {
        const change = { redirectUris: () => [redirectUri], webhookUrl: webhookUrl ?? null };
        await clients.updateClient(clientId, change, { now: Date.now(), by: undefined });
      }
      await endpoints.changeSecrets(firstEndpointId(clientId), () => [{ secret: WEBHOOK_SECRET }], undefined);
      if (clientId === DEMO && (await isRotated(application))) {
        const [now, secretHash] = [Date.now(), hashOfSecret(clientSecret)];
        await clients.rotateSecret({ clientId, secretHash, now, oldExpireAt: now, by: undefined });
      }
    }
    return await Promise.all(applications.map(async (one) => ({ ...one, isRotated: await isRotated(one) })));
  } finally {
    await db.close();
  }
}

const OF_USER = 'client_id = :clientId AND user_id = :userId';
/** Changes are stored for 29 days. */
const FORGOTTEN_MS = 31 * 24 * 3_600_000;

/** Does what `expireCursors` of ControlDeps says, in the database of these settings. */
export async function expireCursors(
  settings: Readonly<Record<string, string>>,
  user: { readonly clientId: string; readonly userId: string },
): Promise<boolean> {
  const { db } = await openDatabase(loadConfig(settings), Date.now);
  try {
    return await db.transaction(async (tx) => {
      const users = await tx.change(
        `UPDATE application_user SET feed_seq = feed_seq + 1, feed_pruned = feed_seq + 1 WHERE ${OF_USER}`,
        user,
      );
      await tx.change(`UPDATE webhook_stream SET pending_since = :since, due_at = 0 WHERE ${OF_USER}`, {
        ...user,
        since: Date.now() - FORGOTTEN_MS,
      });
      return users > 0;
    });
  } finally {
    await db.close();
  }
}
