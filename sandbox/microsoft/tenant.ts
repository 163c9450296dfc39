/** The Microsoft tenant of an account. */
import { hash } from 'node:crypto';

/** The tenant of every personal account (outlook.com, hotmail.com, live.com): a constant of Microsoft's. */
export const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

const PERSONAL_DOMAINS = new Set(['outlook.com', 'hotmail.com', 'live.com', 'msn.com']);

/** Returns the tenant, which belongs to a domain in an organization; people of one domain are colleagues. */
export function tenantOf(email: string): string {
  const domain = domainOf(email);
  return PERSONAL_DOMAINS.has(domain) ? PERSONAL_TENANT : stableUuid(`tenant ${domain}`);
}

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

/** Returns a UUID that is the same in every run, so that links and screenshots remain comparable. */
export function stableUuid(seed: string): string {
  const digits = hash('sha256', seed);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** The path segment before `/v2.0` and `/oauth2`: an audience, or the id of one tenant. */
export type TenantPath = 'common' | 'organizations' | 'consumers' | (string & {});

/** Returns whether accounts of the tenant may sign in at this path. */
export function admits(path: TenantPath, tenant: string): boolean {
  if (path === 'common') return true;
  if (path === 'organizations') return tenant !== PERSONAL_TENANT;
  return path === 'consumers' ? tenant === PERSONAL_TENANT : path === tenant;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns the path's tenant in lower case, or `undefined` if there is none. */
export function tenantPath(text: string): TenantPath | undefined {
  const path = text.toLowerCase();
  return ['common', 'organizations', 'consumers'].includes(path) || UUID.test(path) ? path : undefined;
}

/** Returns the `issuer` in the metadata at this path: literally `{tenantid}` if the path serves many tenants. */
export function issuerAt(origin: string, path: TenantPath): string {
  if (path === 'common' || path === 'organizations') return `${origin}/{tenantid}/v2.0`;
  return issuerOf(origin, path === 'consumers' ? PERSONAL_TENANT : path);
}

/** Returns the `iss` of this tenant's ID tokens. */
export const issuerOf = (origin: string, tenant: string): string => `${origin}/${tenant}/v2.0`;
