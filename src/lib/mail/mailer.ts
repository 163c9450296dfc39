/** Sends mails in plain text through the operator's mail server. */
import type { NodemailerError, SMTPTransportOptions } from 'nodemailer';
import { oneLine } from '../one-line.ts';
import { isMailAddress, type MailSender, type MailServer } from './mail-server.ts';

export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

export interface Mailer {
  /** Sends one mail within 10 seconds; the mail server has accepted it when it resolves. Throws MailError. */
  send(mail: Mail): Promise<void>;
}

/** A mail was not sent. The message is a public sentence without secrets; it excludes what the server wrote. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

const DEADLINE_MS = 10_000;
const MOST_SUBJECT_CHARACTERS = 150;

/** Returns a mailer that opens a connection for each mail. The library is loaded with the first one. */
export function smtpMailer(server: MailServer, from: MailSender): Mailer {
  return {
    async send({ to, subject, text }) {
      if (!isMailAddress(to)) throw new MailError('The address of the recipient cannot receive mail.');
      const { createTransport } = await import('nodemailer');
      const transport = createTransport(toTransport(server));
      try {
        const { rejected } = await transport.sendMail({
          // The library changes it.
          from: { ...from },
          to: { name: '', address: to },
          envelope: { from: from.address, to: [to] },
          subject: oneLine(subject, MOST_SUBJECT_CHARACTERS),
          text,
          // RFC 3834 §5: keeps vacation replies away.
          headers: { 'Auto-Submitted': 'auto-generated' },
          xMailer: false,
          signal: AbortSignal.timeout(DEADLINE_MS),
        });
        if (rejected.length > 0) throw new MailError(PROBLEMS.EENVELOPE);
      } catch (reason) {
        throw reason instanceof MailError ? reason : new MailError(problemOf(reason));
      } finally {
        transport.close();
      }
    },
  };
}

function toTransport({ host, port, tls, user, password }: MailServer): SMTPTransportOptions {
  return {
    ...{ host, port, secure: tls === 'implicit', requireTLS: tls === 'required', ignoreTLS: tls === 'none' },
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
    ...{ connectionTimeout: DEADLINE_MS, greetingTimeout: DEADLINE_MS, socketTimeout: DEADLINE_MS },
    ...{ dnsTimeout: DEADLINE_MS, disableFileAccess: true, disableUrlAccess: true },
    ...{ logger: false, debug: false },
  };
}

const UNREACHABLE = 'The mail server cannot be reached.';
const LATE = 'The mail server did not respond within 10 seconds.';
const NO_LOGIN = 'The mail server refused the user and password of KALENDS_SMTP_URL';
const PROBLEMS = {
  EAUTH: NO_LOGIN,
  ENOAUTH: NO_LOGIN,
  ETLS: 'The connection to the mail server cannot be encrypted',
  EENVELOPE: 'The mail server refused the sender or the recipient',
  EMESSAGE: 'The mail server refused the mail',
  ETIMEDOUT: LATE,
  ABORT_ERR: LATE,
  EABORT: LATE,
} as const;

function problemOf(reason: unknown): string {
  if (!(reason instanceof Error)) return UNREACHABLE;
  const { code = reason.name, responseCode } = reason as Partial<NodemailerError>; // all are optional
  const problem = Object.entries(PROBLEMS).find(([name]) => name === code)?.[1] ?? UNREACHABLE;
  if (problem.endsWith('.')) return problem;
  return responseCode === undefined ? `${problem}.` : `${problem} (${responseCode}).`;
}
