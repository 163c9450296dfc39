/** The parameters of a request for a code (RFC 6749 §4.1.1), and the redirect back to the app. */
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { aadsts } from './aadsts.ts';
import type { Apps, MicrosoftApp } from './app-registration.ts';
import { type Permission, readScope } from './permission.ts';
import type { TenantPath } from './tenant.ts';

/** A valid request for a code. */
export type AuthorizeRequest = {
  readonly tenant: TenantPath;
  readonly app: MicrosoftApp;
  readonly redirectUri: string;
  readonly permissions: readonly Permission[];
  readonly codeChallenge: string | undefined;
  readonly nonce: string | undefined;
  readonly state: string | undefined;
  readonly prompt: string | undefined;
  readonly loginHint: string | undefined;
  /** The query as it arrived, which the forms pass on. */
  readonly query: string;
};

/** The destination of responses. */
export type Target = Pick<AuthorizeRequest, 'app' | 'redirectUri' | 'state'>;

/** Throws if the app or the redirect URI is not registered. */
export function targetOf(query: URLSearchParams, apps: Apps): Target {
  const clientId = query.get('client_id');
  if (!clientId) throw aadsts(90014);
  const app = apps.get(clientId);
  if (app === undefined) throw aadsts(700016);
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!app.redirectUris.includes(redirectUri)) throw aadsts(50011);
  return { app, redirectUri, state: query.get('state') ?? undefined };
}

/** Throws for parameters that the platform does not accept. */
export function readRequest(query: URLSearchParams): Omit<AuthorizeRequest, keyof Target | 'tenant'> {
  if (query.get('response_type') !== 'code') throw aadsts(700054);
  if (!['query', null].includes(query.get('response_mode'))) throw aadsts(90100);
  const codeChallenge = query.get('code_challenge') ?? undefined;
  const method = query.get('code_challenge_method');
  // The platform accepts `plain` too; Kalends must never send it.
  if (codeChallenge !== undefined && (method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge)))
    throw aadsts(90100);
  return {
    permissions: readScope(query.get('scope')),
    codeChallenge,
    nonce: query.get('nonce') ?? undefined,
    prompt: query.get('prompt') ?? undefined,
    loginHint: query.get('login_hint') ?? undefined,
    query: query.toString(),
  };
}

/** Returns the redirect URI with these parameters. */
export function redirectTo(
  { redirectUri, state }: Pick<AuthorizeRequest, 'redirectUri' | 'state'>,
  parameters: Readonly<Record<string, string>>,
): SandboxAnswer {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set('state', state);
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' } };
}
