/** Makes one attempt to deliver a message: signs it, sends it and evaluates the response (docs/webhooks.md). */
import type { Egress, EgressResponse } from '../lib/egress/egress.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import { parseRetryAfter } from '../lib/retry-after.ts';
import type { Endpoint } from './endpoint.ts';
import { signWithSecrets } from './endpoint-secret.ts';
import type { Attempt, EndpointSecret } from './message.ts';
import type { WebhookSigner } from './webhook-signer.ts';

export type SendDeps = {
  readonly webhookEgress: Egress;
  readonly webhookSigner: Pick<WebhookSigner, 'signaturesOf'>;
  readonly now: () => number;
};

export type SentMessage = Pick<Endpoint, 'url' | 'privateNetwork'> & {
  readonly clientId: string;
  readonly secrets: readonly EndpointSecret[];
  readonly messageId: string;
  readonly body: string;
};

/** `gone`: the receiver responded with 410. */
export type Outcome = {
  readonly attempt: Attempt;
  readonly gone: boolean;
  readonly retryAfterMs: number | undefined;
};

const TIMEOUT_MS = 15_000;
const MOST_ANSWER_BYTES = 64_000;
/** The maximum characters of a response in the log. */
const KEPT_ANSWER = 1_024;

/** Sends a message. Never throws because of a receiver. 2xx is success; a redirect is a failure and is not followed. */
export async function sendMessage(sent: SentMessage, deps: SendDeps): Promise<Outcome> {
  const startedAt = deps.now();
  const from = performance.now();
  const answer = await request(sent, startedAt, deps).catch((reason: unknown) => {
    if (!(reason instanceof EgressError)) throw reason;
    return reason;
  });
  const durationMs = Math.round(performance.now() - from);
  if (answer instanceof EgressError) {
    const attempt = { startedAt, durationMs, status: undefined, fault: answer.message, answer: undefined };
    return { attempt, gone: false, retryAfterMs: undefined };
  }
  const { status } = answer;
  // Only the operator may read responses of hosts in the private network.
  const text = answer.fromPrivate === true ? '' : answer.body.toString('utf8', 0, KEPT_ANSWER * 4);
  const attempt = {
    startedAt,
    durationMs,
    status,
    fault: describeStatus(status),
    answer: text === '' ? undefined : text.slice(0, KEPT_ANSWER),
  };
  return { attempt, gone: status === 410, retryAfterMs: parseRetryAfter((name) => answer.header(name)) };
}

function request(
  { clientId, url, privateNetwork, secrets, messageId, body }: SentMessage,
  now: number,
  { webhookEgress, webhookSigner }: SendDeps,
): Promise<EgressResponse> {
  const timestamp = String(Math.floor(now / 1000));
  const content = Buffer.from(`${messageId}.${timestamp}.${body}`);
  const byKeys = webhookSigner.signaturesOf(clientId, content);
  const signatures = [...byKeys, ...signWithSecrets(content, secrets, now)];
  return webhookEgress.request({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      // One header, because some clients do not read a second one.
      'webhook-signature': signatures.join(' '),
    },
    body,
    clientId,
    mayFollow: () => false,
    publicOnly: privateNetwork === 0,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_ANSWER_BYTES,
  });
}

function describeStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return `It returned ${status}: redirects are not followed`;
  if (status === 410) return 'It returned 410: the endpoint is paused until it is resumed';
  return `It answered ${status}`;
}
