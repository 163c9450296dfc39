/** The egress module in the shape of `fetch`, for libraries that bring their own protocol (oauth4webapi). */
import type { Egress } from './egress.ts';

export type FetchRequest = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: URLSearchParams | null | undefined;
};

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 1_000_000;
/** The headers that such libraries read. `WWW-Authenticate` is left out: the body of an OAuth error says the same. */
const HEADERS = ['content-type', 'date', 'retry-after'];
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/** Returns `fetch`. It fails with EgressError and does not follow redirects, so nothing is sent to another address. */
export function egressFetch(egress: Egress): (url: string, request: FetchRequest) => Promise<Response> {
  return async (url, { method, headers, body }) => {
    const { authorization, ...others } = headers;
    const answer = await egress.request({
      method,
      url,
      headers: others,
      // They are sent only to their own origin.
      ...(authorization !== undefined && { credentials: { authorization, origins: [new URL(url).origin] } }),
      ...(body === undefined || body === null ? {} : { body: body.toString() }),
      mayFollow: () => false,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MOST_BYTES,
    });
    const responseHeaders = HEADERS.flatMap((name): [string, string][] => {
      const value = answer.header(name);
      return value === undefined ? [] : [[name, value]];
    });
    const content = WITHOUT_BODY.includes(answer.status) ? null : new Uint8Array(answer.body);
    return new Response(content, { status: answer.status, headers: responseHeaders });
  };
}
