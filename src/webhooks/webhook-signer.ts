/**
 * Ed25519 keys for webhooks (docs/wire.md 2.7), of the instance or an application: one active, and previous ones, which
 * also sign until receivers have the new one. Any instance can change them.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { By } from '../audit/audit-entry.ts';
import type { Log } from '../lib/log.ts';
import { type Sealer, sealedField } from '../lib/sealing.ts';
import type { FreshWebhookKey, WebhookKeyRecord, WebhookKeyStore } from './webhook-key-store.ts';

export type WebhookKeysDeps = {
  readonly webhookKeys: WebhookKeyStore;
  readonly sealer: Sealer;
  readonly now: () => number;
};

/** A failed reload belongs to no request, so it is only logged. */
export type WebhookSignerDeps = WebhookKeysDeps & { readonly log: Pick<Log, 'error'> };

/** The published form (docs/wire.md 2.7). Instants are ISO texts in UTC. */
export type PublishedWebhookKey = {
  readonly id: string;
  readonly alg: 'ed25519';
  /** `whpk_` and the 32 bytes in padded base64. */
  readonly key: string;
  readonly status: 'active' | 'previous';
  readonly activated_at: string;
  readonly retires_at?: string;
};

export interface WebhookSigner {
  /** Returns the keys of an application or the instance, the active one first, never empty. */
  published(clientId?: string): readonly PublishedWebhookKey[];
  /** Returns these and, during an overlap, the other keys that sign for the application. */
  signing(clientId: string): readonly PublishedWebhookKey[];
  /** Returns a signature by each signing key, `v1a,` and base64 of 64 bytes. */
  signaturesOf(clientId: string, content: Uint8Array): readonly string[];
}

/** A change by another instance or the command line takes effect within this time. */
const RELOAD_MS = 30_000;

type LoadedKey = { readonly record: WebhookKeyRecord; readonly privateKey: KeyObject };

/** Creates the first key if necessary, and loads all. */
export async function openWebhookSigner(deps: WebhookSignerDeps): Promise<WebhookSigner> {
  await deps.webhookKeys.addFirstWebhookKey(freshKey(deps));
  let loaded = await loadKeys(deps);
  let lookedAt = deps.now();
  const chooseKeys = (clientId: string) => {
    const now = deps.now();
    if (now - lookedAt > RELOAD_MS) {
      lookedAt = now;
      // Not awaited. If it fails, the loaded keys still sign, and the next reload is due as usual.
      loadKeys(deps, loaded.keys).then(
        (keys) => {
          loaded = keys;
        },
        (err) =>
          deps.log.error({ event: 'webhook_keys_not_loaded', err }, 'The webhook keys could not be reloaded'),
      );
    }
    const [own = [], instance = []] = [clientId, ''].map((owner) =>
      loaded.keys.get(owner)?.filter(({ record: { retiresAt = Infinity } }) => retiresAt > now),
    );
    const { keys = 'instance', overlapUntil = 0 } = loaded.uses.get(clientId) ?? {};
    const [inUse, others] = keys === 'own' && own.length > 0 ? [own, instance] : [instance, own];
    return { inUse, signing: overlapUntil > now ? [...inUse, ...others] : inUse };
  };

  return {
    published: (clientId = '') => chooseKeys(clientId).inUse.map(publishedKey),
    signing: (clientId) => chooseKeys(clientId).signing.map(publishedKey),
    signaturesOf: (clientId, content) =>
      chooseKeys(clientId).signing.map(
        (key) => `v1a,${sign(null, content, key.privateKey).toString('base64')}`,
      ),
  };
}

/**
 * Activates a new key and returns its id and when the previous ones retire, which sign for another `overlapMs` because
 * receivers may cache them. Returns `undefined` for an application without own keys.
 */
export async function rotateWebhookKeys(
  overlapMs: number,
  deps: WebhookKeysDeps & By,
  clientId = '',
): Promise<{ readonly keyId: string; readonly retiresAt: number } | undefined> {
  const fresh = freshKey(deps, clientId);
  const retiresAt = deps.now() + overlapMs;
  const isRotated = await deps.webhookKeys.rotateWebhookKeys(fresh, retiresAt, deps.by);
  return isRotated ? { keyId: fresh.keyId, retiresAt } : undefined;
}

function freshKey({ sealer, now }: WebhookKeysDeps, clientId = ''): FreshWebhookKey {
  const keyId = `whk_${randomBytes(9).toString('base64url')}`;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    clientId,
    keyId,
    publicKey: Buffer.from(x, 'base64url').toString('base64'),
    sealed: sealer.seal(pem, toSealContext(clientId, keyId)),
    activatedAt: now(),
  };
}

/** Loads all keys and creates missing ones of applications. Unseals only keys that are not in `before`. */
async function loadKeys(deps: WebhookKeysDeps, before: ReadonlyMap<string, LoadedKey[]> = new Map()) {
  const { webhookKeys, sealer, now } = deps;
  const uses = await webhookKeys.listKeyUses();
  let records = await webhookKeys.listWebhookKeys(now());
  const owners = new Set(records.map(({ clientId }) => clientId));
  const lacking = uses.filter((use) => use.keys === 'own' && !owners.has(use.clientId));
  for (const { clientId } of lacking) await webhookKeys.addFirstWebhookKey(freshKey(deps, clientId));
  if (lacking.length > 0) records = await webhookKeys.listWebhookKeys(now());
  const unsealed = new Map([...before.values()].flat().map((key) => [key.record.keyId, key.privateKey]));
  const unseal = ({ clientId, keyId, sealed }: WebhookKeyRecord) =>
    createPrivateKey(sealer.open(sealed, toSealContext(clientId, keyId)));
  const keys = records.map((record) => ({
    record,
    privateKey: unsealed.get(record.keyId) ?? unseal(record),
  }));
  return {
    uses: new Map(uses.map((use) => [use.clientId, use])),
    keys: Map.groupBy(keys, ({ record }) => record.clientId),
  };
}

const ofInstance = sealedField('webhook_key.sealed');
const ofApplication = sealedField('application_webhook_key.sealed');
const toSealContext = (clientId: string, keyId: string) =>
  clientId === '' ? ofInstance(keyId) : ofApplication(keyId);

const publishedKey = ({ record }: LoadedKey): PublishedWebhookKey => ({
  id: record.keyId,
  alg: 'ed25519',
  key: `whpk_${record.publicKey}`,
  status: record.status,
  activated_at: new Date(record.activatedAt).toISOString(),
  ...(record.retiresAt !== undefined && { retires_at: new Date(record.retiresAt).toISOString() }),
});
