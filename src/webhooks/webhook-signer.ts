/**
 * The instance's Ed25519 keys for webhooks (docs/wire.md 2.7): one active, and those it took the place of, which sign beside it
 * until receivers have heard of the new one. Rotated while running, by any instance.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

import type { Log } from '../lib/log.ts';
import { type Sealer, sealedField } from '../lib/sealing.ts';
import type { FreshWebhookKey, WebhookKeyRecord, WebhookKeyStore } from './webhook-key-store.ts';

export type WebhookKeysDeps = {
  readonly webhookKeys: WebhookKeyStore;
  readonly sealer: Sealer;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** A reload that fails belongs to no request, so it is only logged. */
export type WebhookSignerDeps = WebhookKeysDeps & { readonly log: Pick<Log, 'error'> };

/** As docs/wire.md 2.7 publishes it; instants are ISO texts in UTC. */
export type PublishedWebhookKey = {
  readonly id: string;
  readonly alg: 'ed25519';
  /** `whpk_` and the 32 bytes in base64, padded. */
  readonly key: string;
  readonly status: 'active' | 'previous';
  readonly activated_at: string;
  readonly retires_at?: string;
};

export interface WebhookSigner {
  /** What verifies deliveries: the active key first, never empty. */
  published(): readonly PublishedWebhookKey[];
  /** A signature of each published key, as `v1a,` and base64 of 64 bytes. */
  signaturesOf(content: Uint8Array): readonly string[];
}

/** Another instance's or the command line's rotation is taken up within this time. */
const RELOAD_MS = 30_000;

type LoadedKey = { readonly record: WebhookKeyRecord; readonly privateKey: KeyObject };

/** Makes the first key when there is none, and loads all. */
export async function openWebhookSigner(deps: WebhookSignerDeps): Promise<WebhookSigner> {
  await deps.webhookKeys.addFirstWebhookKey(freshKey(deps));
  let keys = await loadKeys(deps);
  let lookedAt = deps.now();
  const current = (): readonly LoadedKey[] => {
    const now = deps.now();
    if (now - lookedAt > RELOAD_MS) {
      lookedAt = now;
      // A failure here is not the caller's: what is loaded still signs, and it is tried again when it is time.
      loadKeys(deps).then(
        (loaded) => {
          keys = loaded;
        },
        (err) =>
          deps.log.error(
            { event: 'webhook_keys_not_loaded', err },
            'The webhook keys could not be loaded again',
          ),
      );
    }
    return keys.filter(({ record: { retiresAt } }) => retiresAt === undefined || retiresAt > now);
  };

  return {
    published: () => current().map(({ record }) => publishedKey(record)),
    signaturesOf: (content) =>
      current().map(({ privateKey }) => `v1a,${sign(null, content, privateKey).toString('base64')}`),
  };
}

/**
 * Signs with a new key from now on, and with the ones before for `overlapMs` more: for so long receivers may hold on to keys
 * they fetched. Answers the new key's id, and when those retire.
 */
export async function rotateWebhookKeys(
  overlapMs: number,
  deps: WebhookKeysDeps,
): Promise<{ readonly keyId: string; readonly retiresAt: number }> {
  await deps.webhookKeys.addFirstWebhookKey(freshKey(deps));
  const fresh = freshKey(deps);
  const retiresAt = deps.now() + overlapMs;
  await deps.webhookKeys.rotateWebhookKeys(fresh, retiresAt);
  return { keyId: fresh.keyId, retiresAt };
}

function freshKey({ sealer, now }: WebhookKeysDeps): FreshWebhookKey {
  const keyId = `whk_${randomBytes(9).toString('base64url')}`;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    keyId,
    publicKey: Buffer.from(x, 'base64url').toString('base64'),
    sealed: sealer.seal(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), contextOf(keyId)),
    activatedAt: now(),
  };
}

async function loadKeys({ webhookKeys, sealer, now }: WebhookKeysDeps): Promise<LoadedKey[]> {
  const records = await webhookKeys.listWebhookKeys(now());
  return records.map((record) => ({
    record,
    privateKey: createPrivateKey(sealer.open(record.sealed, contextOf(record.keyId))),
  }));
}

const contextOf = sealedField('webhook_key.sealed');

const publishedKey = (record: WebhookKeyRecord): PublishedWebhookKey => ({
  id: record.keyId,
  alg: 'ed25519',
  key: `whpk_${record.publicKey}`,
  status: record.status,
  activated_at: new Date(record.activatedAt).toISOString(),
  ...(record.retiresAt !== undefined && { retires_at: new Date(record.retiresAt).toISOString() }),
});
