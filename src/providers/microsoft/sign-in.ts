/** Sign-in with Microsoft: its additions to OpenID Connect. */

import type { AuthorizationServer, IDToken } from 'oauth4webapi';
import type { ProviderApp, RedirectSignIn, SignInRequest } from '../../calendars/calendar-provider.ts';
import { jsonIn } from '../../lib/json.ts';
import { storable } from '../../lib/storable-text.ts';
import { readMember, text } from '../json-value.ts';
import { type Meaning, meaningsBy, unreadableAnswer } from '../meaning.ts';
import { badIssuer, type OpenIdDeps } from '../openid/authorization-server.ts';
import { type AccountIdentity, type OpenIdFacts, openIdSignIn } from '../openid/relying-party.ts';
import type { SignInMeanings } from '../openid/sign-in-failure.ts';
import { covers, requestedScope } from './scopes.ts';

/** `asksForShared`: users are also asked for calendars that others share with them. Default: false. */
export type MicrosoftSignInDeps = OpenIdDeps & { readonly asksForShared?: boolean };

export function microsoftSignIn(deps: MicrosoftSignInDeps): RedirectSignIn {
  const scopeFor = requestedScope(deps.asksForShared ?? false);
  const facts: OpenIdFacts = {
    name: 'Microsoft',
    issuerIn,
    requiresSameOrigin: true,
    issuers: { ofCallback, ofTokens, ofAccount: (...account) => ofAccount(deps.issuer, ...account) },
    requestedScope: scopeFor,
    covers,
    parametersFor,
    identityOf: toAccountIdentity,
    meanings: SIGN_IN_MEANINGS,
  };
  return {
    ...openIdSignIn(facts, deps),
    // Microsoft cannot revoke by request: users and administrators withdraw access on its own pages.
    revoke: async () => {},
    adminConsentUrl: (app, { redirectUri, scope }) =>
      adminConsentUrl(deps.issuer, app, { redirectUri, scope: scopeFor(scope) }),
  };
}

const parametersFor = ({ language }: SignInRequest) => ({
  response_mode: 'query',
  // Without it, Microsoft uses the account that is signed in to this browser.
  prompt: 'select_account',
  ui_locales: language,
});

/**
 * Returns the account. `accountId` is the e-mail address (docs/wire.md 2.2): the sign-in name, whose domain the tenant
 * has proved, else the claim `email`, which an administrator can set freely; without an address, tenant and object.
 * `identity` is `oid:`, the tenant, a slash and the object, which are the same for every app. If one is missing, it is
 * `sub:`, the subject, a space and the issuer.
 */
export function toAccountIdentity(claims: IDToken): AccountIdentity {
  const signInName = readText(claims.preferred_username);
  const email = [signInName, readText(claims.email)].find((name) => name !== undefined && ADDRESS.test(name));
  const accountId =
    email?.toLowerCase() ?? `${readText(claims.tid) ?? ''}.${readText(claims.oid) ?? claims.sub}`;
  const display = signInName ?? email ?? readText(claims.name) ?? accountId;
  return { accountId, identity: buildSubject(claims), display };
}

function buildSubject({ tid, oid, sub, iss }: IDToken): string {
  const [tenant, object] = [readText(tid), readText(oid)];
  if (tenant === undefined || object === undefined) return `sub:${sub} ${iss}`;
  return `oid:${tenant}/${object}`.toLowerCase();
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

const readText = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim.trim() !== '' ? storable(claim.trim()) : undefined;

const REVOKED: Meaning = [
  'unauthorized',
  'Microsoft no longer accepts this sign-in: sign in again',
  'access_revoked',
];
const SIGN_IN_AGAIN: Meaning = [
  'unauthorized',
  'Microsoft requires this user to sign in again',
  'reauthentication_demanded',
];
const ADMINISTRATOR: Meaning = [
  'permission_missing',
  "An administrator of the user's organization must approve this application first",
  'admin_consent_required',
];
const DECLINED: Meaning = ['access_denied', 'Access was declined at Microsoft'];
const APP_REFUSED: Meaning = [
  'misconfigured',
  'Microsoft rejects the provider app',
  'app_credentials_refused',
];
const SECRET_EXPIRED: Meaning = [
  'misconfigured',
  'The client secret of the Microsoft provider app has expired',
  'app_secret_expired',
];
const NOT_NOW = 'Microsoft cannot sign users in at the moment';
const UNAVAILABLE: Meaning = ['unavailable', NOT_NOW, 'provider_unavailable'];

/** The meanings by AADSTS number. No source confirms each of them. */
const BY_NUMBER = meaningsBy<number>(
  // Access was revoked: password changed or reset, session revoked, account disabled or deleted.
  [REVOKED, [50173, 50133, 50132, 50034, 50057, 50020, 700081]],
  // The token was unused for too long, or a second factor, a device or a location is required.
  [SIGN_IN_AGAIN, [700082, 700084, 70008, 70000, 70043, 70044, 50055, 50058, 50072, 50074]],
  [SIGN_IN_AGAIN, [50076, 50078, 50079, 50089, 50097, 50158, 53000, 53001, 53003, 54005]],
  [ADMINISTRATOR, [65001, 90094, 90095, 90093]],
  [DECLINED, [65004]],
  [APP_REFUSED, [7000215, 7000216, 7000218, 700016, 7000112, 700025, 70001, 70011, 50011, 50194]],
  [APP_REFUSED, [90002, 500011, 9002313]],
  [SECRET_EXPIRED, [7000222]],
  [UNAVAILABLE, [90033, 90006, 90012, 90024, 50196]],
);

/** The meanings for other numbers, by the code of RFC 6749 §4.1.2.1 and §5.2, or of OpenID Connect. */
const BY_WORD = meaningsBy<string>(
  [DECLINED, ['access_denied']],
  [SIGN_IN_AGAIN, ['invalid_grant', 'interaction_required', 'login_required']],
  [ADMINISTRATOR, ['consent_required']],
  [APP_REFUSED, ['invalid_client', 'unauthorized_client', 'invalid_request', 'invalid_scope']],
  [APP_REFUSED, ['invalid_resource', 'unsupported_response_type']],
  [UNAVAILABLE, ['temporarily_unavailable', 'server_error']],
);

export const SIGN_IN_MEANINGS: SignInMeanings = {
  refused(error, description) {
    const number = Number(/AADSTS(\d+)/.exec(description)?.[1]);
    return BY_NUMBER.get(number) ?? BY_WORD.get(error);
  },
  tooMany: ['rate_limited', NOT_NOW, 'provider_unavailable'],
  unavailable: UNAVAILABLE,
  unavailableFrom: 500,
  saysHowLong: true,
  unusable: [
    'invalid_response',
    'Microsoft’s response to the sign-in cannot be used',
    'provider_answer_unreadable',
  ],
};

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
