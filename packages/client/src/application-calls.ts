/** Calls of the application itself, without a user's token: users, free time, and the log of deliveries. */
import type {
  ApplicationUser,
  CalendarPayload,
  ConnectionPayload,
  DeletedUser,
  EventsPayload,
  HandedDelivery,
  Introspection,
  LoggedDelivery,
  LoggedDeliveryDetails,
} from './api-types.ts';
import { type Authenticated, sendAuthenticated } from './authorization.ts';
import type {
  AccountOfProvider,
  Availability,
  AvailabilityQuery,
  Instant,
  Provider,
  ReconnectLink,
} from './calendar-shapes.ts';
import { type Call, type SendOptions, send } from './send.ts';
import { queryOf } from './user-call.ts';

/** The body of a delivery. Deliveries of events have no `eventType`; the other topics have one. */
export type WebhookPayload =
  | (EventsPayload & { readonly eventType?: undefined })
  | CalendarPayload
  | ConnectionPayload;

/** The deliveries to list or resend; each field is optional. */
export type DeliveriesQuery = {
  readonly from?: Instant;
  /** Exclusive. */
  readonly to?: Instant;
  readonly state?: LoggedDelivery['state'];
  readonly userId?: string;
  readonly provider?: Provider;
  readonly calendarId?: string;
  readonly endpointId?: string;
};

/** The deliveries that a listener receives, and when it ends. */
export type ListenOptions = {
  /** `events` by default. */
  readonly hears?: readonly ('events' | 'calendars' | 'connections')[];
  /** True to also receive changes that the application made itself. */
  readonly own?: boolean;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
};

/** A delivery to a listener: its id and payload, and the signed request to forward. */
export type ListenedDelivery = HandedDelivery & { readonly id: string; readonly payload: WebhookPayload };

/** The calls of an application that concern its users and deliveries. All fail with KalendsError. */
export type ApplicationCalls = {
  /** Returns slots in which all these users of the application are free; at most 20 users. */
  availability(userIds: readonly string[], query: AvailabilityQuery): Promise<Availability>;
  /**
   * Creates a link with which the user reconnects one account; send it only to that user. Fails with KalendsError:
   * `user_not_found`, `account_not_found`, or `grant_required` if no active grant covers the account.
   */
  reconnectLink(userId: string, account: AccountOfProvider): Promise<ReconnectLink>;
  /** Returns the accounts and grants of a user. Fails with code `user_not_found`. */
  getUser(userId: string): Promise<ApplicationUser>;
  /** Deletes a user with all accounts, copies of calendars, grants and tokens; an unknown user is not an error. */
  deleteUser(userId: string): Promise<DeletedUser>;
  /**
   * Returns the state of an access or refresh token of the application. `active` is false for all others, and for those
   * that have expired, were revoked or rotated.
   */
  introspect(token: string): Promise<Introspection>;
  /** Yields the deliveries of the last 30 days, the newest first, page by page. */
  deliveries(query?: DeliveriesQuery): AsyncGenerator<LoggedDelivery, void, undefined>;
  /** Returns a delivery with its attempts and its body. Fails with code `delivery_not_found`. */
  delivery(id: string): Promise<LoggedDeliveryDetails>;
  /** Resends a delivery under the same id. */
  replay(id: string): Promise<{ readonly success: true; readonly id: string }>;
  /** Resends the deliveries of a period, the oldest first, at most 10,000; `more` is true if there are others. */
  replayAll(
    query: DeliveriesQuery & { readonly from: Instant; readonly to: Instant },
  ): Promise<{ readonly success: true; readonly count: number; readonly more: boolean }>;
  /**
   * Yields deliveries from now on to a program that cannot receive requests. Leaving the loop or aborting `signal` ends
   * the listener. It also ends after three minutes without a request: take less time for a delivery, or the next call
   * fails with code `listener_not_found`.
   */
  listen(options?: ListenOptions): AsyncGenerator<ListenedDelivery, void, undefined>;
};

/** The longest wait of a listener that the service accepts, in seconds. */
const LISTENER_WAIT = 25;

/** Returns the calls of one application. `sending` reaches the interface, which is the same for both issuers. */
export function applicationCalls(authenticated: Authenticated, sending: SendOptions): ApplicationCalls {
  const call = async <T>(method: Call['method'], path: string, rest: Partial<Call> = {}): Promise<T> => {
    const access = await authenticated.authentication.access();
    // The service documents this type for the path; it is not checked here.
    return (await send({ method, path, ...access, repeatable: true, ...rest }, sending)).body as T;
  };
  const wait = Math.max(1, Math.min(LISTENER_WAIT, Math.floor(sending.timeout / 1000) - 1));

  return {
    availability: (userIds, query) =>
      call('POST', '/availability', { json: { ...query, user_ids: userIds } }),
    reconnectLink: (userId, { provider, account }) =>
      call('POST', `${userPath(userId)}/reconnect-links`, { json: { provider, account } }),
    getUser: (userId) => call('GET', userPath(userId)),
    deleteUser: (userId) => call('DELETE', userPath(userId)),
    introspect: async (token) =>
      (await sendAuthenticated('/introspect', { token }, authenticated)) as Introspection, // as documented
    delivery: (id) => call('GET', deliveryPath(id)),
    replay: (id) => call('POST', `${deliveryPath(id)}/replay`),
    replayAll: (query) => call('POST', '/webhooks/replay', { json: query }),

    async *deliveries(query = {}) {
      type Page = { readonly deliveries: readonly LoggedDelivery[]; readonly nextPageToken?: string };
      let nextPageToken: string | undefined;
      do {
        const page = { query: queryOf({ ...query, nextPageToken }) };
        const answer = await call<Page>('GET', '/webhooks/deliveries', page);
        yield* answer.deliveries;
        nextPageToken = answer.nextPageToken;
      } while (nextPageToken !== undefined);
    },

    async *listen({ signal, ...listener } = {}) {
      const created = { json: listener, repeatable: false };
      const { id } = await call<{ readonly id: string }>('POST', '/webhooks/listeners', created);
      const path = `/webhooks/listeners/${encodeURIComponent(id)}`;
      const query = queryOf({ wait });
      type Page = { readonly deliveries: readonly HandedDelivery[] };
      try {
        while (!signal?.aborted) {
          const page = await call<Page>('GET', `${path}/deliveries`, { query, signal });
          for (const { headers, body } of page.deliveries)
            yield { id: headers['webhook-id'] ?? '', payload: JSON.parse(body), headers, body };
        }
      } catch (error) {
        if (!signal?.aborted) throw error;
      } finally {
        // If this fails, the listener ends by itself.
        await call('DELETE', path).catch(() => {});
      }
    },
  };
}

const userPath = (userId: string): string => `/users/${encodeURIComponent(userId)}`;
const deliveryPath = (id: string): string => `/webhooks/deliveries/${encodeURIComponent(id)}`;
