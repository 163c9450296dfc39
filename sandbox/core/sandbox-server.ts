/**
 * The HTTP server under each sandbox provider: it determines the operation and user of a request, applies the
 * switched-on faults, and counts it. The provider decides the response.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { type FaultEffect, type Faults, hasEffect, type SandboxKind } from './faults.ts';
import { SandboxRefusal } from './sandbox-refusal.ts';

export type SandboxRequest = {
  /** Upper case, WebDAV's among them. */
  readonly method: string;
  /** Absolute, at the server's own origin. */
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  /** The whole body, as UTF-8 text. */
  readonly body: string;
};

export type SandboxAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
};

/** A request, understood as far as its faults require: `run` executes it. */
export type Operation = {
  /** By the provider's own name: `events.list`, `token`, `PROPFIND`. */
  readonly name: string;
  /** The user of the request; `undefined` if the request has none. */
  readonly user: string | undefined;
  /**
   * Executes the request and returns its response, or throws a SandboxRefusal. `effects` has the faults that the
   * provider must apply: reorder, duplicate, token_forgotten. (Push notifications are separate operations, which the
   * provider takes.)
   */
  run(effects: readonly FaultEffect[]): SandboxAnswer | Promise<SandboxAnswer>;
};

export type SandboxServerOptions = {
  readonly kind: SandboxKind;
  readonly faults: Faults;
  /** Any free one when absent. */
  readonly port?: number | undefined;
  /** Called when an operation is complete, before its response. */
  readonly beforeAnswer?: (() => void) | undefined;
  /**
   * Returns the operation of a request. Unknown paths are operations too, whose `run` throws; `route` may throw a
   * SandboxRefusal as well.
   */
  route(request: SandboxRequest): Operation | Promise<Operation>;
  /** An error in the provider's form, for refusals and for the fault `status`. */
  errorAnswer(error: { status: number; reason?: string; message?: string; operation: string }): SandboxAnswer;
};

export type SandboxServer = {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /**
   * Returns how many requests of this operation and user got a response, or failed by a fault, since the start; of all if
   * absent.
   */
  requests(operation?: string, user?: string): number;
  /** Ends every connection and every request in progress. */
  close(): Promise<void>;
};

const LOOPBACK = '127.0.0.1';
const MOST_BODY_BYTES = 10 * 1024 * 1024;

/** Starts the server on loopback. Rejects if the port is taken. */
export async function startSandboxServer(options: SandboxServerOptions): Promise<SandboxServer> {
  /** By operation and user. */
  const counts = new Map<string, Count>();
  const closing = new AbortController();
  const server = createServer((incoming, response) => {
    const count = ({ name, user }: Operation) => {
      const key = `${name} ${user ?? ''}`;
      counts.set(key, { name, user, requests: (counts.get(key)?.requests ?? 0) + 1 });
    };
    answer(incoming, response, { ...options, count, closing: closing.signal }).catch((error: unknown) => {
      // If the client left or the server is closing, no response is needed; any other failure is a defect of the
      // sandbox.
      if (!closing.signal.aborted && !incoming.socket.destroyed) console.error(error);
      incoming.socket.destroy();
    });
  });
  server.listen(options.port ?? 0, LOOPBACK);
  await once(server, 'listening');
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${LOOPBACK}:${port}`,
    requests: (operation, user) =>
      [...counts.values()]
        .filter((count) => (operation ?? count.name) === count.name && (user ?? count.user) === count.user)
        .reduce((sum, { requests }) => sum + requests, 0),
    async close() {
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Count = Pick<Operation, 'name' | 'user'> & { readonly requests: number };
type AnswerDeps = SandboxServerOptions & { count(operation: Operation): void; readonly closing: AbortSignal };

async function answer(incoming: IncomingMessage, response: ServerResponse, deps: AnswerDeps): Promise<void> {
  const { kind, faults, closing } = deps;
  const operation = await operationOf(incoming, deps);
  deps.count(operation);
  const effects = faults.take({ provider: kind, operation: operation.name, user: operation.user });
  for (const effect of effects) {
    if (effect.kind === 'latency') await sleep(effect.ms, undefined, { signal: closing });
  }
  if (hasEffect(effects, 'reset')) {
    incoming.socket.resetAndDestroy();
    return;
  }
  const result = statusFault(effects, operation, deps) ?? (await outcome(operation, effects, deps));
  deps.beforeAnswer?.();
  if (hasEffect(effects, 'lost_answer')) incoming.socket.resetAndDestroy();
  else send(response, result, hasEffect(effects, 'truncate'));
}

/** Returns the operation of a request; an error thrown on the way becomes an operation that throws it. */
async function operationOf(incoming: IncomingMessage, { route }: AnswerDeps): Promise<Operation> {
  try {
    const url = urlOf(incoming);
    const body = await bodyOf(incoming);
    return await route({ method: incoming.method ?? 'GET', url, headers: incoming.headers, body });
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    const refuse = () => {
      throw error;
    };
    return { name: 'unknown', user: undefined, run: refuse };
  }
}

function urlOf({ url = '/', headers }: IncomingMessage): URL {
  const parsed = URL.parse(url, `http://${headers.host ?? LOOPBACK}`);
  if (parsed === null) throw new SandboxRefusal(400, 'badRequest', 'The address cannot be read');
  return parsed;
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= MOST_BODY_BYTES) parts.push(part);
  }
  if (bytes > MOST_BODY_BYTES) throw new SandboxRefusal(413, 'uploadTooLarge', 'The body is too large');
  return Buffer.concat(parts).toString('utf8');
}

function statusFault(
  effects: readonly FaultEffect[],
  { name }: Operation,
  { errorAnswer }: AnswerDeps,
): SandboxAnswer | undefined {
  const fault = effects.find((effect) => effect.kind === 'status');
  if (fault === undefined) return undefined;
  const { status, reason, retryAfter } = fault;
  const result = errorAnswer({ status, operation: name, ...(reason === undefined ? {} : { reason }) });
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { ...result, headers: { ...result.headers, ...headers } };
}

async function outcome(
  operation: Operation,
  effects: readonly FaultEffect[],
  { errorAnswer }: AnswerDeps,
): Promise<SandboxAnswer> {
  try {
    return await operation.run(effects);
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    const { status, reason, message, headers } = error;
    const result = errorAnswer({ status, reason, message, operation: operation.name });
    return { ...result, headers: { ...result.headers, ...headers } };
  }
}

/**
 * Sends a response. If it is cut in the middle, its head still announces the whole: the client sees a body that ends
 * early.
 */
function send(response: ServerResponse, { status, headers = {}, body = '' }: SandboxAnswer, cut: boolean) {
  const bytes = Buffer.from(body, 'utf8');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (status !== 204 && status !== 304) response.setHeader('content-length', bytes.length);
  response.writeHead(status);
  if (!cut || bytes.length < 2) response.end(bytes);
  else response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
}
