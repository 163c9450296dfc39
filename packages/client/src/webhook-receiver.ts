/** What receiving a webhook is under every framework: read, verify, hand over, and only then answer. */
import { type RefusalReason, WebhookRefused } from './webhook-refused.ts';
import { secretBytes } from './webhook-signatures.ts';
import {
  checkClientId,
  type Delivery,
  headerOf,
  type VerificationOptions,
  verifyWebhook,
} from './webhook-verification.ts';

/** A delivery that was verified. */
export type ReceivedWebhook = {
  /** The header `webhook-id`, the same at every attempt: keep it, and skip what came before. */
  readonly id: string;
  /** The body's JSON. That it is by Kalends is certain; its members are not checked here. */
  readonly payload: Record<string, unknown>;
};

/** How an application receives webhooks, under whatever framework. */
export type WebhookReceiver = {
  /** `webhook` of a client, or what to hold deliveries against. */
  readonly verify: ((delivery: Delivery) => Promise<Record<string, unknown>>) | VerificationOptions;
  /**
   * Called for every verified delivery, at times twice for one. 204 is answered once it resolves, so return within
   * the 15 seconds that Kalends waits. When it fails, 500 is answered and Kalends tries again.
   */
  readonly receive: (webhook: ReceivedWebhook) => unknown;
  /** The longest body that is taken, in bytes; 1 MiB (1,048,576) by default. A longer one is answered 413. */
  readonly maxBytes?: number | undefined;
  /** Told what was answered 500, because of `receive` or of the set-up. By default it is logged. */
  readonly onError?: ((error: unknown) => void) | undefined;
};

/** A request, whose body is not read yet. */
export type IncomingWebhook = {
  readonly headers: Delivery['headers'];
  /** Fails with BodyRefused, at the latest when there is more than `maxBytes` of it. */
  readBody(maxBytes: number): Promise<string | Uint8Array>;
  /** Where errors go that the receiver has no `onError` for; the console by default. */
  readonly logError?: (error: unknown) => void;
};

/** An HTTP answer; `sentence` is empty with 204. */
export type WebhookAnswer = { readonly status: number; readonly sentence: string };

/** A body that cannot be verified, with the HTTP status that says so. */
export class BodyRefused extends Error {
  readonly status: 400 | 413 | 500;

  constructor(status: BodyRefused['status'], message: string) {
    super(message);
    this.name = 'BodyRefused';
    this.status = status;
  }
}

export const DEFAULT_MAX_BYTES = 1_048_576;
const MALFORMED: readonly RefusalReason[] = ['missing_headers', 'invalid_timestamp', 'invalid_payload'];

/**
 * Makes what answers the requests of one receiver: it never fails, whatever comes. Making it fails with TypeError
 * without anything to verify with, or with keys and no `clientId`.
 */
export function webhookAnswerer({ verify, receive, maxBytes = DEFAULT_MAX_BYTES, onError }: WebhookReceiver) {
  const verified = typeof verify === 'function' ? verify : verifierOf(verify);

  return async ({ headers, readBody, logError = logToConsole }: IncomingWebhook): Promise<WebhookAnswer> => {
    const failed = (error: unknown, sentence: string): WebhookAnswer => {
      (onError ?? logError)(error);
      return { status: 500, sentence };
    };
    let payload: Record<string, unknown>;
    try {
      const body = await readBody(maxBytes);
      if (byteLength(body) > maxBytes) throw bodyTooLong(maxBytes);
      payload = await verified({ headers, body });
    } catch (error) {
      const status = statusOf(error);
      if (status < 500 && error instanceof Error) return { status, sentence: error.message };
      const sentence = error instanceof BodyRefused ? error.message : 'The delivery could not be verified.';
      return failed(error, sentence);
    }
    try {
      // A verified delivery has an id.
      await receive({ id: headerOf(headers, 'webhook-id') ?? '', payload });
    } catch (error) {
      // What went wrong is the application's own business.
      return failed(error, 'The application failed to take the delivery.');
    }
    return { status: 204, sentence: '' };
  };
}

/** The refusal of a body longer than `maxBytes`. */
export const bodyTooLong = (maxBytes: number): BodyRefused =>
  new BodyRefused(413, `The body is longer than ${maxBytes} bytes.`);

/** The refusal of a body that ended early. */
export const bodyBrokeOff = (): BodyRefused => new BodyRefused(400, 'The body did not arrive whole.');

/** The bytes of a raw body, of whatever kind of buffer; `undefined` where it is something else. */
export function bytesIn(body: unknown): Uint8Array | undefined {
  if (!ArrayBuffer.isView(body)) return undefined;
  return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
}

/** Reports mistakes in the options when the application starts instead of refusing every delivery. */
function verifierOf(options: VerificationOptions) {
  checkClientId(options);
  const secrets = [options.secret ?? []].flat();
  for (const secret of secrets) secretBytes(secret);
  if (secrets.length + (options.keys?.length ?? 0) === 0)
    throw new TypeError('A receiver of webhooks needs a secret or public keys to verify them with.');
  return (delivery: Delivery) => verifyWebhook(delivery, options);
}

function statusOf(error: unknown): number {
  if (error instanceof BodyRefused) return error.status;
  // Without any key it is the receiver who cannot verify.
  if (!(error instanceof WebhookRefused) || error.reason === 'no_public_keys') return 500;
  return MALFORMED.includes(error.reason) ? 400 : 401;
}

const byteLength = (body: string | Uint8Array): number =>
  typeof body === 'string' ? new TextEncoder().encode(body).length : body.length;

const logToConsole = (error: unknown): void => console.error('A webhook was answered 500:', error);
