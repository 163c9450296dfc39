/** Alerts of their applications that developers receive by mail, once a mailed link confirmed their address. */
import type { RefundableLimit } from '../http/attempt-limit.ts';
import { MailError, type Mailer } from '../lib/mail/mailer.ts';
import { openWith, sealWith } from '../lib/sealing.ts';
import type { Person } from './person.ts';
import type { AlertMailStore } from './person-store.ts';

const LIFETIME_MS = 24 * 3_600_000;
const CONTEXT = 'address confirmation';

export type AlertMailDeps = {
  readonly people: Pick<AlertMailStore, 'confirmAddress'>;
  readonly mailer: Mailer | undefined;
  /** Limits the mails to each member. */
  readonly addressMails: RefundableLimit;
  /** Seals the links. */
  readonly addressKey: Buffer;
  readonly dashboardUrl: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

type Member = Pick<Person, 'personId' | 'login'>;

/** The limit of mails with links for a member, who may have entered the address of another person. */
export const ADDRESS_MAILS = { attempts: 3, seconds: 3600 };

/** Returns whether a member can receive alerts by mail: developers can, whose address is not made up by single sign-on. */
export const canGetAlertMails = (
  { role, login, identity }: Person,
  { mailer }: Pick<AlertMailDeps, 'mailer'>,
): boolean =>
  mailer !== undefined &&
  role === 'developer' &&
  !(identity !== undefined && login.endsWith(`@${new URL(identity.issuer).hostname}`));

/** Mails a link that confirms the address for 24 hours. Returns a sentence that says why it was not mailed. */
export async function mailAddressLink(
  { personId, login }: Member,
  { mailer, addressMails, addressKey, dashboardUrl, now }: AlertMailDeps,
): Promise<string | undefined> {
  if (mailer === undefined) return 'This server sends no mail.';
  if ((await addressMails(personId)) !== undefined)
    return 'You requested several links. Use the newest, or try again in an hour.';
  const token = sealWith(addressKey, JSON.stringify([personId, login, now() + LIFETIME_MS]), CONTEXT);
  const { host } = new URL(dashboardUrl);
  const text = `Open this link in the browser in which you are signed in to the dashboard. It confirms that you receive mail at this address, and alerts of your applications are then sent to it.\n\n${dashboardUrl}/dashboard/account/alerts/confirm?link=${token}\n\nThe link is valid for 24 hours. If you did not request it, ignore this mail.\n`;
  try {
    await mailer.send({ to: login, subject: `Confirm your address for alerts of Kalends at ${host}`, text });
    return undefined;
  } catch (reason) {
    if (reason instanceof MailError) return reason.message;
    throw reason;
  }
}

/** Confirms the address of the member that the link was mailed to. Returns false for any other link, or an expired one. */
export async function confirmAddress(
  { personId, login }: Member,
  token: string,
  { people, addressKey, now }: Pick<AlertMailDeps, 'people' | 'addressKey' | 'now'>,
): Promise<boolean> {
  const [mailedTo, address, expiresAt] = openToken(token, addressKey);
  if (mailedTo !== personId || address !== login || Number(expiresAt) <= now()) return false;
  return people.confirmAddress(personId, now());
}

function openToken(token: string, key: Buffer): readonly unknown[] {
  try {
    return JSON.parse(openWith(key, token, CONTEXT));
  } catch {
    return [];
  }
}
