/** A web server with one calendar to be read from its address, in this process, which answers as a test says. */
import http from 'node:http';

import { close, listen } from '../harness/loopback.ts';

export type FeedAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
};

/** The path is the secret: everyone who knows it can read the calendar. */
export const SECRET = '/private-3f9c1d77aa4e/basic.ics';

export class FeedServer {
  /** The headers of each request for the calendar, in their order. */
  readonly calls: http.IncomingHttpHeaders[] = [];
  /** The response with the calendar; a function receives the request's headers and path. */
  answer: FeedAnswer | ((headers: http.IncomingHttpHeaders, path: string) => FeedAnswer) = {};
  origin = '';
  readonly #server = http.createServer((request, response) => {
    const { headers, url = '' } = request;
    this.calls.push(headers);
    const answer = typeof this.answer === 'function' ? this.answer(headers, url) : this.answer;
    const type = { 'content-type': 'text/calendar; charset=utf-8' };
    response.writeHead(answer.status ?? 200, { ...type, ...answer.headers }).end(answer.body);
  });

  get address(): string {
    return `${this.origin}${SECRET}`;
  }

  /** Sets the response to this body with these headers. */
  say(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): void {
    this.answer = { body, headers };
  }

  async start(): Promise<void> {
    this.origin = await listen(this.#server);
  }

  stop(): Promise<void> {
    return close(this.#server);
  }
}
