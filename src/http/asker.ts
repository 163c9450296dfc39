/** Whose a request is, once that is proved: for what is written about requests, never for what they may do. */

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined until somebody is known. */
    asker: Asker | undefined;
  }
}

export type Asker = {
  readonly clientId: string;
  /** Whose access token it is; undefined where the application asks for itself. */
  readonly userId?: string | undefined;
  /** Its access token is one of ours that has expired or was revoked: nobody was let in. */
  readonly isRefused?: true;
};

/** A request on which it is noted. */
export type AskedBy = { asker?: Asker | undefined };
