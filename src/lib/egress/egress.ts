/**
 * Sends every request to an address that a user or a provider can influence: https and public addresses only, unless
 * the operator opened more. Each redirect is checked, credentials go to pinned origins only, and size, time and
 * concurrency are limited. Ports are not: calendar servers use 8443, 5232 and others.
 */
import { Readable, type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createInflate } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import type { SlotListener } from '../fair-slots/slot-listener.ts';
import { type QueueLimits, SlotQueue } from '../fair-slots/slot-queue.ts';
import { addressPolicy } from './address-policy.ts';
import { answerRoom, type RoomShare } from './answer-room.ts';
import { EgressError, notPublic, toEgressError } from './egress-error.ts';
import { isPinned } from './origins.ts';
import { type PieceTurns, pieceTurns } from './piece-turns.ts';
import { checkHost, type PinnedAgentDeps, pinnedAgent } from './pinned-agent.ts';
import { type PrivateNetwork, publicNetwork } from './private-network.ts';
import { type ReceivedBytes, receivedBytes } from './received-bytes.ts';
import { lookupAll, requester } from './shared-lookup.ts';

export interface Egress {
  /** Returns the server's response, whatever its status. Fails with EgressError only. */
  request(request: EgressRequest): Promise<EgressResponse>;
  /** Closes idle connections; running requests finish. */
  close(): Promise<void>;
}

export type EgressRequest = {
  readonly method: string;
  readonly url: string | URL;
  /** Without `authorization`: that is `credentials`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly credentials?: EgressCredentials;
  /** Whether to follow a redirect to this URL; if not, the redirect itself is the response. Default: always. */
  readonly mayFollow?: (target: URL) => boolean;
  /** Limits everything together: waiting, all hops, reading. Default 30,000. */
  readonly timeoutMs?: number;
  /** Ends the request as `timeout` when aborted. */
  readonly signal?: AbortSignal;
  /** Limits the response body in bytes, decompressed. Default 10 MB. */
  readonly maxBytes?: number;
  /** Set for addresses that a developer chose: the operator's private addresses stay closed for them. */
  readonly publicOnly?: boolean;
  /** The account of the request, if known: for counting, not sent. */
  readonly account?: string;
  /** The application of the request: applications share slots and memory. Not sent. */
  readonly clientId?: string;
  /** The application's user (slot-owner.ts). Not sent. */
  readonly owner?: string;
};

/** Sent with requests to these origins and left out of all others. See origins.ts for their form. */
type EgressCredentials = { readonly authorization: string; readonly origins: readonly string[] };

export type EgressResponse = {
  readonly status: number;
  /** The address of the response, after redirects. */
  readonly url: URL;
  /** A header's value; several lines are joined with a comma. */
  header(name: string): string | undefined;
  readonly body: Buffer;
  /** Whether its host is one that only the operator's settings open. */
  readonly fromPrivate?: boolean;
};

export type EgressDeps = Partial<PinnedAgentDeps> & {
  readonly privateNetwork: PrivateNetwork;
  readonly userAgent?: string;
  /** Replaces the limits for calendar servers. */
  readonly limits?: QueueLimits;
  readonly slots?: SlotListener;
};

