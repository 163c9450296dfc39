/** The stored facts of a request: no address, token, code or text of an event. Instants are epoch milliseconds. */
export type RequestEntry = {
  readonly requestId: string;
  readonly at: number;
  readonly method: string;
  /** The route's pattern; undefined if there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  /** The application, if the request proved it or named an existing one. */
  readonly clientId: string | undefined;
  /** Whether the request only named its application. Such an entry has no user and counts as one of an unknown caller. */
  readonly isClaimed: boolean;
  /** The user's name in the audit log as well (audit/user-subject.ts). */
  readonly user: string | undefined;
  /** The caller's network, without the host. */
  readonly network: string | undefined;
  /** The body of an error response, as JSON. */
  readonly body: string | undefined;
  /** The number of equal requests that the entry stands for. */
  readonly repeated: number;
};

/** An entry to write, with the user's id, which is not stored. */
export type NewRequestEntry = Omit<RequestEntry, 'user'> & { readonly userId: string | undefined };

/** Returns whether the caller is unknown: limits count its requests apart from those of applications. */
export const isOfStranger = ({
  clientId,
  isClaimed,
}: Pick<RequestEntry, 'clientId' | 'isClaimed'>): boolean => clientId === undefined || isClaimed;

export const isRefusal = ({ status }: Pick<RequestEntry, 'status'>): boolean => status >= 400;
