/** The claims of an OpenID issuer about a member, and the role that they give. */
import type { ClaimRule } from '../config/dashboard-sign-in.ts';
import { parseLogin, personNameProblem, ROLES, type Role } from './person.ts';

/** The claims of a verified ID token. Their values are unchecked. */
export type Claims = Readonly<Record<string, unknown>>;

/** The role of a member without an invitation. */
export type ClaimedRole = {
  readonly role: Role;
  /** The applications of a developer. Undefined: the rules leave that to an owner. */
  readonly clientIds: readonly string[] | undefined;
};

/** Returns the highest role that a rule gives, and the applications of all rules with it; undefined if none matches. */
export function roleOfClaims(claims: Claims, rules: readonly ClaimRule[]): ClaimedRole | undefined {
  const matching = rules.filter((rule) => listValues(claims, rule.claim).includes(rule.value));
  const role = ROLES.find((one) => matching.some((rule) => rule.role === one));
  if (role === undefined) return undefined;
  const given = matching.filter((rule) => rule.role === role).flatMap(({ clientIds }) => clientIds ?? []);
  const isGiven = matching.some((rule) => rule.role === role && rule.clientIds !== undefined);
  return { role, clientIds: isGiven ? [...new Set(given)] : undefined };
}

function listValues(claims: Claims, claim: string): readonly string[] {
  const email = verifiedEmail(claims);
  if (claim === 'email') return email === undefined ? [] : [email];
  if (claim === 'email_domain') return email === undefined ? [] : [email.slice(email.lastIndexOf('@') + 1)];
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return [value].flat().flatMap((one) => (isScalar(one) ? [String(one)] : []));
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Returns the address only if the issuer verified it: anyone can enter another person's address. */
export const verifiedEmail = ({ email, email_verified: isVerified }: Claims): string | undefined =>
  typeof email === 'string' && isVerified === true ? parseLogin(email) : undefined;

/** Returns the name that the issuer uses; undefined if it cannot be shown. */
export const nameOfClaims = ({ name, preferred_username: username }: Claims): string | undefined =>
  [name, username]
    .filter((one) => typeof one === 'string')
    .map((one) => one.trim())
    .find((one) => personNameProblem(one) === undefined);
