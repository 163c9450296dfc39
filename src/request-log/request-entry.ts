/** The stored facts of a request: no address, token, code or text of an event. Instants are epoch milliseconds. */
export type RequestEntry = {
  readonly requestId: string;
  readonly at: number;
  readonly method: string;
  /** The route's pattern; undefined if there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  /** The application, as far as it is proved whose the request is. */
  readonly clientId: string | undefined;
  /** How the audit log names the user too (audit/user-subject.ts). */
  readonly user: string | undefined;
  /** The network the request came from, without the part that distinguishes its hosts. */
  readonly network: string | undefined;
  /** The body of an error response, as JSON. */
  readonly body: string | undefined;
  /** The number of equal requests that the entry stands for. */
  readonly repeated: number;
};

/** An entry to be written, with the user's own id, which is not stored. */
export type NewRequestEntry = Omit<RequestEntry, 'user'> & { readonly userId: string | undefined };

/** 400 and above. */
export const isRefusal = ({ status }: Pick<RequestEntry, 'status'>): boolean => status >= 400;
