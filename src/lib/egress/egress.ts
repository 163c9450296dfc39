/**
 * Sends every request to an address that a user or a provider can influence: https and public addresses only, unless
 * the operator opened more. Each redirect is checked, credentials go to pinned origins only, and size, time and
 * concurrency are limited. Ports are not: calendar servers use 8443, 5232 and others.
 */
import { lookup as systemLookup } from 'node:dns/promises';

import type { Agent } from 'undici';

import type { SlotListener } from '../fair-slots/slot-listener.ts';
import { type QueueLimits, SlotQueue } from '../fair-slots/slot-queue.ts';
import { addressPolicy } from './address-policy.ts';
import { unpacked } from './answer-body.ts';
import { answerRoom } from './answer-room.ts';
import { EgressError, notPublic, toEgressError } from './egress-error.ts';
import { type ExchangeDeps, exchange } from './exchange.ts';
import { isPinned } from './origins.ts';
import { pieceTurns } from './piece-turns.ts';
import { checkHost, type HostLookup, type PinnedAgentDeps, pinnedAgent } from './pinned-agent.ts';
import { type PrivateNetwork, publicNetwork } from './private-network.ts';

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
  /** Limits the response body in bytes, decompressed. Default 10 MB. */
  readonly maxBytes?: number;
  /** Set for addresses that a developer chose: the operator's private addresses stay closed for them. */
  readonly publicOnly?: boolean;
  /** The account of the request, if known: for counting, not sent. */
  readonly account?: string;
  /** The application of the request: applications share the slots of each host. Not sent. */
  readonly clientId?: string;
  /** The application's user (slot-owner.ts). Not sent. */
  readonly owner?: string;
};

/** Sent with requests to these origins and left out of all others. See origins.ts for their form. */
export type EgressCredentials = { readonly authorization: string; readonly origins: readonly string[] };

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

const lookupAll: HostLookup = (host) => systemLookup(host, { all: true });

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
    const share = room.share(host);
    let leave: (() => void) | undefined;
    try {
      leave = await slots.enter({ ...hop.place, host }, { signal });
      if (leave === undefined) throw new EgressError('busy', `Too many requests wait for ${hostname}`);
      const answer = await sendHop(hop, { agent, share, turns }, signal);
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
      const signal = AbortSignal.timeout(request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
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
  if (url === null) throw new EgressError('forbidden_address', 'That is not a valid address');
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
    throw new EgressError('forbidden_address', `${answer.url.hostname} redirects to no valid address`);
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
