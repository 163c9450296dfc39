/** Requests that write calendars, and what their tests share. */
import type { CalendarServer } from '../harness/calendar-server.ts';

/** Google's permission for calendars themselves. */
export const FULL = 'https://www.googleapis.com/auth/calendar';

export const RGB = { first: '#1a73e8', second: '#d50000' };

export type Listed = { id: string; title: string; color?: string; description?: string; timeZone: string };

export async function send(
  server: CalendarServer,
  method: 'POST' | 'PUT' | 'DELETE',
  body: object,
  headers: Record<string, string> = {},
) {
  const authorization = `Bearer ${await server.token()}`;
  const answer = await server.app.inject({
    method,
    url: '/calendars',
    headers: { authorization, ...headers },
    payload: body,
  });
  return { status: answer.statusCode, body: answer.json() };
}
