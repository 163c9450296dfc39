/** Requests to the Google Calendar API, one account's. */
import type { AccountSession } from '../../calendars/calendar-provider.ts';
import {
  type BearerApiDeps,
  type BearerApiFacts,
  type BearerWrite,
  bearerApi,
  pagesOf,
} from '../bearer-api.ts';
import { memberOf, text } from '../json-value.ts';
import { isLimit, refusalOf, unreadable } from './api-refusal.ts';

export type GoogleApiDeps = Omit<BearerApiDeps, 'session'>;

/** Absent ones are left out. */
type Parameters = Readonly<Record<string, string | undefined>>;

/** `operation` is Google's name for it; `path` is below the API's address. */
export type ApiRead = {
  readonly operation: string;
  readonly path: string;
  readonly parameters?: Parameters;
};
export type ApiWrite = ApiRead & Omit<BearerWrite, 'url'>;

/**
 * The Calendar API. `T` is the published type of a response. Any of its members may have another type: the caller
 * checks them.
 */
export interface GoogleApi {
  get<T extends object>(request: ApiRead): Promise<T>;
  /** Page by page. */
  list<T extends object>(request: ApiRead): AsyncGenerator<T>;
  /** `undefined` for an empty response. */
  write<T extends object>(request: ApiWrite): Promise<T | undefined>;
}

const FACTS: BearerApiFacts = {
  // A page of 2,500 events whose descriptions are as long as Google lets them be.
  maxBytes: 40_000_000,
  followsRedirects: false,
  // 204: a success without a body.
  isSuccess: (status) => status === 200 || status === 204,
  refusalOf,
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
    // An object is all that is known of it.
    (await api.read(withUrl(request))) as T;
  return {
    get,
    list: <T extends object>(request: ApiRead) =>
      pagesOf<T>({
        from: undefined,
        ask: (pageToken) => get({ ...request, parameters: { ...request.parameters, pageToken } }),
        nextOf: (page) => text(memberOf(page, 'nextPageToken')),
        broken: (how) => unreadable(`Google’s list of pages ${how}`),
      }),
    // The same.
    write: async <T extends object>(request: ApiWrite) =>
      (await api.write(withUrl(request))) as T | undefined,
  };
}
