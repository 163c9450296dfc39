/** GET /{tenant}/v2.0/adminconsent: where an administrator lets an app in for everybody of the tenant. */
import type { SandboxAnswer, SandboxRequest } from '../core/sandbox-server.ts';
import { aadsts } from './aadsts.ts';
import { redirectTo } from './authorize-request.ts';
import type { IdentityDeps } from './identity-deps.ts';
import { adminConsentPage } from './sign-in.page.ts';
import type { TenantPath } from './tenant.ts';

export function answerAdminConsent(
  request: SandboxRequest,
  tenant: TenantPath,
  deps: IdentityDeps,
): SandboxAnswer {
  const form = new URLSearchParams(request.method === 'POST' ? request.body : '');
  const query =
    request.method === 'POST' ? new URLSearchParams(form.get('request') ?? '') : request.url.searchParams;
  const app = deps.apps.get(query.get('client_id') ?? '');
  if (app === undefined) throw aadsts(700016);
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!app.redirectUris.includes(redirectUri)) throw aadsts(50011);
  if (request.method === 'GET')
    return adminConsentPage(app.name ?? app.clientId, query.toString(), redirectUri);
  const target = { redirectUri, state: query.get('state') ?? undefined };
  if (form.get('decision') !== 'accept') {
    return redirectTo(target, {
      error: 'permission_denied',
      error_description: 'The admin canceled the request',
    });
  }
  // At `common` and `organizations` the administrator's own tenant is meant: here, every tenant that needs one.
  const tenants = deps.directory.adminOnly.has(tenant) ? [tenant] : [...deps.directory.adminOnly];
  for (const consentingTenant of tenants)
    deps.directory.adminConsents.add(`${app.clientId} ${consentingTenant}`);
  return redirectTo(target, {
    admin_consent: 'True',
    tenant: tenants[0] ?? tenant,
    scope: query.get('scope') ?? '',
  });
}
