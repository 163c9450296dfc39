/** Cookies as every part of the program sets them: for the whole of this host and no other, and from nobody else's forms. */
import cookiePlugin from '@fastify/cookie';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** What to set: the value still to be URL-encoded. */
export type CookieToSet = {
  readonly name: string;
  readonly value: string;
  /** Seconds. */
  readonly maxAge: number;
  /** Whether the pages' scripts read and set it too. */
  readonly isForScripts?: boolean;
  /** Whether it is kept from every request that another site began, links included. */
  readonly isStrict?: boolean;
};

/** Lets the routes of `app` read and set cookies; called again for one that can already, it does nothing. */
export async function acceptCookies(app: FastifyInstance): Promise<void> {
  if (!app.hasReplyDecorator('setCookie')) await app.register(cookiePlugin);
}

/**
 * Sets a cookie beside whatever others the answer sets. `publicUrl` is the origin that browsers know us by: the cookie is
 * `Secure` where that is. No domain is named, so that it is this host's alone.
 */
export function setCookie(
  reply: FastifyReply,
  { name, value, maxAge, isForScripts = false, isStrict = false }: CookieToSet,
  { publicUrl }: { readonly publicUrl: string },
): void {
  const secure = publicUrl.startsWith('https:');
  const sameSite = isStrict ? 'strict' : 'lax';
  reply.setCookie(name, value, { path: '/', maxAge, sameSite, httpOnly: !isForScripts, secure });
}
