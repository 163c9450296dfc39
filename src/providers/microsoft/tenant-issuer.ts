/**
 * The issuers of Microsoft, one for each tenant. Metadata for many tenants has `{tenantid}` in the issuer, which is
 * replaced by the `tid` of the ID token.
 */
import type { AuthorizationServer } from 'oauth4webapi';

import type { ProviderApp } from '../../calendars/calendar-provider.ts';
import { jsonIn } from '../../lib/rendered-json.ts';
import { readMember, text } from '../json-value.ts';
import { unreadableAnswer } from '../meaning.ts';
import { badIssuer } from '../openid/authorization-server.ts';

const ANY_TENANT = '{tenantid}';
const TENANT = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
const ISSUER_PATH = new RegExp(`^/(?:${TENANT}|\\{tenantid\\})/v2\\.0$`, 'i');
const isTenant = (value: string): boolean => new RegExp(`^${TENANT}$`, 'i').test(value);

/** Returns the issuer in the metadata: of one tenant at the same host, or with `{tenantid}`. */
export async function issuerIn(response: Response, configured: URL): Promise<URL> {
  const { status } = response;
  if (status >= 400 && status < 500 && status !== 429)
    throw badIssuer({ name: 'Microsoft' }, 'does not exist');
  const namedIssuer = status === 200 ? await readBodyMember(response, 'issuer') : undefined;
  // The library will refuse this response.
  if (namedIssuer === undefined) return configured;
  const isAtSameHost =
    namedIssuer.startsWith(`${configured.origin}/`) &&
    ISSUER_PATH.test(namedIssuer.slice(configured.origin.length));
  if (!isAtSameHost) throw badIssuer({ name: 'Microsoft' }, 'names a foreign issuer');
  return new URL(namedIssuer);
}

/** Returns the metadata for checking a callback, whose `iss` (RFC 9207) names one tenant. */
export function ofCallback(callback: URL, metadata: AuthorizationServer): AuthorizationServer {
  const issuer = callback.searchParams.get('iss');
  const [before = '', after] = metadata.issuer.split(ANY_TENANT);
  if (issuer === null || after === undefined) return metadata;
  const tenant = issuer.slice(before.length, issuer.length - after.length);
  return issuer === before + tenant + after && isTenant(tenant) ? { ...metadata, issuer } : metadata;
}

/** Returns the metadata for checking an ID token, whose tenant is read before the check. */
export async function ofTokens(
  response: Response,
  metadata: AuthorizationServer,
): Promise<AuthorizationServer> {
  const idToken = await readBodyMember(response, 'id_token');
  if (idToken === undefined || !metadata.issuer.includes(ANY_TENANT)) return metadata;
  const claims = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8');
  const tenant = text(readMember(jsonIn(claims), 'tid'));
  if (tenant === undefined || !isTenant(tenant)) throw unreadableAnswer('Microsoft’s ID token has no tenant');
  return { ...metadata, issuer: metadata.issuer.replace(ANY_TENANT, tenant) };
}

const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
const ACCOUNT = new RegExp(`^oid:(${TENANT})/`);

/**
 * Returns the metadata with the token endpoint of the account's tenant, if `issuer` serves many. Since June 2026
 * Microsoft refuses refresh tokens of personal accounts at `common`.
 */
export function ofAccount(issuer: string, identity: string, metadata: AuthorizationServer) {
  const tenant = ACCOUNT.exec(identity)?.[1];
  const hasManyTenants = /^\/(?:common|organizations)\//i.test(new URL(issuer).pathname);
  if (tenant === undefined || !hasManyTenants) return metadata;
  const path = `/${tenant === PERSONAL_TENANT ? 'consumers' : tenant}/oauth2/v2.0/token`;
  return { ...metadata, token_endpoint: new URL(path, issuer).href };
}

/** Returns the text of a member of a JSON response, which can still be read afterwards. */
async function readBodyMember(response: Response, name: string): Promise<string | undefined> {
  return text(readMember(jsonIn(await response.clone().text()), name));
}

/**
 * Returns the address at which an administrator approves the app. `organizations` is that of the administrator who
 * signs in: after a refusal the user's organization is unknown.
 */
export function adminConsentUrl(
  issuer: string,
  { clientId }: ProviderApp,
  { redirectUri, scope }: { readonly redirectUri: string; readonly scope: string },
): URL {
  const { origin, pathname } = new URL(issuer);
  const [, path = 'common'] = pathname.split('/');
  const tenant = path === 'common' || path === 'consumers' ? 'organizations' : path;
  const url = new URL(`/${tenant}/v2.0/adminconsent`, origin);
  const parameters = { client_id: clientId, redirect_uri: redirectUri, scope };
  url.search = new URLSearchParams(parameters).toString();
  return url;
}
