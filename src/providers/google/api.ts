/** Requests of one account to the Google Calendar API. */
import type { AccountSession } from '../../calendars/calendar-provider.ts';
import {
  type BearerApiDeps,
  type BearerApiFacts,
  type BearerWrite,
  bearerApi,
  readPages,
} from '../bearer-api.ts';
import { readMember, text } from '../json-value.ts';
import { isLimit, toGoogleError, unreadable } from './api-refusal.ts';

export type GoogleApiDeps = Omit<BearerApiDeps, 'session'>;

/** Undefined values are not sent. */
type Parameters = Readonly<Record<string, string | undefined>>;

/** `operation` is Google's name for it; `path` is relative to `apiUrl`. */
export type ApiRead = {
  readonly operation: string;
  readonly path: string;
  readonly parameters?: Parameters;
};
export type ApiWrite = ApiRead & Omit<BearerWrite, 'url'>;

/** `T` is the published type of a response. Nothing is validated: callers check each member. */
export interface GoogleApi {
  get<T extends object>(request: ApiRead): Promise<T>;
  /** Yields the pages of a listing. */
  list<T extends object>(request: ApiRead): AsyncGenerator<T>;
  /** Returns `undefined` for an empty response. */
  write<T extends object>(request: ApiWrite): Promise<T | undefined>;
}

const FACTS: BearerApiFacts = {
  // Enough for 2,500 events with descriptions of the maximum length.
  maxBytes: 40_000_000,
  followsRedirects: false,
  isSuccess: (status) => status === 200 || status === 204,
  refusalOf: toGoogleError,
  isCallersFault: isLimit,
  unreadable: () => unreadable(),
};

export function googleApi(session: AccountSession, { egress, apiUrl }: GoogleApiDeps): GoogleApi {
  const api = bearerApi({ egress, apiUrl, session }, FACTS);
  const withUrl = <T extends ApiRead>({ path, parameters = {}, ...request }: T) => {
    const url = new URL(`${apiUrl}${path}`);
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) url.searchParams.set(name, value);
    return { ...request, url };
  };
  const get = async <T extends object>(request: ApiRead): Promise<T> =>
    // `bearerApi` returns an object; callers check its members.
    (await api.read(withUrl(request))) as T;
  return {
    get,
    list: <T extends object>(request: ApiRead) =>
      readPages<T>({
        from: undefined,
        ask: (pageToken) => get({ ...request, parameters: { ...request.parameters, pageToken } }),
        nextOf: (page) => text(readMember(page, 'nextPageToken')),
        broken: (how) => unreadable(`Google’s list of pages ${how}`),
      }),
    // The same guarantee as for `get`.
    write: async <T extends object>(request: ApiWrite) =>
      (await api.write(withUrl(request))) as T | undefined,
  };
}
