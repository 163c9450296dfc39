/** The settings of mail. */
import { parseMailSender, parseMailServer } from '../lib/mail/mail-server.ts';
import { type Mailer, smtpMailer } from '../lib/mail/mailer.ts';
import { type OptionTable, optional, type ValuesOf } from './option.ts';

export const MAIL = {
  server: {
    name: 'KALENDS_SMTP_URL',
    secret: true,
    parse: optional(parseMailServer),
    doc: 'The [mail server](operations.md#mail), such as `smtps://user:password@mail.example.com` (port 465) or `smtp://…` (port 587). A password is sent only over TLS, except to this machine. Default: none, and nothing is mailed.',
  },
  from: {
    name: 'KALENDS_MAIL_FROM',
    parse: optional(parseMailSender),
    doc: 'The sender of mails, such as `Kalends <kalends@example.com>`. Required with `KALENDS_SMTP_URL`.',
  },
} satisfies OptionTable;

/** Returns the configured mailer; undefined if mail is off. */
export const openMailer = ({ mail }: { readonly mail: MailSettings | undefined }): Mailer | undefined =>
  mail && smtpMailer(mail.server, mail.from);

type MailSettings = { readonly [K in keyof typeof MAIL]: NonNullable<ValuesOf<typeof MAIL>[K]> };
