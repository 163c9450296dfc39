/** Sends the browser to Kalends. */
import { createHash, randomBytes } from 'node:crypto';

import { calendars } from '../../lib/calendars';
import { openSession } from '../../lib/session';
import { storage } from '../../lib/storage';

/** Begins a flow, which the browser's session remembers. */
export async function GET() {
  const { name, session } = await openSession();
  const { userId } = session;
  const state = randomBytes(16).toString('base64url');
  const codeVerifier = randomBytes(32).toString('base64url');
  storage().saveSession(name, { userId, state, codeVerifier });
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const location = String(calendars().authorizationUrl({ userId, state, codeChallenge }));
  return new Response(null, { status: 302, headers: { location } });
}
