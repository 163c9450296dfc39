/** Who signed in, by the claims of a validated ID token. */
import type { IDToken } from 'oauth4webapi';

import type { AccountIdentity } from '../openid/relying-party.ts';

/**
 * The account's id is its e-mail address (docs/wire.md 2.2). The sign-in name comes first: its domain is one
 * its tenant has proved, where the claim `email` is whatever an administrator typed. Accounts without an
 * address (some sign in with a phone number) are named by tenant and object.
 *
 * The identity is `oid:`, the tenant, a slash and the object in it, which are the same for every app. Where one is missing,
 * it is `sub:`, the subject, a space and its issuer.
 */
export function identityOf(claims: IDToken): AccountIdentity {
  const signInName = textOf(claims.preferred_username);
  const email = [signInName, textOf(claims.email)].find((name) => name !== undefined && ADDRESS.test(name));
  const accountId = email?.toLowerCase() ?? `${textOf(claims.tid) ?? ''}.${textOf(claims.oid) ?? claims.sub}`;
  const display = signInName ?? email ?? textOf(claims.name) ?? accountId;
  return { accountId, identity: subjectOf(claims), display };
}

function subjectOf({ tid, oid, sub, iss }: IDToken): string {
  const [tenant, object] = [textOf(tid), textOf(oid)];
  if (tenant === undefined || object === undefined) return `sub:${sub} ${iss}`;
  return `oid:${tenant}/${object}`.toLowerCase();
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

const textOf = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : undefined;
