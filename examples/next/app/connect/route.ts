/** Sends the browser to Kalends. */
import { randomBytes } from 'node:crypto';

import { createPkce, type Provider } from '@kalends/client';

import { calendars } from '../../lib/calendars';
import { openSession } from '../../lib/session';
import { storage } from '../../lib/storage';

/** Begins a flow, which the browser's session remembers. "Reconnect" starts with the sign-in of its account. */
export async function GET(request: Request) {
  const { name, session } = await openSession();
  const { userId } = session;
  const state = randomBytes(16).toString('base64url');
  const { codeVerifier, codeChallenge } = await createPkce();
  storage().saveSession(name, { userId, state, codeVerifier });
  const { searchParams } = new URL(request.url);
  const account = searchParams.get('account');
  // Kalends checks the provider.
  const reconnect = account ? { provider: searchParams.get('provider') as Provider, account } : undefined;
  const url = await calendars().pushedAuthorizationUrl({ userId, state, codeChallenge, reconnect });
  const location = String(url);
  return new Response(null, { status: 302, headers: { location } });
}
