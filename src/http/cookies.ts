/** Cookies of every part of the program: for all paths of this host only, and not sent with forms of other sites. */
import cookiePlugin from '@fastify/cookie';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** A cookie to set; `value` is not yet URL-encoded. */
export type CookieToSet = {
  readonly name: string;
  readonly value: string;
  /** In seconds. */
  readonly maxAge: number;
  /** Whether scripts of pages can read and set it. */
  readonly isForScripts?: boolean;
  /** Whether it is left out of every request that another site started, links included (SameSite=Strict). */
  readonly isStrict?: boolean;
};

/** Lets the routes of `app` read and set cookies. Calling it again does nothing. */
export async function acceptCookies(app: FastifyInstance): Promise<void> {
  if (!app.hasReplyDecorator('setCookie')) await app.register(cookiePlugin);
}

/** Sets a cookie for this host only (no domain), `Secure` if `publicUrl` is https. Other cookies stay. */
export function setCookie(
  reply: FastifyReply,
  { name, value, maxAge, isForScripts = false, isStrict = false }: CookieToSet,
  { publicUrl }: { readonly publicUrl: string },
): void {
  const secure = publicUrl.startsWith('https:');
  const sameSite = isStrict ? 'strict' : 'lax';
  reply.setCookie(name, value, { path: '/', maxAge, sameSite, httpOnly: !isForScripts, secure });
}
