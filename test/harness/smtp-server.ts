/** A real SMTP server (aiosmtpd) for tests, in a process of its own. */
import { spawn } from 'node:child_process';
import { on } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { counterpart } from './counterpart.ts';

/** A mail as the server received it; `text` has its headers and its body. */
export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  readonly signedIn: boolean;
};

/** Options for `describe` or `it`, which skip if the server is not installed. */
export const withSmtpServer = counterpart('aiosmtpd', '/usr/lib/python3/dist-packages/aiosmtpd/smtp.py');

export type SmtpServer = {
  readonly port: number;
  /** Every mail so far. A mail is here when its sender knows that it was accepted. */
  mails(): Promise<readonly ReceivedMail[]>;
  /** The users that tried to sign in. */
  tried(): Promise<readonly string[]>;
  stop(): void;
};

/** Starts a server; with `auth` it accepts mails only after a sign-in. The caller stops it. */
export async function startSmtpServer({ auth = false } = {}): Promise<SmtpServer> {
  const script = path.join(import.meta.dirname, 'smtp-server.py');
  const server = spawn('/usr/bin/python3', [script, ...(auth ? ['auth'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const reader = createInterface(server.stdout);
  const first = on(reader, 'line', { close: ['close'] })
    [Symbol.asyncIterator]()
    .next();
  reader.on('line', (line) => lines.push(line));
  const port = Number((await first).value?.[0]);
  lines.shift();
  // The line is written before the response is sent, so one turn of the loop is enough to read it.
  const received = async (): Promise<Record<string, unknown>[]> => {
    await new Promise(setImmediate);
    return lines.map((line) => JSON.parse(line));
  };
  return {
    port,
    // Every line without `tried` is a mail of the script.
    mails: async () => (await received()).filter(({ tried }) => tried === undefined) as ReceivedMail[],
    tried: async () => (await received()).flatMap(({ tried }) => (tried === undefined ? [] : String(tried))),
    stop: () => server.kill(),
  };
}

/** Returns the lines of the header called `name`, without folding. */
export const headersOf = ({ text }: ReceivedMail, name: string): string[] =>
  (text.split('\r\n\r\n')[0] ?? '')
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    .map((line) => line.slice(name.length + 1).trim());
