/** The authenticated caller of a request, for logs and counters. It decides no access. */

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined until the caller is authenticated. */
    asker: Asker | undefined;
  }
}

export type Asker = {
  readonly clientId: string;
  /** The user of the access token. Undefined if the application called for itself. */
  readonly userId?: string | undefined;
  /** Set if a known caller was rejected: its token expired or was revoked, or the page of its flow is refused. */
  readonly isRefused?: true;
};

export type AskedBy = { asker?: Asker | undefined };
