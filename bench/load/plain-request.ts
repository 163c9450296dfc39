/** One HTTP request on a connection that others use after it, as many at once as callers want. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export type PlainRequest = {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form, or JSON if it is no URLSearchParams. */
  readonly body?: URLSearchParams | object;
};
export type PlainAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Resolves with the response, whatever its status is. Rejects if the connection fails. */
export function sendPlain(port: number, { method, path, headers, body }: PlainRequest): Promise<PlainAnswer> {
  const isForm = body instanceof URLSearchParams;
  const payload = body === undefined ? '' : isForm ? body.toString() : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ agent, port, host: '127.0.0.1', path, method: method ?? (body === undefined ? 'GET' : 'POST') },
        headers: {
          host: `localhost:${port}`,
          ...(body !== undefined && {
            'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
            'content-length': String(Buffer.byteLength(payload)),
          }),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}

/** HTTP Basic of an application. */
export const basicOf = (application: { readonly clientId: string; readonly clientSecret: string }) => ({
  authorization: `Basic ${Buffer.from(`${application.clientId}:${application.clientSecret}`).toString('base64')}`,
});
