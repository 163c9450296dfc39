/** What `kalends listen` asks a running Kalends, again and again until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises';

import { errorCode } from '../lib/error-code.ts';
import { CommandError } from './command.ts';

/** As webhooks/listeners.ts hands it over. */
export type HandedDelivery = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

export type Listening = {
  /** Of the running Kalends, without a slash at its end. */
  readonly base: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The body that makes the listener. */
  readonly wishes: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
};

/** Who is told of what happens. */
export type Listener = {
  /** Also when it had to begin anew: what changed meanwhile is not told. */
  began(listener: { readonly id: string; readonly secret: string }): void;
  delivery(delivery: HandedDelivery): Promise<void>;
  /** It is tried again in so many seconds. */
  trouble(problem: string, seconds: number): void;
};

const WAIT_SECONDS = 25;
/** The answer is held for 25 s at most. */
const PATIENCE_MS = 40_000;
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 30;

/** Resolves when the signal is given, with the listener ended. Throws where trying again would not help. */
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
  // One that cannot be told ends by itself after three minutes.
  if (id !== undefined) await call({ ...listening, signal: undefined }, 'DELETE', `/${id}`).catch(() => {});
}

/** It may be different soon. */
class Unavailable extends Error {}

async function begin(listening: Listening): Promise<{ readonly id: string; readonly secret: string }> {
  const { status, body } = await call(listening, 'POST', '');
  const { id, secret } = body;
  if (status === 200 && typeof id === 'string' && typeof secret === 'string') return { id, secret };
  throw refusal(listening.base, status, body);
}

/** `undefined` when the listener has ended. */
async function take(listening: Listening, id: string): Promise<HandedDelivery[] | undefined> {
  const { status, body } = await call(listening, 'GET', `/${id}/deliveries?wait=${WAIT_SECONDS}`);
  if (status === 404 && body.code === 'listener_not_found') return undefined;
  if (status !== 200 || !Array.isArray(body.deliveries)) throw refusal(listening.base, status, body);
  return body.deliveries;
}

type Answer = { readonly status: number; readonly body: Record<string, unknown> };
type Caller = Pick<Listening, 'base' | 'clientId' | 'clientSecret' | 'wishes'> & {
  readonly signal: AbortSignal | undefined;
};

/** Throws Unavailable where Kalends cannot be reached, or cannot answer now. */
async function call(caller: Caller, method: 'GET' | 'POST' | 'DELETE', path: string): Promise<Answer> {
  const { base, clientId, clientSecret, wishes, signal } = caller;
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const headers = { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  let answer: Answer;
  try {
    const response = await fetch(`${base}/webhooks/listeners${path}`, {
      method,
      redirect: 'error',
      signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
      headers: method === 'POST' ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(method === 'POST' && { body: JSON.stringify(wishes) }),
    });
    answer = { status: response.status, body: await bodyOf(response) };
  } catch (reason) {
    throw new Unavailable(`${base} cannot be reached (${causeOf(reason)}).`);
  }
  if (answer.status < 500) return answer;
  throw new Unavailable(`${base} answers ${answer.status}.`);
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {}; // No Kalends: its status says enough.
  }
}

/** What stands behind "fetch failed". */
export function causeOf(reason: unknown): string {
  const cause = reason instanceof Error ? (reason.cause ?? reason) : reason;
  return errorCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
}

function refusal(base: string, status: number, body: Record<string, unknown>): Error {
  if (status === 429 && body.code !== 'too_many_listeners') return new Unavailable(`${base} answers 429.`);
  if (status === 401)
    return new CommandError('invalid_client', `${base} does not know this application with this secret.`);
  if (typeof body.message === 'string' && typeof body.code === 'string')
    return new CommandError(body.code, `${body.message}.`);
  return new CommandError('no_kalends', `${base} answers ${status}: is it the public URL of a Kalends?`);
}
