/** `GET /.well-known/security.txt` (RFC 9116): 404 where the operator named no contact. */
import type { FastifyPluginAsync } from 'fastify';

import { SECURITY_TXT_PATH, securityTxt } from './security-txt.ts';

export type SecurityTxtDeps = {
  /** A mailto: or https: address; undefined: none is told. */
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
