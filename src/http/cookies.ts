/** Cookies as every part of the program sets them: for the whole of this host and no other, and from nobody else's forms. */
import cookiePlugin from '@fastify/cookie';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** What to set: the value still to be URL-encoded. It is `Secure` wherever the pages are (setCookie). */
export type CookieToSet = {
  readonly name: string;
  readonly value: string;
  readonly attributes: {
    readonly httpOnly: boolean;
    readonly path: '/';
    /** Seconds. */
    readonly maxAge: number;
    readonly sameSite: 'lax';
  };
};

/** The attributes of a cookie that no script reads. No domain is named: it is this host's alone. */
export const cookieAttributes = (maxAge: number): CookieToSet['attributes'] => ({
  httpOnly: true,
  path: '/',
  maxAge,
  sameSite: 'lax',
});

/** Lets the routes of `app` read and set cookies; called again for one that can already, it does nothing. */
export async function acceptCookies(app: FastifyInstance): Promise<void> {
  if (!app.hasReplyDecorator('setCookie')) await app.register(cookiePlugin);
}

/** Sets a cookie beside whatever others the answer sets; `publicUrl` is the origin that browsers know us by. */
export function setCookie(
  reply: FastifyReply,
  { name, value, attributes }: CookieToSet,
  { publicUrl }: { readonly publicUrl: string },
): void {
  reply.setCookie(name, value, { ...attributes, secure: publicUrl.startsWith('https:') });
}
