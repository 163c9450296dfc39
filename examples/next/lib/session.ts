/** Stands for your own sign-in: each browser is a user of its own. */
import { randomBytes } from 'node:crypto';

import { cookies } from 'next/headers';

import { type Session, storage } from './storage';

/** A session, and the name by which the browser's cookie knows it. */
export type NamedSession = { readonly name: string; readonly session: Session };

/** The session of the browser that asks, where it has one. */
export async function currentSession(): Promise<NamedSession | undefined> {
  const name = (await cookies()).get('session')?.value ?? '';
  const session = storage().sessionOf(name);
  return session && { name, session };
}

/** The same, and where there is none a new one: for route handlers only, as no page can set a cookie. */
export async function openSession(): Promise<NamedSession> {
  const known = await currentSession();
  if (known !== undefined) return known;
  const name = randomBytes(24).toString('base64url');
  const session = { userId: `user-${randomBytes(8).toString('hex')}` };
  storage().saveSession(name, session);
  // Lax: forms of other sites are sent without it.
  (await cookies()).set('session', name, { httpOnly: true, sameSite: 'lax' });
  return { name, session };
}
