/**
 * The application's public keys for webhooks: fetched, cached for as long as the service allows, and fetched again
 * after a rotation.
 */
import type { WebhookPayload } from './application-calls.ts';
import { isRecord, KalendsError } from './kalends-error.ts';
import { type SendOptions, send } from './send.ts';
import { WebhookRefused } from './webhook-refused.ts';
import { secretBytes } from './webhook-signatures.ts';
import { type Delivery, verifyWebhook, type WebhookKey } from './webhook-verification.ts';

/** The source of the keys. */
export type WebhookKeysOptions = {
  readonly sending: SendOptions;
  /** Used when the service cannot be reached. */
  readonly pinned: readonly WebhookKey[];
  /** The endpoint's secrets; a delivery that one of them signed needs no key of the service. */
  readonly secrets: readonly string[];
  /** The application that deliveries must be for. */
  readonly clientId: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The application's own list is below this path; older services have one list for all, at the path itself. */
const KEYS_PATH = '/.well-known/webhook-keys';
const HOUR = 3_600_000;
const LONGEST = 24 * HOUR;
/** The minimum interval between requests for keys because of an unknown signature, which may be of a new key. */
const REFETCH_MS = 60_000;

/**
 * Returns a verifier of deliveries that uses the endpoint's secrets, otherwise the service's keys. It fails with
 * WebhookRefused, or with KalendsError if there is no key. Throws TypeError if a secret is malformed.
 */
export function webhookVerifier({ sending, pinned, secrets, clientId, now }: WebhookKeysOptions) {
  for (const secret of secrets) secretBytes(secret);
  // The path is at the origin, whatever path the service is mounted under.
  const options = { ...sending, baseUrl: new URL(sending.baseUrl).origin };
  const fetchList = (path: string) => send({ method: 'GET', path }, options);
  let fetched: { keys: readonly WebhookKey[]; at: number; until: number } | undefined;
  const fetchKeys = async (): Promise<readonly WebhookKey[]> => {
    try {
      const list = fetchList(`${KEYS_PATH}/${encodeURIComponent(clientId)}`);
      const { body, headers } = await list.catch((error) => {
        if (error instanceof KalendsError && error.status === 404) return fetchList(KEYS_PATH);
        throw error;
      });
      fetched = { keys: keysIn(body), at: now(), until: now() + lifeOf(headers) };
      return fetched.keys;
    } catch (error) {
      const keys = fetched?.keys ?? pinned;
      if (!(error instanceof KalendsError) || keys.length === 0) throw error;
      return keys;
    }
  };

  const verify = (delivery: Delivery, keys: readonly WebhookKey[]) =>
    verifyWebhook(delivery, { secret: secrets, keys, clientId, now });

  return async (delivery: Delivery): Promise<WebhookPayload> => {
    if (secrets.length > 0) {
      try {
        return await verify(delivery, []);
      } catch (error) {
        if (!isUnknownSignature(error)) throw error;
      }
    }
    const keys = fetched !== undefined && now() < fetched.until ? fetched.keys : await fetchKeys();
    try {
      return await verify(delivery, keys);
    } catch (error) {
      if (!isUnknownSignature(error) || fetched === undefined || now() - fetched.at < REFETCH_MS) throw error;
      return verify(delivery, await fetchKeys());
    }
  };
}

const isUnknownSignature = (error: unknown): boolean =>
  error instanceof WebhookRefused && error.reason === 'no_matching_signature';

/** Returns milliseconds. */
function lifeOf(headers: Headers): number {
  const [, seconds] = /(?:^|[,\s])max-age=(\d{1,9})/i.exec(headers.get('cache-control') ?? '') ?? [];
  return seconds === undefined ? HOUR : Math.min(Number(seconds) * 1000, LONGEST);
}

function keysIn(answer: unknown): readonly WebhookKey[] {
  const list = isRecord(answer) && Array.isArray(answer.keys) ? answer.keys : [];
  return list.filter((key): key is WebhookKey => isRecord(key) && typeof key.key === 'string');
}
