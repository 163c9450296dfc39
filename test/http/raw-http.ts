/**
 * HTTP/1.1 as bytes on a socket: a fuzzer must send what no client library would, such as broken
 * percent-encoding, bytes beyond ASCII in headers and methods nobody has.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type RawRequest = {
  readonly method: string;
  /** The request target as sent. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
};

export type RawAnswer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** From the first byte sent to the last received. */
  readonly ms: number;
};

export type RawConnection = {
  send(request: RawRequest): Promise<RawAnswer>;
  close(): void;
};

const NO_ANSWER_MS = 60_000;

/** Opens one connection at a time, kept alive, and a new one after the server closed it. */
export function rawConnection(port: number): RawConnection {
  let socket: Socket | undefined;

  const open = async (): Promise<Socket> => {
    if (socket !== undefined && !socket.destroyed && socket.writable) return socket;
    const opened = connect(port, '127.0.0.1').setNoDelay(true);
    // An error that ends a connection is reported where its response is awaited.
    opened.on('error', () => {});
    await once(opened, 'connect');
    socket = opened;
    return opened;
  };

  return {
    async send(request) {
      const reused = socket;
      const on = await open();
      try {
        return await exchange(on, request);
      } catch (reason) {
        // The server may close an idle connection at any moment: then a new one is used (RFC 9112 §9.3.1).
        if (!(reason instanceof ClosedUnanswered) || on !== reused) throw reason;
        return exchange(await open(), request);
      }
    },
    close: () => void socket?.destroy(),
  };
}

class ClosedUnanswered extends Error {}

async function exchange(on: Socket, request: RawRequest): Promise<RawAnswer> {
  const started = performance.now();
  const received = answerOn(on, request.method === 'HEAD');
  on.write(bytesOf(request));
  const answer = await received;
  if (answer.headers.get('connection')?.toLowerCase() === 'close') on.destroy();
  return { ...answer, ms: performance.now() - started };
}

function bytesOf({ method, target, headers, body }: RawRequest): Buffer {
  const length = body === undefined ? [] : [['Content-Length', String(body.length)] as const];
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}

function answerOn(socket: Socket, withoutBody: boolean): Promise<Omit<RawAnswer, 'ms'>> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const settleOnce = (settle: () => void) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      settle();
    };
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const answer = parse(bytes, withoutBody, false);
      if (answer !== undefined) settleOnce(() => resolve(answer));
    };
    const onClose = () => {
      const answer = parse(bytes, withoutBody, true);
      if (answer !== undefined) settleOnce(() => resolve(answer));
      else if (bytes.length === 0)
        settleOnce(() => reject(new ClosedUnanswered('The connection ended unanswered')));
      else settleOnce(() => reject(new Error(`The connection ended within an answer: ${bytes}`)));
    };
    const timer = setTimeout(() => {
      settleOnce(() => reject(new Error(`No answer within ${NO_ANSWER_MS} ms`)));
      socket.destroy();
    }, NO_ANSWER_MS);
    socket.on('data', onData).on('close', onClose);
  });
}

/** Returns the response if it is complete. */
function parse(bytes: Buffer, withoutBody: boolean, ended: boolean): Omit<RawAnswer, 'ms'> | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const status = Number(statusLine.split(' ')[1]);
  const rest = bytes.subarray(end + 4);
  const length = headers.get('content-length');
  const bodyless = withoutBody || status === 204 || status === 304;
  if (headers.has('transfer-encoding')) throw new Error('Answers of the program have a length');
  if (bodyless || (length !== undefined && rest.length >= Number(length)) || ended) {
    return { status, headers, body: bodyless ? '' : rest.toString() };
  }
  return undefined;
}
