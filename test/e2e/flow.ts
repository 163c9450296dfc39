/** Actions of an application and its user in the flow of docs/wire.md O1, over HTTP on a running program. */

import type { Registration } from '../harness/program.ts';
import { type Browser, buttonsOf, openBrowser, type Page } from './browser.ts';

/** The interface's own mount and the mount that the published clients use (docs/wire.md 0). */
export const MOUNTS = ['', '/api/oauth'] as const;

/** A user's login at a CalDAV server. */
export type CalendarLogin = { readonly server: string; readonly username: string; readonly password: string };

export type Authorization = {
  readonly userId: string;
  /** Signs in to this account if this browser has none that it can continue with. */
  readonly login?: CalendarLogin | undefined;
  /** The mount of the OAuth endpoints. */
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

/** Goes to the page with "Allow", or with "Done" if nothing needs consent. */
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

/** Goes from the selection page through the CalDAV form and back. */
export async function linkAccount(browser: Browser, login: CalendarLogin): Promise<Page> {
  await browser.press('Connect CalDAV');
  await browser.follow('Enter the server address');
  const { server, username, password } = login;
  return browser.press('Connect', { 'Server URL': server, Username: username, Password: password });
}

/** Goes from the selection page through the form for a calendar's address and back. */
export async function linkFeed(browser: Browser, address: string): Promise<Page> {
  await browser.press('Connect CalDAV');
  await browser.follow('Enter the address of one calendar');
  return browser.press('Connect', { 'Calendar address': address });
}

/** Presses "Allow" or "Done", from the selection page on, and returns the next page. */
export async function allow(browser: Browser): Promise<Page> {
  if (endingOf(browser.page()) === 'Continue') await browser.press('Continue');
  return browser.press(endingOf(browser.page()) ?? 'Allow');
}

/** Completes an authorization; returns the address and the parameters of the callback, and the browser. */
export async function authorize(application: Application, authorization: Authorization) {
  const browser = await walkToConsent(application, authorization);
  const page = await allow(browser);
  if (page.destination === undefined) throw new Error(`Allow led nowhere: ${page.status} ${page.body}`);
  return { callback: page.destination, parameters: page.destination.searchParams, browser };
}

export type TokenPair = { readonly accessToken: string; readonly refreshToken: string };

/** Sends POST /token with the application's secret in the body. */
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

/** Returns the tokens of a response; throws its text if it has none. */
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

/** Sends GET to a protected path. */
export const read = ({ url }: Application, path: string, accessToken: string): Promise<Response> =>
  fetch(url + path, { headers: { authorization: `Bearer ${accessToken}` } });

/** Returns the JSON object of a response. */
export async function jsonOf(answer: Response): Promise<Record<string, unknown>> {
  const value: unknown = await answer.json();
  if (typeof value !== 'object' || value === null) throw new Error(`Not an object: ${JSON.stringify(value)}`);
  return value as Record<string, unknown>; // any object is one
}
