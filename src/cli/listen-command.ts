/** `kalends listen`: deliveries on a machine that cannot be called. It needs neither the database nor the settings. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import { type Command, CommandError, type Context, type Input, usageError } from './command.ts';
import { deliver } from './listen-delivery.ts';
import { type Listener, type Listening, listen } from './listen-requests.ts';
import { text } from './option-values.ts';
import { terminalText } from './terminal-text.ts';

export const listenCommand: Command = {
  name: 'listen',
  summary: 'Get deliveries on this machine, which nobody can call, and pass them on',
  positionals: [],
  options: [
    { name: 'url', value: 'URL', doc: 'The public URL of the running Kalends; KALENDS_URL by default.' },
    {
      name: 'forward-to',
      value: 'URL',
      doc: 'Where each delivery is posted, such as http://localhost:3000/webhooks.',
    },
    { name: 'client-id', value: 'CLIENT_ID', doc: 'The application; KALENDS_CLIENT_ID by default.' },
    {
      name: 'hears',
      value: 'KINDS',
      doc: 'Separated by commas: events, calendars, connections; events by default.',
    },
    { name: 'own', doc: 'Also of changes that the application made itself.' },
  ],
  notes: [
    'Shows every change from now on until Ctrl-C, as it would be sent, and retries nothing. Other endpoints get theirs all the same.',
    "The application's secret is taken from KALENDS_CLIENT_SECRET, or asked for. Deliveries are signed with KALENDS_WEBHOOK_SECRET (whsec_…) where it is set, and with a new secret each time otherwise.",
    'With --json it prints one document a line: first the listener, then each delivery.',
  ],
  async run(input, context) {
    const options = await optionsOf(input, context);
    const stop = new AbortController();
    const end = () => stop.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
    try {
      await listen({ ...options, signal: stop.signal }, shownBy(context, options));
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, end);
    }
    return undefined;
  },
};

type Options = Omit<Listening, 'signal'> & { readonly forwardTo: string | undefined };

async function optionsOf({ options }: Input, context: Context): Promise<Options> {
  const { env } = context.io;
  const url = text(options.url) ?? env.KALENDS_URL;
  if (url === undefined) throw usageError('--url URL is missing: the public URL of the running Kalends.');
  const clientId = text(options['client-id']) ?? env.KALENDS_CLIENT_ID;
  if (clientId === undefined) throw usageError('--client-id CLIENT_ID is missing.');
  const forwardTo = text(options['forward-to']);
  if (forwardTo !== undefined && !isWebUrl(forwardTo))
    throw usageError('--forward-to must be a URL such as http://localhost:3000/webhooks.');
  return {
    base: baseOf(url),
    clientId,
    clientSecret: env.KALENDS_CLIENT_SECRET || (await askSecret(context)),
    forwardTo,
    wishes: {
      hears: (text(options.hears) ?? 'events').split(',').map((kind) => kind.trim()),
      own: options.own === true,
      ...(env.KALENDS_WEBHOOK_SECRET !== undefined && { secret: env.KALENDS_WEBHOOK_SECRET }),
    },
  };
}

const isWebUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Without a slash at its end. Throws for one over which the secret would go in the clear. */
function baseOf(url: string): string {
  if (!isWebUrl(url)) throw usageError('--url must be a URL such as https://kalends.example.com.');
  const { protocol, hostname, origin, pathname } = new URL(url);
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    throw usageError("--url must be https: the application's secret would go over the network in the clear.");
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** What is typed is not shown. */
async function askSecret({ io, json }: Context): Promise<string> {
  if (!io.stdin.isTTY || json)
    throw usageError("KALENDS_CLIENT_SECRET is missing: the application's secret.");
  io.stderr.write("The application's secret: ");
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: io.stdin, output, terminal: true });
  try {
    const secret = await reader.question('');
    if (secret.trim() === '') throw new CommandError('refused', 'Nothing was typed.');
    return secret.trim();
  } finally {
    reader.close();
    io.stderr.write('\n');
  }
}

/** What is printed as it goes. Each delivery is passed on before the next one. */
function shownBy({ io, json, deps: { now } }: Context, { base, clientId, forwardTo }: Options): Listener {
  const line = (document: object, words: string) =>
    io.stdout.write(json ? `${JSON.stringify(document)}\n` : `${terminalText(words)}\n`);
  const gaps = new Map<string, number>();
  return {
    began({ id, secret }) {
      const to = forwardTo === undefined ? '' : `\n  forward to  ${forwardTo}`;
      const words = `Listening at ${base} for ${clientId} until Ctrl-C.\n  secret      ${secret}${to}\n`;
      line({ listening: true, id, secret, url: base, forward_to: forwardTo ?? null }, words);
    },
    trouble(problem, seconds) {
      // Beside the documents of --json.
      io.stderr.write(`kalends: ${terminalText(`${problem} Trying again in ${seconds} s.`)}\n`);
    },
    async delivery(delivery) {
      const { document, words } = await deliver(delivery, { forwardTo, gaps, now });
      line(document, words);
    },
  };
}
