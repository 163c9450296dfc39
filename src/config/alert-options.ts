/** The settings of alerts. */
import { isMailAddress } from '../lib/mail/mail-server.ts';
import { httpUrl, type OptionTable, optional } from './option.ts';

const MOST_RECIPIENTS = 5;

export const ALERTS = {
  emails: {
    name: 'KALENDS_ALERT_EMAIL',
    parse: addresses,
    doc: 'The addresses that receive all [alerts](operations.md#alerts-by-mail-and-webhook), at most 5, separated by commas. Needs `KALENDS_SMTP_URL`. Default: none.',
  },
  webhookUrl: {
    name: 'KALENDS_ALERT_WEBHOOK_URL',
    secret: true,
    parse: optional((text: string) => httpUrl(text).href),
    doc: 'The URL that receives all [alerts](operations.md#alerts-by-mail-and-webhook) as Standard Webhooks. It can be a private address. Default: none.',
  },
  webhookSecret: {
    name: 'KALENDS_ALERT_WEBHOOK_SECRET',
    secret: true,
    parse: webhookSecret,
    doc: 'A secret, `whsec_` and 24 to 64 bytes in base64, that also signs alerts with `v1`. Default: none, and only webhook keys sign.',
  },
} satisfies OptionTable;

function addresses(text: string): readonly string[] {
  const list = text === '' ? [] : text.split(',').map((address) => address.trim());
  if (!list.every(isMailAddress) || list.length > MOST_RECIPIENTS)
    throw new Error(`must be at most ${MOST_RECIPIENTS} e-mail addresses, separated by commas`);
  return Object.freeze([...new Set(list)]);
}

function webhookSecret(text: string): string {
  if (
    text !== '' &&
    !/^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
  )
    throw new Error('must be whsec_ and 24 to 64 bytes in base64');
  return text;
}
