/** The channels of alerts: mails and Standard Webhooks. */
import type { Egress } from '../lib/egress/egress.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import { MailError, type Mailer } from '../lib/mail/mailer.ts';
import { instantText } from '../lib/rendered-json.ts';
import { signWithSecrets } from '../webhooks/endpoint-secret.ts';
import type { WebhookSigner } from '../webhooks/webhook-signer.ts';
import { alertDocument } from './alert-document.ts';
import type { AlertNotice, AlertRecipient } from './alert-store.ts';

/** A problem of a channel. The message is a public sentence without secrets. */
export class AlertSendError extends Error {
  override readonly name = 'AlertSendError';
}

export type AlertChannel = AlertRecipient & {
  /** The least time between two messages, in milliseconds. */
  readonly paceMs: number;
  /** How many notices one message has. */
  readonly batch: number;
  /** Sends all notices in one message. Throws AlertSendError. */
  send(notices: readonly AlertNotice[]): Promise<void>;
  /** Sends a test. Throws AlertSendError. */
  test(): Promise<void>;
};

export type AlertSettings = {
  readonly emails: readonly string[];
  readonly webhookUrl: string | undefined;
  readonly webhookSecret: string;
};

export type AlertChannelDeps = {
  readonly mailer: Mailer | undefined;
  /** Reaches any address: the operator set the URL. */
  readonly alertEgress: Egress;
  readonly webhookSigner: Pick<WebhookSigner, 'signaturesOf'>;
  /** The origin that tests and mails name. */
  readonly publicUrl: string;
  readonly now: () => number;
};

const MINUTE_MS = 60_000;
const MAIL_PACE_MS = 5 * MINUTE_MS;
const MOST_IN_MAIL = 1_000;
const LISTED_IN_MAIL = 20;
const TIMEOUT_MS = 10_000;
/** Stored with notices instead of the URL, which may have a secret. */
const WEBHOOK = 'KALENDS_ALERT_WEBHOOK_URL';

export function alertChannels(
  { emails, webhookUrl, webhookSecret }: AlertSettings,
  deps: AlertChannelDeps,
): AlertChannel[] {
  const { mailer } = deps;
  return [
    ...(mailer === undefined ? [] : emails.map((address) => mailChannel(address, { ...deps, mailer }))),
    ...(webhookUrl === undefined ? [] : [webhookChannel({ webhookUrl, webhookSecret }, deps)]),
  ];
}

/** Returns the channel of a developer. */
export function mailChannel(
  address: string,
  { mailer, publicUrl }: Pick<AlertChannelDeps, 'publicUrl'> & { readonly mailer: Mailer },
): AlertChannel {
  const { host } = new URL(publicUrl);
  const send = async (subject: string, text: string) => {
    try {
      await mailer.send({ to: address, subject: `[Kalends ${host}] ${subject}`, text });
    } catch (reason) {
      throw reason instanceof MailError ? new AlertSendError(reason.message) : reason;
    }
  };
  return {
    ...{ channel: 'mail', recipient: address, paceMs: MAIL_PACE_MS, batch: MOST_IN_MAIL },
    send: (notices) => send(mailSubject(notices), mailText(notices)),
    test: () => send('Test', `This is a test of alerts of ${publicUrl}. Nothing is wrong.\n`),
  };
}

const VERBS = { opened: 'Opened', resolved: 'Resolved' } as const;

function mailSubject(notices: readonly AlertNotice[]): string {
  const [first, ...others] = notices;
  if (first !== undefined && others.length === 0) return `${VERBS[first.event]}: ${first.alert.summary}`;
  const opened = notices.filter(({ event }) => event === 'opened').length;
  const parts = [
    opened > 0 && `${opened} opened`,
    opened < notices.length && `${notices.length - opened} resolved`,
  ];
  return `Alerts: ${parts.filter(Boolean).join(', ')}`;
}

function mailText(notices: readonly AlertNotice[]): string {
  const paragraphs = notices.slice(0, LISTED_IN_MAIL).map(({ event, alert }) => {
    const at = instantText((event === 'resolved' ? alert.resolvedAt : alert.openedAt) ?? alert.openedAt);
    const fix = event === 'opened' ? [alert.action, alert.url] : [];
    return [`${VERBS[event]} ${at}: ${alert.summary}`, ...fix].filter(Boolean).join('\n');
  });
  const rest = notices.length - paragraphs.length;
  const more = rest > 0 ? [`${rest} more: run "kalends alert list".`] : [];
  return `${[...paragraphs, ...more].join('\n\n')}\n`;
}

function webhookChannel(
  { webhookUrl: url, webhookSecret: secret }: { readonly webhookUrl: string; readonly webhookSecret: string },
  { alertEgress, webhookSigner, publicUrl, now }: AlertChannelDeps,
): AlertChannel {
  const post = async (id: string, message: object) => {
    const timestamp = String(Math.floor(now() / 1000));
    const body = JSON.stringify(message);
    const content = Buffer.from(`${id}.${timestamp}.${body}`);
    const signatures = [
      ...webhookSigner.signaturesOf('', content),
      ...(secret === '' ? [] : signWithSecrets(content, [{ secret }], now())),
    ];
    const headers = {
      'content-type': 'application/json',
      ...{ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') },
    };
    const limits = { mayFollow: () => false, timeoutMs: TIMEOUT_MS, maxBytes: 64_000 };
    const response = await alertEgress
      .request({ method: 'POST', url, headers, body, ...limits })
      .catch((reason: unknown) => {
        if (!(reason instanceof EgressError)) throw reason;
        throw new AlertSendError('The receiver of alerts cannot be reached.');
      });
    if (response.status < 200 || response.status > 299)
      throw new AlertSendError(`The receiver of alerts responded with ${response.status}.`);
  };
  return {
    ...{ channel: 'webhook', recipient: WEBHOOK, paceMs: 0, batch: 1 },
    async send(notices) {
      for (const { alert, event } of notices) {
        const at = (event === 'resolved' ? alert.resolvedAt : alert.openedAt) ?? alert.openedAt;
        const text = `${VERBS[event]}: ${alert.summary}`;
        const message = {
          type: `alert.${event}`,
          timestamp: instantText(at),
          text,
          data: alertDocument(alert),
        };
        await post(`${alert.alertId}_${event}`, message);
      }
    },
    test: () => {
      const text = `This is a test of alerts of ${publicUrl}. Nothing is wrong.`;
      return post(`test_${now()}`, { type: 'alert.test', timestamp: instantText(now()), text, data: {} });
    },
  };
}

/** The result of a test. `problem` is a sentence; undefined if the test was sent. */
export type AlertTest = AlertRecipient & { readonly problem: string | undefined };

/** Sends a test to every recipient, one after the other. */
export async function testChannels(channels: readonly AlertChannel[]): Promise<AlertTest[]> {
  const results: AlertTest[] = [];
  for (const { channel, recipient, test } of channels) {
    const problem = await test().then(
      () => undefined,
      (reason: unknown) => {
        if (reason instanceof AlertSendError) return reason.message;
        throw reason;
      },
    );
    results.push({ channel, recipient, problem });
  }
  return results;
}
