/** Watch channels: pushes that say something changed, never what. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { calendar_v3 } from '@googleapis/calendar';

import type { Faults } from '../core/faults.ts';
import type { JsonObject } from '../core/json-object.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';

type Channel = {
  readonly id: string;
  readonly resourceId: string;
  readonly resourceUri: string;
  readonly address: string;
  readonly token: string | undefined;
  /** Epoch milliseconds. */
  readonly expiration: number;
  /** A calendar's id, or `list` and an address. */
  readonly watched: string;
  readonly user: string;
  messages: number;
};

/** Maps that are changed in place. */
export type ChannelState = {
  readonly open: Map<string, Channel>;
  /** The ids of all there were. */
  readonly used: Set<string>;
  /** By what is watched. */
  readonly resourceIds: Map<string, string>;
};

export const noChannels = (): ChannelState => ({ open: new Map(), used: new Set(), resourceIds: new Map() });

export type WatchInput = {
  readonly body: JsonObject;
  readonly watched: string;
  readonly user: string;
  readonly resourceUri: string;
};

export interface Channels {
  /** Opens a channel and pushes its first message, `sync`. Refuses an id that was used before. */
  watch(input: WatchInput): calendar_v3.Schema$Channel;
  /** Refuses with 404 what is not open. */
  stop(body: JsonObject, user: string): void;
  /** Pushes to the channels that watch it. */
  changed(watched: string): void;
  /** Ends the pushes under way. */
  close(): void;
}

type ChannelDeps = { readonly now: () => number; readonly faults: Faults; readonly state: ChannelState };

/** No source confirms that channels live seven days at most. */
const LONGEST_MS = 7 * 86_400_000;
/** Google retries these with exponential backoff; here thrice and fast. */
const RETRIED = [500, 502, 503, 504];
const RETRY_DELAYS_MS = [50, 200, 800];

export function openChannels({ now, faults, state }: ChannelDeps): Channels {
  const { open, used, resourceIds } = state;
  const closing = new AbortController();

  const push = (channel: Channel, state: 'sync' | 'exists') => {
    const effects = faults.take({ provider: 'google', operation: 'push', user: channel.user });
    const has = (kind: string) => effects.some((effect) => effect.kind === kind);
    if (has('push_missing')) return;
    for (let copy = 0; copy < (has('push_duplicate') ? 2 : 1); copy += 1) {
      channel.messages += 1;
      deliver(channel, state, closing.signal).catch((error: unknown) => {
        // As at Google, a receiver that cannot be reached gets no more of it; clients poll for that.
        if (!closing.signal.aborted) console.warn(`A push was not taken: ${String(error)}`);
      });
    }
  };

  return {
    watch({ body, watched, user, resourceUri }) {
      const request = readRequest(body);
      if (used.has(request.id)) {
        throw new SandboxRefusal(400, 'channelIdNotUnique', `Channel id ${request.id} not unique`);
      }
      const resourceId = resourceIds.get(watched) ?? randomBytes(20).toString('base64url');
      resourceIds.set(watched, resourceId);
      used.add(request.id);
      const expiration = Math.min(now() + LONGEST_MS, request.expiration(now()));
      const { id, address, token } = request;
      const place = { resourceId, resourceUri, watched, user };
      const channel = { id, address, token, ...place, expiration, messages: 0 };
      open.set(channel.id, channel);
      push(channel, 'sync');
      return {
        kind: 'api#channel',
        id: channel.id,
        resourceId,
        resourceUri,
        expiration: String(expiration),
        ...(channel.token === undefined ? {} : { token: channel.token }),
      };
    },
    stop({ id, resourceId }, user) {
      const channel = typeof id === 'string' ? open.get(id) : undefined;
      if (channel === undefined || channel.resourceId !== resourceId || channel.user !== user) {
        throw new SandboxRefusal(404, 'notFound', `Channel '${String(id)}' not found for project`);
      }
      open.delete(channel.id);
    },
    changed(watched) {
      for (const channel of open.values()) {
        if (channel.expiration <= now()) open.delete(channel.id);
        else if (channel.watched === watched) push(channel, 'exists');
      }
    },
    close: () => closing.abort(),
  };
}

function readRequest({ id, type, address, token, params, expiration }: JsonObject) {
  if (typeof id !== 'string' || !/^[A-Za-z0-9\-_+/=]{1,64}$/.test(id)) {
    throw new SandboxRefusal(400, 'required', 'entity.id: 1 to 64 characters of [A-Za-z0-9\\-_+/=]');
  }
  if (type !== 'web_hook' && type !== 'webhook') {
    throw new SandboxRefusal(400, 'invalid', `Unknown channel type: ${String(type)}`);
  }
  if (typeof address !== 'string' || !isPushable(address)) {
    throw new SandboxRefusal(
      400,
      'push.webhookUrlNotHttps',
      `WebHook callback must be HTTPS: ${String(address)}`,
    );
  }
  if (token !== undefined && (typeof token !== 'string' || token.length > 256)) {
    throw new SandboxRefusal(400, 'invalid', 'entity.token: at most 256 characters');
  }
  const ttl =
    typeof params === 'object' && params !== null && 'ttl' in params ? Number(params.ttl) : Number.NaN;
  const until = Number(expiration ?? Number.NaN);
  const expires = (now: number) => (ttl > 0 ? now + ttl * 1000 : until > now ? until : now + LONGEST_MS);
  return { id, address, token: token === undefined ? undefined : token, expiration: expires };
}

/** Google takes https only; a sandbox pushes to its own machine as well. */
function isPushable(address: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol === 'https:') return true;
  return url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
}

async function deliver(channel: Channel, state: string, signal: AbortSignal): Promise<void> {
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=UTF-8',
    'user-agent': 'APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)',
    'x-goog-channel-id': channel.id,
    'x-goog-channel-expiration': new Date(channel.expiration).toUTCString(),
    'x-goog-resource-id': channel.resourceId,
    'x-goog-resource-uri': channel.resourceUri,
    'x-goog-resource-state': state,
    'x-goog-message-number': String(channel.messages),
    ...(channel.token === undefined ? {} : { 'x-goog-channel-token': channel.token }),
  };
  for (const delay of [...RETRY_DELAYS_MS, undefined]) {
    const options = { method: 'POST', headers, redirect: 'manual', signal } as const;
    const response = await fetch(channel.address, options);
    await response.body?.cancel();
    if (!RETRIED.includes(response.status) || delay === undefined) return;
    await sleep(delay, undefined, { signal, ref: false });
  }
}
