/** Identifies the user who signed in to a CalDAV server, as proved (docs/security.md T3). */
import { createHash } from 'node:crypto';

import { lastSegment } from './dav/href.ts';
import { principalText } from './dav/principal.ts';

/** The parts of the server that accepted a login. */
export type ProvenBy = {
  /** The first of the user's calendar homes. */
  readonly home: URL;
  /** The principal that responded and named itself; `undefined` if the server knows none. */
  readonly proved: URL | undefined;
  /** Whether the server named it for this login. */
  readonly isNamed: boolean;
};

/**
 * Returns the same identity for two logins of the same user of a server. It is the principal, if that is plainly the
 * user's own; otherwise the user name follows it, since some servers name one principal for everybody. Without a
 * principal it is made of the home and the user name.
 */
export function caldavIdentity({
  username,
  home,
  proved,
  isNamed,
}: ProvenBy & { readonly username: string }): string {
  const user = username.trim().toLowerCase();
  if (proved === undefined) return `home ${principalText(home)} ${bounded(user)}`;
  const principal = principalText(proved);
  return isNamed && isOwn(proved, user) ? principal : `${principal} ${bounded(user)}`;
}

/** Returns whether the principal's name is the user name, or its part before the @. */
function isOwn(principal: URL, user: string): boolean {
  const name = lastSegment(principal.pathname)?.toLowerCase();
  return name !== undefined && (name === user || name === user.split('@')[0]);
}

/** Longer than any user name on a server. */
const LONGEST_USER = 256;

/** Identities are indexed, so a long user name is replaced by its hash. */
const bounded = (user: string): string =>
  user.length <= LONGEST_USER ? user : `sha256:${createHash('sha256').update(user).digest('base64url')}`;
