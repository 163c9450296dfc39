/** A mail server that delivers nothing and keeps what it is given (RFC 5321), for calendar servers that invite by mail. */
import { createServer, type Socket } from 'node:net';

import { listen } from '../harness/loopback.ts';
import { type ItipMessage, itipMessageOf } from './scheduling.ts';

export type MailSink = {
  readonly port: number;
  /** Returns the messages that arrived since the last call, one for each recipient. */
  take(): ItipMessage[];
  close(): Promise<void>;
};

/** Listens on loopback, accepts mail from and to every address, and asks for no password. */
export async function startMailSink(): Promise<MailSink> {
  const messages: ItipMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    talk(socket, (mail) => messages.push(...mail));
  });
  const { port } = new URL(await listen(server));
  return {
    port: Number(port),
    take: () => messages.splice(0),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function talk(socket: Socket, keep: (mail: readonly ItipMessage[]) => void): void {
  let unread = '';
  let recipients: string[] = [];
  /** The lines of the mail that is being given; `undefined` between mails. */
  let mail: string[] | undefined;
  const say = (text: string) => socket.write(`${text}\r\n`);
  const take = (line: string): void => {
    if (mail !== undefined && line !== '.') mail.push(line.startsWith('.') ? line.slice(1) : line);
    else if (mail !== undefined) {
      keep(messagesIn(mail.join('\r\n'), recipients));
      mail = undefined;
      recipients = [];
      say('250 kept');
    } else {
      const [, recipient] = /^RCPT TO:\s*<([^>]*)>/i.exec(line) ?? [];
      if (recipient !== undefined) recipients.push(recipient);
      if (/^DATA/i.test(line)) mail = [];
      say(answerTo(line));
      if (/^QUIT/i.test(line)) socket.end();
    }
  };
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    const lines = (unread + chunk).split('\r\n');
    unread = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  say('220 sink');
}

function answerTo(command: string): string {
  if (/^EHLO/i.test(command)) return '250-sink\r\n250 8BITMIME';
  if (/^DATA/i.test(command)) return '354 go on';
  return /^QUIT/i.test(command) ? '221 bye' : '250 fine';
}

/** The iTIP message of a mail (RFC 6047), once for each who gets it. */
function messagesIn(mail: string, recipients: readonly string[]): ItipMessage[] {
  const calendar = calendarPart(mail);
  return recipients.map((to) => ({ ...itipMessageOf(calendar), to, by: 'mail' }));
}

/** The text of its text/calendar part. */
function calendarPart(mail: string): string {
  const at = mail.search(/^content-type:\s*text\/calendar/im);
  const [head = '', ...paragraphs] = mail.slice(at).split('\r\n\r\n');
  const boundary = paragraphs.join('\r\n\r\n').search(/^--/m);
  const body = paragraphs.join('\r\n\r\n').slice(0, boundary === -1 ? undefined : boundary);
  if (/^content-transfer-encoding:\s*base64/im.test(head)) return Buffer.from(body, 'base64').toString();
  if (!/^content-transfer-encoding:\s*quoted-printable/im.test(head)) return body;
  const bytes = body.replace(/=\r\n/g, '').replace(/=([\dA-F]{2})/g, (_, hex) => `%${hex}`);
  return bytes.replace(/(?:%[\dA-F]{2})+/g, (text) =>
    Buffer.from(text.replaceAll('%', ''), 'hex').toString(),
  );
}
