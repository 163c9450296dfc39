/**
 * A load generator for one HTTP/1.1 server: plain sockets, keep-alive, one request in flight on each. It knows just
 * enough of HTTP to be cheaper than any server that it loads: responses must carry a Content-Length. Tools made for
 * this cannot chain requests, as the next use of a refresh token requires.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One request, ready for the wire, and what to do with the body of its response. */
export type Call = { readonly request: string; readonly answered?: (body: string) => unknown };

/** The next call to make; `undefined` when there is nothing left to send. */
export type CallSource = () => Call | undefined;

export type LoadOptions = {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Any other status ends the run, because a benchmark of errors measures nothing. */
  readonly expectedStatus: number;
  /** The maximum of requests per second, spread evenly over time and connections; unlimited if absent. */
  readonly perSecond?: number | undefined;
};

export type LoadResult = {
  /** Responses per second. */
  readonly rate: number;
  readonly answers: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
};

const HEADER_END = Buffer.from('\r\n\r\n');

/** Loads the server until the time is over or the source is empty, then waits for the requests in flight. */
export async function runLoad(options: LoadOptions, next: CallSource): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: options.connections }, () => open(options.port)));
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + options.seconds * 1000;
  let last = start;
  const answered = (sentAt: number) => {
    const now = performance.now();
    if (now > end) return;
    last = now;
    latencies.push(now - sentAt);
  };
  try {
    const { perSecond, connections } = options;
    const everyMs = perSecond === undefined ? 0 : (connections * 1_000) / perSecond;
    await Promise.all(
      sockets.map((socket, index) => {
        const firstAt = start + (everyMs * index) / connections;
        return converse(socket, { next, end, answered, firstAt, everyMs, ...options });
      }),
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  // If the source is empty, the measurement ends with its last response.
  const seconds = (performance.now() < end ? last - start : end - start) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    rate: latencies.length / seconds,
    answers: latencies.length,
    seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/** Sends one call on a separate connection and returns the body. */
export async function sendOnce(port: number, request: string, expectedStatus = 200): Promise<string> {
  let body = '';
  const call: Call = {
    request,
    answered(text) {
      body = text;
    },
  };
  const calls = [call];
  await runLoad({ port, connections: 1, seconds: 10, expectedStatus }, () => calls.pop());
  return body;
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

type Conversation = {
  readonly next: CallSource;
  readonly end: number;
  readonly expectedStatus: number;
  readonly answered: (sentAt: number) => void;
  /** When the first request is sent, of `performance.now()`, and how much later each of the others, at the earliest. */
  readonly firstAt: number;
  readonly everyMs: number;
};

/** Resolves when the time is over or there is nothing left to send. */
function converse(socket: Socket, conversation: Conversation): Promise<void> {
  const { next, end, expectedStatus, answered, firstAt, everyMs } = conversation;
  return new Promise((resolve, reject) => {
    let call: Call | undefined;
    let sentAt = 0;
    let rest: Buffer | undefined;
    let due = firstAt;
    const sendInTime = () => {
      const early = due - performance.now();
      due += everyMs;
      if (early > 0) setTimeout(send, early);
      else send();
    };
    const send = () => {
      sentAt = performance.now();
      call = sentAt < end ? next() : undefined;
      if (call === undefined) resolve();
      else socket.write(call.request, 'latin1');
    };
    // Without an encoding set, what arrives are buffers.
    socket.on('data', (chunk: Buffer) => {
      const received = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      rest = received;
      const headerEnd = received.indexOf(HEADER_END);
      if (headerEnd < 0) return;
      const head = received.toString('latin1', 0, headerEnd);
      const bodyStart = headerEnd + HEADER_END.length;
      const bodyEnd = bodyStart + contentLength(head);
      if (received.length < bodyEnd) return;
      if (Number(head.slice(9, 12)) !== expectedStatus) {
        reject(new Error(`Unexpected answer: ${received.toString('utf8', 0, bodyEnd)}`));
        return;
      }
      answered(sentAt);
      call?.answered?.(received.toString('utf8', bodyStart, bodyEnd));
      rest = undefined;
      sendInTime();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed a connection')));
    sendInTime();
  });
}

function contentLength(head: string): number {
  const at = head.search(/content-length: /i);
  if (at < 0) throw new Error(`An answer without Content-Length: ${head}`);
  return Number.parseInt(head.slice(at + 16), 10);
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
