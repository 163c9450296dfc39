/** Servers without authentication: signing in to one proves nothing (docs/security.md T4). */
import { randomBytes } from 'node:crypto';

import type { ProviderCredentials } from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { readCredentials } from './credentials.ts';
import { sendPropfind, toDavError } from './dav/dav-client.ts';
import { davSession, type SessionDeps } from './dav/dav-session.ts';
import { namesItself, USER_REQUEST, userIn } from './dav/principal.ts';
import { isTemporary } from './dav/status.ts';

/** Returns whether the principal accepts a random password. Fails with ProviderError for an inconclusive response. */
export async function takesAnyPassword(
  credentials: ProviderCredentials,
  deps: SessionDeps,
): Promise<boolean> {
  const { username, principal, origins } = readCredentials(credentials);
  const password = randomBytes(24).toString('base64url');
  const session = davSession({ username, password, origins }, deps);
  const answer = await sendPropfind(session, new URL(principal), USER_REQUEST);
  const { status } = answer;
  if (status !== 401 && (isTemporary(status) || status === 408 || status >= 500)) throw toDavError(answer);
  if (status !== 207) return false;
  try {
    const user = await userIn(session, answer);
    return user?.principal === undefined || namesItself(user);
  } catch (failure) {
    // The server responds, but says that this is nobody.
    if (failure instanceof ProviderError && failure.kind === 'unauthorized') return false;
    throw failure;
  }
}
