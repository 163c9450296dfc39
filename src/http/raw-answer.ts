/** An answer in the shape of docs/wire.md 3.1 as bytes, for connections on which there is no request to answer. */
import { STATUS_CODES } from 'node:http';

import type { ApiError } from './refusal.ts';

type Headers = Readonly<Record<string, string>>;

/** The whole answer of a refusal, after which the connection is closed. `headers` are those of every answer. */
export function rawAnswer(refusal: ApiError, headers: Headers): string {
  const text = JSON.stringify(refusal.body);
  const lines = Object.entries(answerHeaders({ ...headers, ...refusal.headers }, text)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${text}`;
}

/** The headers of such an answer, by their names in lower case. */
export const answerHeaders = (headers: Headers, text: string): Headers => ({
  ...headers,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(text)),
  connection: 'close',
});
