/** What an OpenID issuer says of somebody, and the role that gives. */
import type { ClaimRule } from '../config/dashboard-sign-in.ts';
import { loginOf, personNameProblem, ROLES, type Role } from './person.ts';

/** Claims of an ID token that was checked. Nothing is known of their values. */
export type Claims = Readonly<Record<string, unknown>>;

/** The role of somebody without an invitation. */
export type ClaimedRole = {
  readonly role: Role;
  /** What a developer is given; undefined: the rules leave that to an owner. */
  readonly clientIds: readonly string[] | undefined;
};

/** The highest role that a rule gives, with the applications of all rules for it; undefined where none matches. */
export function roleOfClaims(claims: Claims, rules: readonly ClaimRule[]): ClaimedRole | undefined {
  const matching = rules.filter((rule) => valuesOf(claims, rule.claim).includes(rule.value));
  const role = ROLES.find((one) => matching.some((rule) => rule.role === one));
  if (role === undefined) return undefined;
  const given = matching.filter((rule) => rule.role === role).flatMap(({ clientIds }) => clientIds ?? []);
  const isGiven = matching.some((rule) => rule.role === role && rule.clientIds !== undefined);
  return { role, clientIds: isGiven ? [...new Set(given)] : undefined };
}

function valuesOf(claims: Claims, claim: string): readonly string[] {
  const email = verifiedEmail(claims);
  if (claim === 'email') return email === undefined ? [] : [email];
  if (claim === 'email_domain') return email === undefined ? [] : [email.slice(email.lastIndexOf('@') + 1)];
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return [value].flat().flatMap((one) => (isScalar(one) ? [String(one)] : []));
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Anybody can write anybody's address into an account: it counts where the issuer says that it was verified. */
export const verifiedEmail = ({ email, email_verified: isVerified }: Claims): string | undefined =>
  typeof email === 'string' && isVerified === true ? loginOf(email) : undefined;

/** What the issuer calls them; undefined where it is no name that we could show. */
export function nameOfClaims({ name, preferred_username: username }: Claims): string | undefined {
  return [name, username]
    .filter((one) => typeof one === 'string')
    .map((one) => one.trim())
    .find((one) => personNameProblem(one) === undefined);
}