const MOST_REDIRECTS = 5;
/** The limits for calendar servers. A host is a name with its port. */
export const REQUEST_LIMITS: QueueLimits = {
  slots: 2_000,
  ofHost: 12,
  share: 1 / 2,
  ofOwnerAtHost: 4,
  waitingAtHost: 50,
};
/** The owner of requests for no application, such as those of single sign-on. They get no more slots than a user's. */
const INSTANCE = ' ';
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_BYTES = 10_000_000;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Creates the egress. `hidesNames`: unknown names fail like private addresses, so that nobody can probe names. */
export function createEgress(deps: EgressDeps, hidesNames = false): Egress {
  const policy = addressPolicy(deps.privateNetwork);
  const pinned = { lookup: deps.lookup ?? lookupAll, connecting: deps.connecting };
  const slots = new SlotQueue('calendar_request', deps.limits ?? REQUEST_LIMITS, deps.slots);
  const room = answerRoom();
  const turns = pieceTurns();
  const agents: Readonly<Record<string, Agent>> = {
    'https:': pinnedAgent('https:', policy, pinned),
    'http:': pinnedAgent('http:', policy, pinned),
  };

  const send = async (hop: Hop, signal: AbortSignal): Promise<EgressResponse> => {
    const agent = agents[hop.url.protocol];
    if (agent === undefined || hop.url.username !== '' || hop.url.password !== '')
      throw new EgressError('forbidden_address', 'Only https addresses without a user name are requested');
    checkHost(hop.url, policy);
    const { host, hostname } = hop.url;
    const place = { ...hop.place, host };
    const share = room.share(place);
    let leave: (() => void) | undefined;
    try {
      leave = await slots.enter(place, { signal });
      if (leave === undefined) throw new EgressError('busy', `Too many requests wait for ${hostname}`);
      const answer = await requester.run(place, () => sendHop(hop, { agent, share, turns }, signal));
      return { ...answer, fromPrivate: policy.isPrivate(hostname) };
    } catch (failure) {
      const error = toEgressError(failure, hostname);
      throw hidesNames && error.detail === 'host_unknown' ? notPublic(hostname) : error;
    } finally {
      share.release();
      leave?.();
    }
  };

  // Reused connections are not checked again, so these requests have their own.
  let publicEgress: Egress | undefined;
  return {
    async request({ publicOnly = false, ...request }) {
      if (publicOnly) {
        publicEgress ??= createEgress({ ...deps, privateNetwork: publicNetwork(deps.privateNetwork) }, true);
        return publicEgress.request(request);
      }
      const timeout = AbortSignal.timeout(request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
      let hop = firstHop(request, deps.userAgent ?? 'Kalends');
      for (let redirects = 0; ; redirects += 1) {
        const answer = await send(hop, signal);
        const target = parseRedirect(answer);
        if (target === undefined || request.mayFollow?.(target) === false) return answer;
        if (redirects === MOST_REDIRECTS)
          throw new EgressError('too_many_redirects', `${hop.url.hostname} redirects too often`);
        hop = nextHop(hop, answer.status, target);
      }
    },
    async close() {
      await Promise.all([...Object.values(agents), publicEgress].map((part) => part?.close()));
    },
  };
}

type Hop = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly credentials: EgressCredentials | undefined;
  readonly maxBytes: number;
  readonly place: { readonly clientId: string; readonly owner: string };
};

function firstHop(request: EgressRequest, userAgent: string): Hop {
  const url = URL.parse(String(request.url));
  if (url === null) throw new EgressError('forbidden_address', 'This is not a valid address');
  const headers: Record<string, string> = { 'user-agent': userAgent, 'accept-encoding': 'identity' };
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    // They would be sent to every hop. This is a bug of the caller.
    if (/^(authorization|proxy-authorization|cookie)$/i.test(name))
      throw new TypeError(`${name} is credentials`);
    headers[name.toLowerCase()] = value;
  }
  const { method, body, credentials, maxBytes = DEFAULT_MAX_BYTES, clientId = '' } = request;
  const { owner = clientId || INSTANCE } = request;
  return { url, method, headers, body, credentials, maxBytes, place: { clientId, owner } };
}

/** Method and body stay, as PROPFIND and REPORT require, except for a POST with a 303 response. */
function nextHop(hop: Hop, status: number, url: URL): Hop {
  if (status === 303 && hop.method === 'POST') return { ...hop, url, method: 'GET', body: undefined };
  return { ...hop, url };
}

function parseRedirect(answer: EgressResponse): URL | undefined {
  const location = REDIRECTS.includes(answer.status) ? answer.header('location') : undefined;
  if (location === undefined) return undefined;
  const target = URL.parse(location, answer.url);
  if (target === null)
    throw new EgressError('forbidden_address', `${answer.url.hostname} redirects to an invalid address`);
  return target;
}

