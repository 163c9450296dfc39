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
  /** It was known, but not let in: an access token of ours that has expired or was revoked, a page of a flow that is refused. */
  readonly isRefused?: true;
};

/** A request on which it is noted. */
export type AskedBy = { asker?: Asker | undefined };
