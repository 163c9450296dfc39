/** Parsers of the settings for dashboard sign-in. */

/** A rule that admits people by single sign-on without an invitation, if their claim has this value. */
export type ClaimRule = {
  /** `email` and `email_domain` match only an address that the issuer calls verified. */
  readonly claim: string;
  readonly value: string;
  readonly role: 'owner' | 'developer' | 'viewer';
  /** The applications of a developer; undefined keeps those that an owner gave them. */
  readonly clientIds: readonly string[] | undefined;
};

const RULE = /^([^=\s]+)=(.+):(owner|developer|viewer)(?:\(([^()]*)\))?$/;
const MOST_RULES = 200;

/** Parses `groups=admins:owner; email_domain=example.com:viewer`. A value cannot contain a semicolon. */
export function claimRules(text: string): readonly ClaimRule[] {
  const rules = text
    .split(/[;\n]/)
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');
  if (rules.length > MOST_RULES) throw new Error(`must not have more than ${MOST_RULES} rules`);
  return Object.freeze(rules.map(claimRule));
}

function claimRule(text: string): ClaimRule {
  const [, claim, value, role, given] = RULE.exec(text) ?? [];
  if (claim === undefined || value === undefined || role === undefined)
    throw new Error(
      `has the invalid rule "${text.slice(0, 100)}": rules are CLAIM=VALUE:ROLE, such as groups=admins:owner, separated by semicolons`,
    );
  if (given !== undefined && role !== 'developer')
    throw new Error(
      `lists applications for the role ${role}: only developers can have a list of applications`,
    );
  const isAddress = claim === 'email' || claim === 'email_domain';
  return Object.freeze({
    claim,
    value: isAddress ? value.trim().toLowerCase() : value.trim(),
    role: role as ClaimRule['role'], // the pattern names no other
    clientIds: given === undefined ? undefined : given.split(/[\s,]+/).filter((id) => id !== ''),
  });
}

/** Returns the ways to sign in that are allowed besides single sign-on. */
export function parseSignInWays(text: string): ReadonlySet<'password' | 'passkey'> {
  const ways = text.split(',').map((way) => way.trim());
  if (ways.length === 1 && ways[0] === 'none') return new Set();
  const allowed = (['password', 'passkey'] as const).filter((way) => ways.includes(way));
  if (allowed.length !== new Set(ways).size)
    throw new Error('must be password, passkey, both separated by a comma, or none');
  return new Set(allowed);
}
