/** The caller of a request, for logs and counters. It decides no access. */

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined until the caller is authenticated or, in a failed request, has named an application. */
    asker: Asker | undefined;
  }
}

export type Asker = {
  readonly clientId: string;
  /** The user of the access token. Undefined if the application called for itself. */
  readonly userId?: string | undefined;
  /** Set if a known caller was rejected: its token expired or was revoked, or the page of its flow is refused. */
  readonly isRefused?: true;
  /** Set if a failed request only named an existing application, which anybody can do. It has no user. */
  readonly isClaimed?: true;
};

export type AskedBy = { asker?: Asker | undefined };

/** Returns the application that the caller proved to be. */
export const provenClientId = (asker: Asker | undefined): string | undefined =>
  asker?.isClaimed ? undefined : asker?.clientId;
