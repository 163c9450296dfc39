/** Responses in the shape of docs/wire.md 3.1 as bytes, for connections without a readable request. */
import { type ApiError, STATUS_CODES } from './refusal.ts';

type Headers = Readonly<Record<string, string>>;

/** Renders the complete response, after which the connection is closed. `headers` are those of every response. */
export function rawAnswer(refusal: ApiError, headers: Headers): string {
  const text = JSON.stringify(refusal.body);
  const lines = Object.entries(answerHeaders({ ...headers, ...refusal.headers }, text)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${text}`;
}

/** Returns the headers of such a response, with names in lower case. */
export const answerHeaders = (headers: Headers, text: string): Headers => ({
  ...headers,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(text)),
  connection: 'close',
});
