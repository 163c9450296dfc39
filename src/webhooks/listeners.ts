/**
 * Listeners: endpoints for unreachable programs, such as on a laptop, which request their deliveries
 * (docs/webhooks.md).
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { flag, parsed, parsedText, readBody, readQuery, wholeNumberText } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { WorkSlots } from '../lib/fair-slots/work-slots.ts';
import type { Turns } from '../reading/read-turns.ts';
import { LEASE_MS, type TurnDeps, workTurn } from './delivery-worker.ts';
import type { EndpointHears } from './endpoint.ts';
import { isEndpointSecret, newEndpointSecret } from './endpoint-secret.ts';
import type { EndpointStore, ListenerName } from './endpoint-store.ts';
import { OPEN_AFTER } from './retry-schedule.ts';
import { WEBHOOKS } from './webhook-error.ts';

export type ListenersDeps = Omit<TurnDeps, 'webhookEgress'> & {
  readonly endpoints: Pick<EndpointStore, 'addListener' | 'renewListener' | 'removeListener'>;
  readonly waits: Turns;
};

/** A delivery in the form in which it would have been sent. */
export type HandedDelivery = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

export const HEARS = ['events', 'calendars', 'connections'] as const;
/** The maximum listeners of an application. */
export const MOST_LISTENERS = 5;
/** The life of a listener after its last request. */
const LIVES_MS = 3 * 60_000;
/** Published clients end long polls after 30 s. */
export const MOST_SECONDS = 25;
const LOOK_EVERY_MS = 250;
const STREAMS_AT_ONCE = 8;

export const NEW_LISTENER = {
  hears: parsed(parseTopics, {
    doc: 'Default: `events`.',
    example: ['events'],
    schema: { type: 'array', minItems: 1, items: { type: 'string', enum: [...HEARS] } },
    problem: `must be a list of ${HEARS.join(', ')}`,
  }),
  own: flag({ doc: 'True to also receive changes that the application made itself.' }),
  secret: parsedText((text) => (isEndpointSecret(text) ? text : undefined), {
    doc: 'The secret that signs its deliveries: `whsec_` and the base64 of 24 to 64 bytes. Default: a new secret.',
    absent: 'never',
    schema: { format: 'endpoint-secret' },
    problem: 'must be whsec_ and the base64 of 24 to 64 bytes',
  }),
};

export const LISTENER_QUERY = {
  wait: wholeNumberText({
    min: 0,
    max: MOST_SECONDS,
    doc: 'The maximum number of seconds to wait while there is nothing to return.',
    example: MOST_SECONDS,
  }),
};

/**
 * Creates a listener for changes from now on. The body may contain a secret, so that a receiver keeps its settings.
 * Throws 400 with all mistakes, and 429 `too_many_listeners`.
 */
export async function addListener(clientId: string, body: unknown, { endpoints, now }: ListenersDeps) {
  const { hears: topics = ['events'], own = false, ...input } = readBody(body, NEW_LISTENER);
  const { secret = newEndpointSecret() } = input;
  const endpointId = `we_${randomBytes(12).toString('base64url')}`;
  const createdAt = now();
  const listenerTopics = toTopics(topics, own);
  const listener = {
    endpointId,
    clientId,
    url: `listener:${endpointId}`,
    hears: listenerTopics,
    secret,
    createdAt,
  };
  const isAdded = await endpoints.addListener(listener, createdAt + LIVES_MS, MOST_LISTENERS);
  if (!isAdded) throw tooMany();
  return { id: endpointId, secret, expiresAt: new Date(createdAt + LIVES_MS).toISOString() };
}

const toTopics = (kinds: readonly string[], own: boolean): EndpointHears => ({
  events: kinds.includes('events'),
  calendars: kinds.includes('calendars'),
  connections: kinds.includes('connections'),
  own,
});

function parseTopics(value: unknown): readonly string[] | undefined {
  const isTopic = (kind: unknown) => HEARS.some((one) => one === kind);
  return Array.isArray(value) && value.length > 0 && value.every(isTopic) ? value : undefined;
}

/** Aborted when the client disconnects. */
type Waiting = { readonly query: unknown; readonly signal: AbortSignal };

/**
 * Returns the listener's deliveries, in order within a calendar; waits up to `wait` seconds for one, and extends the
 * listener's life. They count as delivered before the client has the response. Throws 400, 404 `listener_not_found`, and
 * 429 like Turns.
 */
export async function takeDeliveries(
  listener: ListenerName,
  { query, signal }: Waiting,
  deps: ListenersDeps,
) {
  const { wait = 0 } = readQuery(query, LISTENER_QUERY);
  const expiresAt = deps.now() + LIVES_MS;
  if (!(await deps.endpoints.renewListener(listener, expiresAt, deps.now())))
    throw new ApiError(WEBHOOKS.listener_not_found);
  const { clientId, endpointId } = listener;
  const deliveries = await deps.waits.run({ clientId, userId: endpointId }, async () => {
    for (let left = wait * 1_000; ; left -= LOOK_EVERY_MS) {
      const claimed = signal.aborted ? [] : await takeDue(endpointId, deps);
      if (claimed.length > 0 || left <= 0 || signal.aborted) return claimed;
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  });
  return { deliveries, expiresAt: new Date(expiresAt).toISOString() };
}

/** Removes a listener with its deliveries. Throws 404. */
export async function removeListener(listener: ListenerName, { endpoints }: ListenersDeps) {
  if (!(await endpoints.removeListener(listener))) throw new ApiError(WEBHOOKS.listener_not_found);
  return { success: true } as const;
}

/** Processes the listener's due streams like the worker, and returns their deliveries. */
async function takeDue(listenerId: string, deps: ListenersDeps): Promise<HandedDelivery[]> {
  const now = deps.now();
  const claimed = await deps.streams.takeStreams({
    listenerId,
    holder: randomUUID(),
    now,
    leaseUntil: now + LEASE_MS,
    slots: new WorkSlots('listener', { slots: STREAMS_AT_ONCE }),
    ofEndpoint: STREAMS_AT_ONCE,
    openAfter: OPEN_AFTER,
  });
  const handed: HandedDelivery[] = [];
  const turnDeps = { ...deps, webhookEgress: collectingEgress(handed) };
  await Promise.all(claimed.map((stream) => workTurn(stream, turnDeps, () => false)));
  return handed;
}

/** Returns an egress that collects deliveries instead of sending them. */
const collectingEgress = (handed: HandedDelivery[]): Egress => ({
  async request({ url, headers = {}, body = '' }) {
    handed.push({ headers, body: body.toString() });
    return {
      status: 200,
      url: new URL(url),
      header: () => undefined,
      body: Buffer.from('Returned to a listener'),
    };
  },
  async close() {},
});

const tooMany = (): ApiError =>
  new ApiError(
    WEBHOOKS.too_many_listeners,
    `The application has ${MOST_LISTENERS} listeners already: end one, or wait until one expires`,
  );
