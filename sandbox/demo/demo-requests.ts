/** The shared checks of the demo's routes: the session of a request, and whether it comes from the demo's own pages. */
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ApiError } from '../../src/http/refusal.ts';
import { SANDBOX } from '../core/control.schema.ts';
import type { ReadResult } from './connected.page.ts';
import type { DemoSession, DemoSessions, Notice } from './demo-session.ts';
import { KalendsRefusal } from './kalends-client.ts';

const COOKIE = 'kalends_demo';

export const sessionOf = ({ cookies: { [COOKIE]: name } }: FastifyRequest, sessions: DemoSessions) =>
  sessions.find(name);

/** Returns the browser's session, and creates one if there is none. */
export function sessionFor(
  request: FastifyRequest,
  reply: FastifyReply,
  sessions: DemoSessions,
): DemoSession {
  const current = sessionOf(request, sessions);
  if (current !== undefined) return current;
  const { name, session } = sessions.start();
  reply.setCookie(COOKIE, name, { httpOnly: true, sameSite: 'lax', path: '/' });
  return session;
}

export function takeNotice(session: DemoSession): Notice | undefined {
  const { notice } = session;
  session.notice = undefined;
  return notice;
}

/** Returns the result, or the error instead. */
export async function resultOf<T>(answer: Promise<T>): Promise<ReadResult<T>> {
  try {
    return { value: await answer };
  } catch (failure) {
    if (failure instanceof KalendsRefusal) return { problem: failure };
    throw failure;
  }
}

/** A page on another site can make a browser send forms here; the cookie alone does not prevent it. */
export async function refuseOtherSites({ headers }: FastifyRequest): Promise<void> {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin')
    throw new ApiError(SANDBOX.forbidden, 'This form is sent from the demo’s own pages only');
}
