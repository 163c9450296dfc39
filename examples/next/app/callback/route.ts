/** The redirect URI, where the browser returns from Kalends. */
import { KalendsError } from '@kalends/client';

import { calendars, forgetCalendars } from '../../lib/calendars';
import { openSession } from '../../lib/session';
import { storage } from '../../lib/storage';

/** Accepts the response of the flow that this browser began, and no other. */
export async function GET({ url }: Request) {
  const { name, session } = await openSession();
  const { userId, state = '', codeVerifier = '' } = session;
  // A response counts once.
  storage().saveSession(name, { userId });
  try {
    const tokens = await calendars().completeAuthorization({ url, state, userId, codeVerifier });
    storage().saveTokens(userId, tokens);
    // The next request loads the new tokens.
    forgetCalendars(userId);
    return new Response(null, { status: 302, headers: { location: '/' } });
  } catch (error) {
    if (!(error instanceof KalendsError)) throw error;
    return new Response(`Nothing was connected: ${error.message}`, { status: 400 });
  }
}
