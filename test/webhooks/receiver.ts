/** A receiver of deliveries on this machine, which keeps what it was sent. The test sets its responses. */
import { createServer, type IncomingHttpHeaders } from 'node:http';

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: {
    readonly provider: string;
    readonly userId: string;
    readonly calendarId: string;
    readonly changeType: string;
    readonly timestamp: string;
    readonly events: readonly Record<string, unknown>[];
    readonly metadata: Readonly<Record<string, unknown>>;
  };
};

export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
};

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** Returns the response to a request; `cut` ends the connection in the middle of the response. */
  answer: (received: Received) => Answer | 'never' | 'cut' | Promise<Answer>;
  close(): void;
};

/** Listens until it is closed. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const raw = Buffer.concat(chunks).toString();
      const one = { headers: request.headers, raw, body: JSON.parse(raw) };
      received.push(one);
      const answer = await receiver.answer(one);
      if (answer === 'never') return;
      if (answer === 'cut') {
        response.writeHead(200, { 'content-length': '9' }).write('h');
        request.socket.destroySoon();
        return;
      }
      const { status, headers = {}, text = '' } = answer;
      response.writeHead(status, headers).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: () => ({ status: 204 }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
