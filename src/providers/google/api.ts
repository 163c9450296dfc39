/** Requests to the Google Calendar API, one account's: with its token, within its limits, every answer judged. */
import type { AccountSession } from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { Egress, EgressResponse } from '../../lib/egress/egress.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import { connectionFailure } from '../connection-failure.ts';
import { refusalOf, unreadable } from './api-refusal.ts';

export type GoogleApiDeps = {
  readonly egress: Egress;
  /** Without a trailing slash. */
  readonly apiUrl: string;
};

/** Absent ones are left out. */
export type ApiParameters = Readonly<Record<string, string | undefined>>;

export type ApiWrite = {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Google's own name for it. */
  readonly operation: string;
  readonly path: string;
  readonly parameters: ApiParameters;
  /** JSON. */
  readonly body?: object;
  /** The version the change is based on; whatever is there when absent. */
  readonly ifMatch?: string | undefined;
};

export interface GoogleApi {
  /** `operation` is Google's own name for it; `path` is below the API's address. Answers the JSON, whatever it is. */
  get(operation: string, path: string, parameters: ApiParameters): Promise<unknown>;
  /** The JSON that came back; `undefined` for an empty answer. */
  write(request: ApiWrite): Promise<unknown>;
}

/** A page of 2,500 events whose descriptions are as long as Google lets them be. */
const MOST_BYTES = 40_000_000;

type Sent = Omit<ApiWrite, 'method'> & { readonly method: 'GET' | ApiWrite['method'] };

export function googleApi(session: AccountSession, { egress, apiUrl }: GoogleApiDeps): GoogleApi {
  const origins = [new URL(apiUrl).origin];

  const send = async (request: Sent, token: string): Promise<EgressResponse> => {
    const { method, body, ifMatch } = request;
    const answer = await egress
      .request({
        method,
        url: urlOf(request),
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        credentials: { authorization: `Bearer ${token}`, origins },
        mayFollow: () => false,
        maxBytes: MOST_BYTES,
      })
      .catch((failure: unknown) => {
        throw failure instanceof EgressError ? connectionFailure(failure) : failure;
      });
    // A refused token is no failure of the operation: another one is tried. Nor is what Google will not write.
    if (isSuccess(answer) || answer.status === 401) return answer;
    const refusal = refusalOf(answer, method);
    if (refusal instanceof ProviderError) throw refusal;
    return answer;
  };
  const urlOf = ({ path, parameters }: Sent): URL => {
    const url = new URL(`${apiUrl}${path}`);
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) url.searchParams.set(name, value);
    return url;
  };
  const ask = async (request: Sent): Promise<Buffer> => {
    const { operation, method } = request;
    const token = await session.accessToken();
    let answer = await session.limited(operation, () => send(request, token));
    if (answer.status === 401) {
      const renewed = await session.renewAccessToken(token);
      answer = await session.limited(operation, () => send(request, renewed));
    }
    if (!isSuccess(answer)) throw refusalOf(answer, method);
    return answer.body;
  };

  return {
    get: async (operation, path, parameters) =>
      json(await ask({ method: 'GET', operation, path, parameters })),
    async write(request) {
      const body = await ask(request);
      return body.length === 0 ? undefined : json(body);
    },
  };
}

/** Google says 200, and 204 where there is nothing to say. */
const isSuccess = ({ status }: EgressResponse): boolean => status === 200 || status === 204;

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw unreadable(error);
  }
}
