/** `kalends listen`: receives deliveries on a machine that the server cannot reach. Uses no database and no settings. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, CommandError, type Context, type Input, usageError } from './command.ts';
import {
  type Authorization,
  basicAuthorization,
  keyAuthorization,
  Unavailable,
} from './listen-authorization.ts';
import { text } from './option-values.ts';
import { causeText } from './remote-operations.ts';
import { terminalText } from './terminal-text.ts';

export const listenCommand: Command = {
  name: 'listen',
  summary: 'Receive deliveries on this machine and forward them',
  options: [
    {
      name: 'url',
      value: 'URL',
      doc: 'The public URL of the running Kalends; KALENDS_URL by default. With the profile `fapi2`, the issuer of the application: KALENDS_URL/fapi2.',
    },
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
    'The client secret comes from KALENDS_CLIENT_SECRET; otherwise the command asks for it. An application with client authentication `private_key_jwt` needs KALENDS_CLIENT_PRIVATE_KEY instead: PEM or JWK. Deliveries are signed with KALENDS_WEBHOOK_SECRET (whsec_…) if it is set, otherwise with a new secret each time.',
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

type Options = {
  /** The URL of the running Kalends, without a trailing slash. */
  readonly base: string;
  readonly clientId: string;
  readonly authorization: Authorization;
  readonly forwardTo: string | undefined;
  /** The body of the request that creates the listener. */
  readonly listenerBody: Readonly<Record<string, unknown>>;
};