async function sendHop(hop: Hop, deps: ExchangeDeps, signal: AbortSignal): Promise<EgressResponse> {
  const { url, credentials, maxBytes } = hop;
  const authorization =
    credentials !== undefined && isPinned(credentials.origins, url)
      ? { authorization: credentials.authorization }
      : {};
  const answer = await exchange({ ...hop, headers: { ...hop.headers, ...authorization } }, deps, signal);
  const header = (name: string): string | undefined => {
    const value = answer.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const encoding = header('content-encoding') ?? '';
  const body = await unpacked(answer.body, { encoding, cap: maxBytes, share: deps.share, signal });
  return { status: answer.status, url, header, body };
}

type Unpacking = {
  /** The value of Content-Encoding. */
  readonly encoding: string;
  /** Limits the decompressed bytes. */
  readonly cap: number;
  readonly share: RoomShare;
  readonly signal: AbortSignal;
};

/** Returns the decompressed body. Fails with EgressError `too_large` over the cap. */
async function unpacked(sent: ReceivedBytes, { encoding, cap, share, signal }: Unpacking): Promise<Buffer> {
  const decoder = createDecoder(encoding);
  if (decoder === undefined) return sent.whole();
  const body = receivedBytes();
  const gathered = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      body.add(chunk);
      if (body.size() > cap)
        callback(new EgressError('too_large', `The response is larger than ${cap} bytes`));
      else {
        const wait = share.take(chunk.length);
        if (wait === undefined) callback();
        else wait.then(() => callback());
      }
    },
  });
  await pipeline([Readable.from(sent.blocks()), decoder, gathered], { signal });
  return body.whole();
}

/**
 * Some servers and proxies compress although the request asks for identity. Only one encoding is decoded: what a first
 * decoder passes to a second one would count nowhere, and can be large for a small or empty result. Brotli is left
 * out: 30 bytes can make its decoder hold up to 16 MB, which count nowhere either.
 */
function createDecoder(encoding: string): Transform | undefined {
  const [name, ...others] = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (name === undefined) return undefined;
  if (others.length > 0) throw unreadable(encoding);
  if (name === 'gzip' || name === 'x-gzip') return createGunzip();
  if (name === 'deflate') return createInflate();
  throw unreadable(encoding);
}

const unreadable = (encoding: string) =>
  new EgressError('unreachable', `The response has an unrequested encoding: ${encoding.slice(0, 40)}`);

type WireAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it was sent, perhaps compressed. */
  readonly body: ReceivedBytes;
};

type ExchangeDeps = { readonly agent: Agent; readonly share: RoomShare; readonly turns: PieceTurns };

/** Limits informational responses before the final one, such as 103: one or two are usual, and thousands cost time. */
const MOST_INFORMATIONAL = 10;
/** A response with more pieces than this that are shorter on average is refused: it costs too much time. */
const MOST_TINY_PIECES = 100_000;
const TINY_BYTES = 8;

/** Sends the request and returns the whole response. Fails with EgressError, the signal's reason or undici's error. */
function exchange(
  request: Hop,
  { agent, share, turns }: ExchangeDeps,
  signal: AbortSignal,
): Promise<WireAnswer> {
  const { url, method, headers, body: sentBody, maxBytes } = request;
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>();
  const body = receivedBytes();
  let controller: Dispatcher.DispatchController | undefined;
  let answer: WireAnswer | undefined;
  let informational = 0;
  let pieces = 0;

  const giveUp = (reason: Error): void => {
    reject(reason);
    controller?.abort(reason);
  };
  const onAbort = (): void => giveUp(signal.reason);
  // It runs in its own turn, where nothing would catch an error.
  const goOn = (): void => {
    try {
      controller?.resume();
    } catch (failure) {
      giveUp(failure instanceof Error ? failure : new Error(String(failure)));
    }
  };
  signal.addEventListener('abort', onAbort, { once: true });

  agent.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      // undici's type names the common methods only; it sends any token.
      method: method as Dispatcher.HttpMethod,
      headers,
      body: sentBody ?? null,
    },
    {
      onRequestStart(started) {
        controller = started;
        if (signal.aborted) started.abort(signal.reason);
      },
      onResponseStart(_, status, received) {
        if (status >= 200) answer = { status, headers: received, body };
        else if (++informational > MOST_INFORMATIONAL)
          throw new EgressError('unreachable', `${url.hostname} does not send its response`);
      },
      onResponseData(reading, piece) {
        body.add(piece);
        if (body.size() > maxBytes)
          throw new EgressError('too_large', `The response is larger than ${maxBytes} bytes`);
        pieces += 1;
        if (pieces > MOST_TINY_PIECES && body.size() < pieces * TINY_BYTES)
          throw new EgressError('too_large', `${url.hostname} responds in too many pieces`);
        const wait = share.take(piece.length);
        if (wait !== undefined) {
          reading.pause();
          wait.then(goOn);
        } else if (!turns.count(goOn)) reading.pause();
      },
      onResponseEnd() {
        if (answer !== undefined) resolve(answer);
        else reject(new EgressError('unreachable', `${url.hostname} did not respond`));
      },
      onResponseError(_, failure) {
        reject(failure);
      },
    },
  );
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}
