/** The requests of `kalends listen` to a running Kalends: it polls until a signal stops it. */
import { setTimeout as sleep } from 'node:timers/promises';

import { errorCode } from '../lib/error-code.ts';
import { CommandError } from './command.ts';

/** A delivery as webhooks/listeners.ts returns it. */
export type HandedDelivery = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

export type Listening = {
  /** The URL of the running Kalends, without a trailing slash. */
  readonly base: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The body of the request that creates the listener. */
  readonly listenerBody: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
};

/** The callbacks of `listen`. */
export type Listener = {
  /** Called for each new listener; changes between two listeners are not delivered. */
  began(listener: { readonly id: string; readonly secret: string }): void;
  delivery(delivery: HandedDelivery): Promise<void>;
  /** Called before a retry in `seconds`. */
  trouble(problem: string, seconds: number): void;
};

const WAIT_SECONDS = 25;
/** The timeout of a request; the server holds a response for at most 25 s. */
const PATIENCE_MS = 40_000;
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 30;

/** Listens until the signal aborts, then ends the listener. Throws if a retry cannot help. */
export async function listen(listening: Listening, listener: Listener): Promise<void> {
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

/** A failure that a retry may fix. */
class Unavailable extends Error {}

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
type Caller = Pick<Listening, 'base' | 'clientId' | 'clientSecret' | 'listenerBody'> & {
  readonly signal: AbortSignal | undefined;
};

/** Throws Unavailable if Kalends cannot be reached or returns 5xx. */
async function call(caller: Caller, method: 'GET' | 'POST' | 'DELETE', path: string): Promise<Reply> {
  const { base, clientId, clientSecret, listenerBody, signal } = caller;
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const headers = { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  let reply: Reply;
  try {
    const response = await fetch(`${base}/webhooks/listeners${path}`, {
      method,
      redirect: 'error',
      signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
      headers: method === 'POST' ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(method === 'POST' && { body: JSON.stringify(listenerBody) }),
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

/** Returns the cause of "fetch failed": a code such as ECONNREFUSED, or a message. */
export function causeText(reason: unknown): string {
  const cause = reason instanceof Error ? (reason.cause ?? reason) : reason;
  return errorCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
}

function refusal(base: string, status: number, body: Record<string, unknown>): Error {
  if (status === 429 && body.code !== 'too_many_listeners') return new Unavailable(`${base} returns 429.`);
  if (status === 401)
    return new CommandError('invalid_client', `${base} rejects this client id or this client secret.`);
  if (typeof body.message === 'string' && typeof body.code === 'string')
    return new CommandError(body.code, `${body.message}.`);
  return new CommandError('no_kalends', `${base} returns ${status}. Is this the public URL of a Kalends?`);
}
