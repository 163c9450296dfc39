/** What an application and its user do in the flow of docs/wire.md O1, over HTTP on a running program. */

import type { Registration } from '../harness/program.ts';
import { type Browser, buttonsOf, openBrowser, type Page } from './browser.ts';

/** The interface's own mount, and the one the published clients use (docs/wire.md 0). */
export const MOUNTS = ['', '/api/oauth'] as const;

/** How a user signs in to a CalDAV server. */
export type CalendarLogin = { readonly server: string; readonly username: string; readonly password: string };

export type Authorization = {
  readonly userId: string;
  /** Signs in to this account when there is none that this browser may go on with. */
  readonly login?: CalendarLogin | undefined;
  /** Where the OAuth endpoints are mounted. */
  readonly mount?: string;
  readonly browser?: Browser;
  /** Further query parameters, such as scope and state. */
  readonly parameters?: Readonly<Record<string, string>>;
};

/** An application at a running program. */
export type Application = Registration & { readonly url: string };

export const authorizeUrl = (
  { url, clientId }: Pick<Application, 'url' | 'clientId'>,
  { userId, mount = '', parameters = {} }: Authorization,
): string =>
  `${url}${mount}/authorize?${new URLSearchParams({ client_id: clientId, user_id: userId, ...parameters })}`;

/** The buttons that end the selection page. */
const ENDINGS = ['Continue', 'Allow', 'Done'];

const endingOf = ({ body }: Page): string | undefined =>
  ENDINGS.find((ending) => buttonsOf(body).includes(ending));

/** Goes the way up to the page with "Allow", or with "Done" where nothing needs consent. */
export async function walkToConsent(application: Application, authorization: Authorization) {
  const browser = authorization.browser ?? openBrowser();
  const page = await browser.open(authorizeUrl(application, authorization));
  if (endingOf(page) === undefined) {
    if (authorization.login === undefined) throw new Error('No account is linked and none was given');
    await linkAccount(browser, authorization.login);
  }
  if (endingOf(browser.page()) === 'Continue') await browser.press('Continue');
  return browser;
}

/** From the selection page through the CalDAV form and back. */
export async function linkAccount(browser: Browser, login: CalendarLogin): Promise<Page> {
  await browser.press('Connect CalDAV');
  await browser.follow('Enter the server address');
  const { server, username, password } = login;
  return browser.press('Connect', { 'Server URL': server, Username: username, Password: password });
}

/** From the selection page through the form for a calendar's address and back. */
export async function linkFeed(browser: Browser, address: string): Promise<Page> {
  await browser.press('Connect CalDAV');
  await browser.follow('Enter the address of one calendar');
  return browser.press('Connect', { 'Calendar address': address });
}

/** Goes on from the selection page with "Allow" or "Done": the page that this leads to. */
export async function allow(browser: Browser): Promise<Page> {
  if (endingOf(browser.page()) === 'Continue') await browser.press('Continue');
  return browser.press(endingOf(browser.page()) ?? 'Allow');
}

/** The whole way: what the application's callback receives, the browser that went it, and its last page. */
export async function authorize(application: Application, authorization: Authorization) {
  const browser = await walkToConsent(application, authorization);
  const page = await allow(browser);
  if (page.destination === undefined) throw new Error(`Allow led nowhere: ${page.status} ${page.body}`);
  return { callback: page.destination, parameters: page.destination.searchParams, browser };
}

export type TokenPair = { readonly accessToken: string; readonly refreshToken: string };

/** POST /token with the application's secret in the body. */
export function postToken(
  { url, clientId, clientSecret }: Application,
  form: Readonly<Record<string, string>>,
  mount = '',
): Promise<Response> {
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form });
  return fetch(`${url}${mount}/token`, { method: 'POST', body });
}

export const exchange = (application: Application, code: string, mount = ''): Promise<Response> =>
  postToken(
    application,
    { grant_type: 'authorization_code', code, redirect_uri: application.redirectUri },
    mount,
  );

export const refresh = (application: Application, refreshToken: string, mount = ''): Promise<Response> =>
  postToken(application, { grant_type: 'refresh_token', refresh_token: refreshToken }, mount);

/** The tokens of an answer; throws what it said when it has none. */
export async function tokensOf(answer: Response): Promise<TokenPair> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`No tokens: ${answer.status} ${text}`);
  const { access_token: accessToken, refresh_token: refreshToken } = JSON.parse(text);
  return { accessToken, refreshToken };
}

/** Authorizes and exchanges. */
export async function connect(application: Application, authorization: Authorization): Promise<TokenPair> {
  await authorize(application, authorization);
  return tokensOf(await exchange(application, authorization.userId, authorization.mount));
}

export const revoke = ({ url }: Application, token: string, mount = ''): Promise<Response> =>
  fetch(`${url}${mount}/revoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });

/** GET of a protected path. */
export const read = ({ url }: Application, path: string, accessToken: string): Promise<Response> =>
  fetch(url + path, { headers: { authorization: `Bearer ${accessToken}` } });

/** The JSON object of an answer. */
export async function jsonOf(answer: Response): Promise<Record<string, unknown>> {
  const value: unknown = await answer.json();
  if (typeof value !== 'object' || value === null) throw new Error(`Not an object: ${JSON.stringify(value)}`);
  return value as Record<string, unknown>; // any object is one
}
