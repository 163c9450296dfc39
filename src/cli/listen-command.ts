/** `kalends listen`: receives deliveries on a machine that the server cannot reach. Uses no database and no settings. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import { type Command, CommandError, type Context, type Input, usageError } from './command.ts';
import { deliver } from './listen-delivery.ts';
import { type Listener, type Listening, listen } from './listen-requests.ts';
import { text } from './option-values.ts';
import { terminalText } from './terminal-text.ts';

export const listenCommand: Command = {
  name: 'listen',
  summary: 'Receive deliveries on this machine and forward them',
  options: [
    { name: 'url', value: 'URL', doc: 'The public URL of the running Kalends; KALENDS_URL by default.' },
    {
      name: 'forward-to',
      value: 'URL',
      doc: 'The URL that receives each delivery, such as http://localhost:3000/webhooks.',
    },
    { name: 'client-id', value: 'CLIENT_ID', doc: 'The application; KALENDS_CLIENT_ID by default.' },
    {
      name: 'hears',
      value: 'TOPICS',
      doc: 'Topics, separated by commas: events, calendars, connections; events by default.',
    },
    { name: 'own', doc: 'Also receive changes that the application made itself.' },
  ],
  notes: [
    'Prints every delivery from now on until Ctrl-C. It does not retry. Other endpoints receive their deliveries as usual.',
    'The client secret comes from KALENDS_CLIENT_SECRET; otherwise the command asks for it. Deliveries are signed with KALENDS_WEBHOOK_SECRET (whsec_…) if it is set, otherwise with a new secret each time.',
    'With --json it prints JSON Lines: first the listener, then each delivery.',
  ],
  async run(input, context) {
    const options = await readOptions(input, context);
    const stop = new AbortController();
    const end = () => stop.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
    try {
      await listen({ ...options, signal: stop.signal }, createPrinter(context, options));
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, end);
    }
    return undefined;
  },
};

type Options = Omit<Listening, 'signal'> & { readonly forwardTo: string | undefined };

async function readOptions({ options }: Input, context: Context): Promise<Options> {
  const { env } = context.io;
  const url = text(options.url) ?? env.KALENDS_URL;
  if (url === undefined) throw usageError('--url URL is missing: the public URL of the running Kalends.');
  const clientId = text(options['client-id']) ?? env.KALENDS_CLIENT_ID;
  if (clientId === undefined) throw usageError('--client-id CLIENT_ID is missing.');
  const forwardTo = text(options['forward-to']);
  if (forwardTo !== undefined && !isWebUrl(forwardTo))
    throw usageError('--forward-to must be a URL such as http://localhost:3000/webhooks.');
  return {
    base: parseBase(url),
    clientId,
    clientSecret: env.KALENDS_CLIENT_SECRET || (await askSecret(context)),
    forwardTo,
    listenerBody: {
      hears: (text(options.hears) ?? 'events').split(',').map((topic) => topic.trim()),
      own: options.own === true,
      ...(env.KALENDS_WEBHOOK_SECRET !== undefined && { secret: env.KALENDS_WEBHOOK_SECRET }),
    },
  };
}

const isWebUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Returns the URL without a trailing slash. Throws a usage error if the secret would be sent unencrypted. */
function parseBase(url: string): string {
  if (!isWebUrl(url)) throw usageError('--url must be a URL such as https://kalends.example.com.');
  const { protocol, hostname, origin, pathname } = new URL(url);
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    throw usageError('--url must be https: otherwise the client secret would be sent unencrypted.');
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** Asks for the client secret without echoing it. */
async function askSecret({ io, json }: Context): Promise<string> {
  if (!io.stdin.isTTY || json)
    throw usageError('KALENDS_CLIENT_SECRET is missing: the client secret of the application.');
  io.stderr.write('Client secret: ');
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: io.stdin, output, terminal: true });
  try {
    const secret = await reader.question('');
    if (secret.trim() === '') throw new CommandError('refused', 'No client secret was entered.');
    return secret.trim();
  } finally {
    reader.close();
    io.stderr.write('\n');
  }
}

/** Returns a listener that prints each event and forwards each delivery before the next one. */
function createPrinter(
  { io, json, deps: { now } }: Context,
  { base, clientId, forwardTo }: Options,
): Listener {
  const line = (document: object, message: string) =>
    io.stdout.write(json ? `${JSON.stringify(document)}\n` : `${terminalText(message)}\n`);
  const gaps = new Map<string, number>();
  return {
    began({ id, secret }) {
      const to = forwardTo === undefined ? '' : `\n  forward to  ${forwardTo}`;
      const message = `Listening at ${base} for ${clientId} until Ctrl-C.\n  secret      ${secret}${to}\n`;
      line({ listening: true, id, secret, url: base, forward_to: forwardTo ?? null }, message);
    },
    trouble(problem, seconds) {
      // Standard output is for the documents of --json.
      io.stderr.write(`kalends: ${terminalText(`${problem} Retrying in ${seconds} s.`)}\n`);
    },
    async delivery(delivery) {
      const { document, message } = await deliver(delivery, { forwardTo, gaps, now });
      line(document, message);
    },
  };
}