async function readOptions({ options }: Input, context: Context): Promise<Options> {
  const { env } = context.io;
  const url = text(options.url) ?? env.KALENDS_URL;
  if (url === undefined) throw usageError('--url URL is missing: the public URL of the running Kalends.');
  const clientId = text(options['client-id']) ?? env.KALENDS_CLIENT_ID;
  if (clientId === undefined) throw usageError('--client-id CLIENT_ID is missing.');
  const forwardTo = text(options['forward-to']);
  if (forwardTo !== undefined && !isWebUrl(forwardTo))
    throw usageError('--forward-to must be a URL such as http://localhost:3000/webhooks.');
  const issuer = parseBase(url);
  const base = issuer.replace(/\/fapi2$/, '');
  const privateKey = env.KALENDS_CLIENT_PRIVATE_KEY;
  const { now } = context.deps;
  return {
    base,
    clientId,
    authorization: privateKey
      ? keyAuthorization(privateKey, { issuer, clientId, now })
      : basicAuthorization(clientId, env.KALENDS_CLIENT_SECRET || (await askSecret(context))),
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

/** Reads the client secret from the terminal without echoing it. */
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

/** Returns functions that print each event, and forward each delivery before the next one. */
function createPrinter({ io, json, deps: { now } }: Context, { base, clientId, forwardTo }: Options) {
  const line = (document: object, message: string) =>
    io.stdout.write(json ? `${JSON.stringify(document)}\n` : `${terminalText(message)}\n`);
  /** The last sequence number of each stream. */
  const gaps = new Map<string, number>();
  return {
    /** Called for each new listener; changes between two listeners are not delivered. */
    began({ id, secret }: { readonly id: string; readonly secret: string }): void {
      const to = forwardTo === undefined ? '' : `\n  forward to  ${forwardTo}`;
      const message = `Listening at ${base} for ${clientId} until Ctrl-C.\n  secret      ${secret}${to}\n`;
      line({ listening: true, id, secret, url: base, forward_to: forwardTo ?? null }, message);
    },
    /** Called before a retry in `seconds`. Standard output is for the documents of --json. */
    trouble(problem: string, seconds: number): void {
      io.stderr.write(`kalends: ${terminalText(`${problem} Retrying in ${seconds} s.`)}\n`);
    },
    /** Never throws if the receiver fails. */
    async delivery(delivery: HandedDelivery): Promise<void> {
      const { status, fault, durationMs } = forwardTo === undefined ? {} : await forward(delivery, forwardTo);
      const content = parseContent(delivery);
      const missed = missedBefore(content, gaps);
      const gap = missed > 0 ? [`${missed} deliveries before this one are missing`] : [];
      const time = new Date(now()).toLocaleTimeString('en-GB');
      const message = [time, content.change, content.subject, ...gap].join('  ');
      const { headers } = delivery;
      const outcome = { status: status ?? null, fault: fault ?? null, duration_ms: durationMs ?? null };
      line(
        { id: headers['webhook-id'], missed, ...outcome, headers, body: content.body },
        forwardTo === undefined ? message : `${message}  ->  ${status ?? fault} in ${durationMs} ms`,
      );
    },
  };
}

/** The timeout that Kalends has for endpoints. */
const FORWARD_TIMEOUT_MS = 15_000;

type Outcome = { readonly status?: number; readonly fault?: string; readonly durationMs?: number };

/** Posts the same bytes with the same headers once. */
async function forward({ headers, body }: HandedDelivery, url: string): Promise<Outcome> {
  const from = performance.now();
  const elapsed = () => Math.round(performance.now() - from);
  try {
    const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return { status: response.status, durationMs: elapsed() };
  } catch (reason) {
    return { fault: causeText(reason), durationMs: elapsed() };
  }
}

type Content = {
  /** The change, such as `updated (2 events)`. */
  readonly change: string;
  /** The provider, user and calendar. */
  readonly subject: string;
  readonly body: Record<string, unknown>;
  readonly stream: string;
  readonly sequence: number | undefined;
};

function parseContent({ body: text }: HandedDelivery): Content {
  const body: Record<string, unknown> = JSON.parse(text);
  const { eventType, changeType, provider, userId, calendarId } = body;
  const metadata: Record<string, unknown> = { ...(body.metadata as object | undefined) }; // Always an object.
  const count = metadata.isInitialSync === true ? 'first sync, ' : '';
  const number = Number(metadata.eventCount ?? 0);
  const events = `${count}${number} ${number === 1 ? 'event' : 'events'}`;
  const subject = [provider, userId, calendarId]
    .filter((part) => part !== undefined && part !== null)
    .join('  ');
  const sequence = typeof metadata.sequence === 'number' ? metadata.sequence : undefined;
  const stream = JSON.stringify([userId, calendarId]);
  const change = eventType === undefined ? `${String(changeType)} (${events})` : String(eventType);
  return { change, subject, body, stream, sequence };
}

function missedBefore({ stream, sequence }: Content, gaps: Map<string, number>): number {
  if (sequence === undefined) return 0;
  const last = gaps.get(stream);
  gaps.set(stream, sequence);
  return last === undefined || sequence <= last ? 0 : sequence - last - 1;
}

/** A delivery as webhooks/listeners.ts returns it. */
type HandedDelivery = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

type Listening = Options & { readonly signal: AbortSignal };

const WAIT_SECONDS = 25;
/** The timeout of a request; the server holds a response for at most 25 s. */
const REQUEST_TIMEOUT_MS = 40_000;
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 30;

/** Listens until the signal aborts, then ends the listener. Throws if a retry cannot help. */
async function listen(listening: Listening, listener: ReturnType<typeof createPrinter>): Promise<void> {
  const { signal } = listening;
  let id: string | undefined;
  let pause = FIRST_PAUSE_SECONDS;
  while (!signal.aborted) {
    try {
      if (id === undefined) {
        const begun = await begin(listening);
        id = begun.id;
        listener.began(begun);
      }
      const deliveries = await take(listening, id);
      pause = FIRST_PAUSE_SECONDS;
      if (deliveries === undefined) id = undefined;
      for (const delivery of deliveries ?? []) await listener.delivery(delivery);
    } catch (reason) {
      if (!(reason instanceof Unavailable)) throw reason;
      if (signal.aborted) break;
      listener.trouble(reason.message, pause);
      await sleep(pause * 1_000, undefined, { signal }).catch(() => {});
      pause = Math.min(pause * 2, LONGEST_PAUSE_SECONDS);
    }
  }
  // If this fails, the listener expires after three minutes.
  if (id !== undefined) await call({ ...listening, signal: undefined }, 'DELETE', `/${id}`).catch(() => {});
}

async function begin(listening: Listening): Promise<{ readonly id: string; readonly secret: string }> {
  const { status, body } = await call(listening, 'POST', '');
  const { id, secret } = body;
  if (status === 200 && typeof id === 'string' && typeof secret === 'string') return { id, secret };
  throw refusal(listening.base, status, body);
}

/** Returns the next deliveries, `undefined` if the listener has ended. */
async function take(listening: Listening, id: string): Promise<HandedDelivery[] | undefined> {
  const { status, body } = await call(listening, 'GET', `/${id}/deliveries?wait=${WAIT_SECONDS}`);
  if (status === 404 && body.code === 'listener_not_found') return undefined;
  if (status !== 200 || !Array.isArray(body.deliveries)) throw refusal(listening.base, status, body);
  return body.deliveries;
}

type Reply = { readonly status: number; readonly body: Record<string, unknown> };
type Caller = Options & { readonly signal: AbortSignal | undefined };

/** Throws Unavailable if Kalends cannot be reached or returns 5xx. */
async function call(caller: Caller, method: 'GET' | 'POST' | 'DELETE', path: string): Promise<Reply> {
  const { base, authorization, listenerBody, signal } = caller;
  const send = await authorization();
  const patience = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  let reply: Reply;
  try {
    const response = await send(`${base}/webhooks/listeners${path}`, {
      method,
      redirect: 'error',
      signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
      ...(method === 'POST' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(listenerBody),
      }),
    });
    reply = { status: response.status, body: await readBody(response) };
  } catch (reason) {
    throw new Unavailable(`${base} cannot be reached (${causeText(reason)}).`);
  }
  if (reply.status < 500) return reply;
  throw new Unavailable(`${base} returns ${reply.status}.`);
}

async function readBody(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {}; // The server is not a Kalends.
  }
}

function refusal(base: string, status: number, body: Record<string, unknown>): Error {
  if (status === 429 && body.code !== 'too_many_listeners') return new Unavailable(`${base} returns 429.`);
  if (status === 401)
    return new CommandError('invalid_client', `${base} rejects this client id or this client secret.`);
  if (typeof body.message === 'string' && typeof body.code === 'string')
    return new CommandError(body.code, `${body.message}.`);
  return new CommandError('no_kalends', `${base} returns ${status}. Is this the public URL of a Kalends?`);
}
