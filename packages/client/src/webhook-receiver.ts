/** Receiving a webhook under every framework: read, verify, pass on, and only then respond. */
import type { WebhookPayload } from './application-calls.ts';
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
  /** The header `webhook-id`, the same for every attempt: store it, and skip deliveries that came before. */
  readonly id: string;
  /** The body's JSON, as Kalends signed it. `eventType` distinguishes its kinds; it is absent for events. */
  readonly payload: WebhookPayload;
};

/** The application's way to receive webhooks, under any framework. */
export type WebhookReceiver = {
  /** `webhook` of a client, or the secrets and keys to verify deliveries with. */
  readonly verify: ((delivery: Delivery) => Promise<WebhookPayload>) | VerificationOptions;
  /**
   * Called for every verified delivery, sometimes twice for one. The response is 204 once it resolves, so return within
   * the 15 seconds that Kalends waits. If it fails, the response is 500 and Kalends tries again.
   */
  readonly receive: (webhook: ReceivedWebhook) => unknown;
  /** The maximum length of a body in bytes; 1 MiB (1,048,576) by default. A longer body gets status 413. */
  readonly maxBytes?: number | undefined;
  /**
   * Called with the error of every response with status 500, from `receive` or the set-up. By default the error is
   * logged.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
};

/** A request, whose body is not read yet. */
export type IncomingWebhook = {
  readonly headers: Delivery['headers'];
  /** Fails with BodyRefused, at the latest when there is more than `maxBytes` of it. */
  readBody(maxBytes: number): Promise<string | Uint8Array>;
  /** Called with errors if the receiver has no `onError`; by default they go to the console. */
  readonly logError?: (error: unknown) => void;
};

/** An HTTP response; `sentence` is empty with 204. */
export type WebhookAnswer = { readonly status: number; readonly sentence: string };

/** A body that cannot be verified, with the HTTP status for the response. */
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
 * Returns a function that responds to the requests of one receiver and never fails. Throws TypeError if there is
 * nothing to verify with, or if there are keys and no `clientId`.
 */
export function webhookAnswerer({ verify, receive, maxBytes = DEFAULT_MAX_BYTES, onError }: WebhookReceiver) {
  const verified = typeof verify === 'function' ? verify : verifierOf(verify);

  return async ({ headers, readBody, logError = logToConsole }: IncomingWebhook): Promise<WebhookAnswer> => {
    const failed = (error: unknown, sentence: string): WebhookAnswer => {
      (onError ?? logError)(error);
      return { status: 500, sentence };
    };
    let payload: WebhookPayload;
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
      // The cause of the failure is the application's concern.
      return failed(error, 'The application failed to take the delivery.');
    }
    return { status: 204, sentence: '' };
  };
}

/** Returns the error for a body longer than `maxBytes`. */
export const bodyTooLong = (maxBytes: number): BodyRefused =>
  new BodyRefused(413, `The body is longer than ${maxBytes} bytes.`);

/** Returns the error for a body that ended early. */
export const bodyBrokeOff = (): BodyRefused => new BodyRefused(400, 'The body did not arrive whole.');

/** Returns the bytes of a raw body in any kind of buffer; `undefined` if it is something else. */
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
  // Without any key, the receiver is the one who cannot verify.
  if (!(error instanceof WebhookRefused) || error.reason === 'no_public_keys') return 500;
  return MALFORMED.includes(error.reason) ? 400 : 401;
}

const byteLength = (body: string | Uint8Array): number =>
  typeof body === 'string' ? new TextEncoder().encode(body).length : body.length;

const logToConsole = (error: unknown): void => console.error('A webhook was answered 500:', error);
