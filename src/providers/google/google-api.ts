/** Requests to the Google Calendar API, one account's: with its token, within its limits, every answer judged. */
import type { AccountSession } from '../../calendars/calendar-provider.ts';
import type { Egress, EgressResponse } from '../../lib/egress/egress.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import { connectionFailure } from '../connection-failure.ts';
import { refusalOf, unreadable } from './google-refusal.ts';

export type GoogleApiDeps = {
  readonly egress: Egress;
  /** Without a trailing slash. */
  readonly apiUrl: string;
};

/** Absent ones are left out. */
export type ApiParameters = Readonly<Record<string, string | undefined>>;

export interface GoogleApi {
  /** `operation` is Google's own name for it; `path` is below the API's address. Answers the JSON, whatever it is. */
  get(operation: string, path: string, parameters: ApiParameters): Promise<unknown>;
}

/** A page of 2,500 events whose descriptions are as long as Google lets them be. */
const MOST_BYTES = 40_000_000;

export function googleApi(session: AccountSession, { egress, apiUrl }: GoogleApiDeps): GoogleApi {
  const origins = [new URL(apiUrl).origin];

  const send = async (url: URL, token: string): Promise<EgressResponse> => {
    const answer = await egress
      .request({
        method: 'GET',
        url,
        headers: { accept: 'application/json' },
        credentials: { authorization: `Bearer ${token}`, origins },
        mayFollow: () => false,
        maxBytes: MOST_BYTES,
      })
      .catch((failure: unknown) => {
        throw failure instanceof EgressError ? connectionFailure(failure) : failure;
      });
    // A refused token is no failure of the operation: another one is tried.
    if (answer.status !== 200 && answer.status !== 401) throw refusalOf(answer);
    return answer;
  };

  return {
    async get(operation, path, parameters) {
      const url = new URL(`${apiUrl}${path}`);
      for (const [name, value] of Object.entries(parameters))
        if (value !== undefined) url.searchParams.set(name, value);
      const token = await session.accessToken();
      let answer = await session.limited(operation, () => send(url, token));
      if (answer.status === 401) {
        const renewed = await session.renewAccessToken(token);
        answer = await session.limited(operation, () => send(url, renewed));
      }
      if (answer.status !== 200) throw refusalOf(answer);
      return json(answer.body);
    },
  };
}

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw unreadable(error);
  }
}
