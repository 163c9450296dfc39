/** Mails one-time links, or returns them for an operator who passes them on. */
import { MailError, type Mailer } from '../lib/mail/mailer.ts';
import { joinUrl, type NewLink, onLocalhost } from './invitations.ts';

export type LinkMailDeps = {
  /** Undefined: the link is shown. */
  readonly mailer: Mailer | undefined;
  readonly dashboardUrl: string;
};

/** `url` is undefined if the link was mailed. `mailError` is a sentence that says why it was not. */
export type SentLink = { readonly url: string | undefined; readonly mailError: string | undefined };

/** Mails the link if there are an address and a mailer. The link of a failed mail is returned and works. */
export async function sendLink(link: NewLink, { mailer, dashboardUrl }: LinkMailDeps): Promise<SentLink> {
  const { token, mailTo } = link;
  const url = joinUrl(onLocalhost(dashboardUrl), token);
  if (mailer === undefined || mailTo === undefined) return { url, mailError: undefined };
  try {
    await mailer.send({ to: mailTo, ...linkMail(link, url) });
    return { url: undefined, mailError: undefined };
  } catch (reason) {
    if (!(reason instanceof MailError)) throw reason;
    return { url, mailError: reason.message };
  }
}

function linkMail({ invitation: { purpose, role, expiresAt } }: NewLink, url: string) {
  const { host } = new URL(url);
  const until = `${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const isReset = purpose === 'reset';
  const reason = isReset
    ? 'An owner created a reset link for your account. With it you set a new password or passkey. When it is used, your existing passwords, passkeys and sessions end.'
    : `An owner invites you to this dashboard. Your role: ${role}.`;
  return {
    subject: isReset ? `Reset link for Kalends at ${host}` : `Invitation to Kalends at ${host}`,
    text: `${reason}\n\n${url}\n\nThe link works once, until ${until}. Do not forward this mail: the link signs in whoever opens it.\nIf you did not expect it, ignore it.\n`,
  };
}
