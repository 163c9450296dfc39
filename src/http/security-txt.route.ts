/** GET /.well-known/security.txt (RFC 9116): 404 if the operator set no contact. */
import type { FastifyPluginAsync } from 'fastify';

export type SecurityTxtDeps = {
  /** A mailto: or https: address. If undefined, the route does not exist. */
  readonly securityContact?: string | undefined;
  /** The public origin, without a trailing slash. */
  readonly publicUrl: string;
  now(): number;
};

/** Mounted at the origin's root. */
export function securityTxtRoute({ securityContact, publicUrl, now }: SecurityTxtDeps): FastifyPluginAsync {
  return async (app) => {
    if (securityContact === undefined) return;
    app.get(SECURITY_TXT_PATH, async (_request, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .header('cache-control', 'public, max-age=300')
        .send(securityTxt({ contact: securityContact, publicUrl, now: now() })),
    );
  };
}

/** The validity of the text: less than a year, as RFC 9116 §2.5.5 recommends. */
const HOLDS_FOR_MS = 180 * 24 * 3600 * 1000;
/** The text expires at a midnight, so that it is the same all day. */
const DAY_MS = 24 * 3600 * 1000;

export type SecurityTxtSubject = {
  /** A mailto: or https: address. */
  readonly contact: string;
  readonly publicUrl: string;
  /** Epoch milliseconds. */
  readonly now: number;
};

/** Returns the document, with CRLF after each line. It contains its own address if that is https. */
export function securityTxt({ contact, publicUrl, now }: SecurityTxtSubject): string {
  const expires = Math.floor((now + HOLDS_FOR_MS) / DAY_MS) * DAY_MS;
  const lines = [
    // As a URL, nothing in it can begin another line.
    `Contact: ${new URL(contact).href}`,
    `Expires: ${new Date(expires).toISOString()}`,
    'Preferred-Languages: en',
    ...(publicUrl.startsWith('https:') ? [`Canonical: ${publicUrl}${SECURITY_TXT_PATH}`] : []),
  ];
  return lines.map((line) => `${line}\r\n`).join('');
}

/** The path that RFC 9116 §3 requires. */
export const SECURITY_TXT_PATH = '/.well-known/security.txt';
