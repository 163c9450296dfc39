/** The operations of the identity platform: their paths and their responses. */
import { hasEffect } from '../core/faults.ts';
import type { IdTokenSigner } from '../core/id-token-signer.ts';
import { matchRoute } from '../core/path-pattern.ts';
import { bearerToken } from '../core/request-credentials.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { Operation, SandboxAnswer, SandboxRequest } from '../core/sandbox-server.ts';
import { aadsts, identityJson } from './aadsts.ts';
import { answerAdminConsent } from './admin-consent.ts';
import { answerAuthorize, answerChoice, answerConsent, chosenEmail } from './authorize.ts';
import { findAccount, isPersonal } from './directory.ts';
import { subjectOf } from './id-token-claims.ts';
import type { IdentityDeps } from './identity-deps.ts';
import { metadataAt } from './metadata.ts';
import { type TenantPath, tenantPath } from './tenant.ts';
import { answerTokenRequest } from './token-endpoint.ts';

type Endpoint = {
  readonly route: string;
  readonly name: string;
  user?(request: SandboxRequest, deps: IdentityDeps): string | undefined;
  answer(
    request: SandboxRequest,
    tenant: TenantPath,
    deps: IdentityDeps,
  ): SandboxAnswer | Promise<SandboxAnswer>;
};

const ENDPOINTS: readonly Endpoint[] = [
  {
    route: 'GET /:tenant/v2.0/.well-known/openid-configuration',
    name: 'openid-configuration',
    answer: (_request, tenant, { origin }) => identityJson(200, metadataAt(origin(), tenant)),
  },
  {
    route: 'GET /:tenant/discovery/v2.0/keys',
    name: 'keys',
    answer: (_request, _tenant, { signer }) => answerKeys(signer),
  },
  { route: 'GET /:tenant/oauth2/v2.0/authorize', name: 'authorize', answer: answerAuthorize },
  {
    route: 'POST /:tenant/oauth2/v2.0/authorize/account',
    name: 'authorize.account',
    user: chosenEmail,
    answer: answerChoice,
  },
  {
    route: 'POST /:tenant/oauth2/v2.0/authorize/consent',
    name: 'authorize.consent',
    user: chosenEmail,
    answer: answerConsent,
  },
  {
    route: 'POST /:tenant/oauth2/v2.0/token',
    name: 'token',
    user: tokenUser,
    answer: async (request, tenant, deps) =>
      identityJson(200, await answerTokenRequest(request, tenant, deps)),
  },
  {
    route: 'GET /oidc/userinfo',
    name: 'userinfo',
    answer: (request, _tenant, deps) => userInfo(request, deps),
  },
  { route: 'GET /:tenant/v2.0/adminconsent', name: 'adminconsent', answer: answerAdminConsent },
  { route: 'POST /:tenant/v2.0/adminconsent', name: 'adminconsent', answer: answerAdminConsent },
];

/** Returns the identity platform's operation for a request, or `undefined` for another path. */
export function identityOperation(request: SandboxRequest, deps: IdentityDeps): Operation | undefined {
  const matched = matchRoute(ENDPOINTS, request);
  if (matched === undefined) return undefined;
  const { endpoint, parts } = matched;
  const run: Operation['run'] = (effects) => {
    const tenant = tenantPath(parts.tenant ?? 'common');
    if (tenant === undefined) throw aadsts(90002);
    if (hasEffect(effects, 'common_refused') && isPersonalRefresh(request, deps) && tenant === 'common')
      throw aadsts(70000);
    return endpoint.answer(request, tenant, deps);
  };
  return { name: endpoint.name, user: endpoint.user?.(request, deps), run };
}

/** Returns whether an operation's errors have the identity platform's form. */
export const isIdentityOperation = (name: string): boolean => ENDPOINTS.some((one) => one.name === name);

function isPersonalRefresh(request: SandboxRequest, { tokens }: IdentityDeps): boolean {
  const account = tokens.holder(new URLSearchParams(request.body).get('refresh_token') ?? '');
  return account !== undefined && isPersonal(account);
}

/** Returns the user whose tokens the request is about, even if it then fails. */
function tokenUser(request: SandboxRequest, { tokens, directory }: IdentityDeps): string | undefined {
  const form = new URLSearchParams(request.body);
  const account = tokens.holder(form.get('code') ?? form.get('refresh_token') ?? '');
  return account === undefined ? undefined : findAccount(directory, account.email)?.email;
}

/**
 * Returns the keys without `alg`: clients take it from the token, within what metadata allows. No source confirms that
 * it is absent.
 */
async function answerKeys(signer: IdTokenSigner): Promise<SandboxAnswer> {
  const key = await signer.publicKey();
  return identityJson(200, { keys: [{ ...key, x5t: key.kid }] });
}

/** OpenID Connect Core §5.3; the real endpoint is part of Graph. */
function userInfo(request: SandboxRequest, { tokens }: IdentityDeps): SandboxAnswer {
  const access = tokens.access(bearerToken(request) ?? '');
  if (typeof access === 'string')
    throw new SandboxRefusal(401, 'invalid_token', 'The access token is not valid.');
  const { account, clientId } = access;
  return identityJson(200, { sub: subjectOf(account, clientId), name: account.name, email: account.email });
}
