/** Types from docs/openapi.json, written by `npm run docs`. */
import type { DeliveredEvent } from './event-shapes.ts';

export type ApplicationUser = {
  /** Your id for the user. */
  readonly user_id: string;
  /** When the user was created. */
  readonly createdAt: string;
  /** When the user was last sent to `/authorize`. */
  readonly lastSeenAt: string;
  readonly accounts: readonly {
    readonly provider: 'google' | 'microsoft' | 'apple' | 'caldav';
    /** The same value as `account` elsewhere. */
    readonly id: string;
    readonly display: string;
    /** When the account was connected. */
    readonly linkedAt: string;
    /** `reauth_required`: the provider refuses the account, and the user must reconnect it. */
    readonly syncState: 'active' | 'reauth_required';
    readonly health: {
      readonly state: 'active' | 'degraded' | 'reauth_required';
      /** Absent while the account is active. */
      readonly reason?: string;
    };
  }[];
  /** The active grants. */
  readonly grants: readonly {
    readonly scope: 'free-busy' | 'read' | 'read-write';
    /** When the code of the grant was exchanged. */
    readonly createdAt: string;
    /** When its tokens were last refreshed. */
    readonly refreshedAt: string;
  }[];
};

export type CalendarPayload = {
  readonly eventType: 'calendar.created' | 'calendar.updated' | 'calendar.deleted';
  readonly userId: string;
  readonly provider: 'google' | 'microsoft' | 'apple' | 'caldav';
  /** When the message was created. */
  readonly timestamp: string;
  readonly metadata: {
    readonly clientId: string;
    /** Counts the deliveries of the calendar, or of the user. */
    readonly sequence: number;
  };
  readonly data: {
    readonly account: string;
    readonly accountName: string;
    readonly id: string;
    readonly title: string;
    readonly timeZone: string;
    readonly access: 'read' | 'write';
    readonly description?: string;
    readonly color?: string;
  };
};

export type ConnectionPayload = {
  readonly eventType:
    | 'connection.connected'
    | 'connection.degraded'
    | 'connection.reauth_required'
    | 'connection.recovered'
    | 'connection.disconnected';
  readonly userId: string;
  readonly provider: 'google' | 'microsoft' | 'apple' | 'caldav';
  /** When the message was created. */
  readonly timestamp: string;
  readonly metadata: {
    readonly clientId: string;
    /** Counts the deliveries of the calendar, or of the user. */
    readonly sequence: number;
  };
  readonly data: {
    readonly account: string;
    readonly accountName: string;
    readonly state?: 'active' | 'degraded' | 'reauth_required';
    /** The cause, as in `GET /connection-status`. */
    readonly reason?: string;
    readonly message?: string;
  };
};

export type DeletedUser = {
  readonly success: true;
  /** The number of deleted objects by kind. It does not identify the user. */
  readonly receipt?: {
    /** When it was deleted. */
    readonly deletedAt: string;
    readonly accounts: number;
    readonly grants: number;
    readonly calendars: number;
    readonly events: number;
    readonly changes: number;
    readonly deliveries: number;
  };
  /** The number of accounts whose access a running server revokes at Google and Microsoft. */
  readonly accessToEnd?: number;
  /** Whether the deleted data has left the disk of the database. */
  readonly offDisk?: boolean;
};

export type LoggedDelivery = {
  /** The `webhook-id` of all its attempts. */
  readonly id: string;
  readonly endpointId: string;
  readonly userId: string;
  readonly provider: 'google' | 'microsoft' | 'apple' | 'caldav';
  readonly calendarId?: string;
  /** The sequence number of the delivery within its calendar. */
  readonly sequence: number;
  readonly changeType: 'created' | 'updated' | 'deleted' | 'mixed';
  readonly eventCount: number;
  readonly state: 'pending' | 'delivered' | 'dead' | 'withheld';
  /** Why it is dead or withheld. */
  readonly reason?: string;
  readonly attempts: number;
  /** When the delivery was created. */
  readonly createdAt: string;
  /** The time of the next attempt. Present while the delivery is pending. */
  readonly nextAttemptAt?: string;
  /** When it was delivered, or became dead or withheld. */
  readonly settledAt?: string;
};

export type LoggedDeliveryDetails = {
  /** The `webhook-id` of all its attempts. */
  readonly id: string;
  readonly endpointId: string;
  readonly userId: string;
  readonly provider: 'google' | 'microsoft' | 'apple' | 'caldav';
  readonly calendarId?: string;
  /** The sequence number of the delivery within its calendar. */
  readonly sequence: number;
  readonly changeType: 'created' | 'updated' | 'deleted' | 'mixed';
  readonly eventCount: number;
  readonly state: 'pending' | 'delivered' | 'dead' | 'withheld';
  /** Why it is dead or withheld. */
  readonly reason?: string;
  readonly attempts: number;
  /** When the delivery was created. */
  readonly createdAt: string;
  /** The time of the next attempt. Present while the delivery is pending. */
  readonly nextAttemptAt?: string;
  /** When it was delivered, or became dead or withheld. */
  readonly settledAt?: string;
  readonly attemptLog: readonly {
    readonly number: number;
    /** When the attempt was sent. */
    readonly startedAt: string;
    readonly durationMs: number;
    readonly status?: number;
    /** Absent if the attempt succeeded. */
    readonly fault?: string;
    /** The first kilobyte of the response. Only for public addresses. */
    readonly answer?: string;
  }[];
  /** The body as it was sent. Null if no grant covers the account any more. */
  readonly body: Readonly<Record<string, unknown>> | null;
};

export type EventsPayload = {
  readonly provider: 'google' | 'microsoft' | 'apple' | 'caldav';
  readonly userId: string;
  readonly calendarId: string;
  readonly events: readonly DeliveredEvent[];
  readonly changeType: 'created' | 'updated' | 'deleted' | 'mixed';
  /** When the message was created. */
  readonly timestamp: string;
  readonly metadata: {
    readonly channelId: string;
    /** The calendar’s number of events if `isInitialSync` is true. */
    readonly eventCount: number;
    /** Whether the first sync of the calendar has finished. */
    readonly isInitialSync: boolean;
    /** The application. Refuse a delivery for another one. */
    readonly clientId: string;
    /** Counts the deliveries of the calendar, or of the user. */
    readonly sequence: number;
    /** For `GET /events/changes`. */
    readonly cursor?: string;
    /** Earlier changes are lost: read all events. */
    readonly reset?: true;
    /** A test that somebody requested. */
    readonly test?: true;
  };
};

export type HandedDelivery = {
  readonly headers: Readonly<Record<string, string>>;
  /** The signed body, as UTF-8. */
  readonly body: string;
};

export type Introspection = {
  /** If it is false, there are no other members. */
  readonly active: boolean;
  readonly scope?: 'free-busy' | 'read' | 'read-write';
  readonly client_id?: string;
  /** Your id for the user. */
  readonly sub?: string;
  /** The application, or the resource that it requested. */
  readonly aud?: string;
  /** The `issuer` of the metadata. */
  readonly iss?: string;
  /** The expiry. Absent for a refresh token without a lifetime. */
  readonly exp?: number;
  /** When the token was issued. */
  readonly iat?: number;
  readonly jti?: string;
  /** Only for an access token: refuse tokens without it. */
  readonly token_type?: 'Bearer' | 'DPoP';
  /** The key to which the token is bound. */
  readonly cnf?: Readonly<Record<string, unknown>>;
};

export type Subscribed = {
  readonly success: true;
  readonly provider: 'google' | 'microsoft' | 'apple' | 'caldav';
  readonly subscription: {
    /** Unique among the user’s calendars. */
    readonly channelId: string;
    readonly expiration?: string;
  };
  /** The URL at Kalends that receives push notifications from the provider. */
  readonly serverWebhookUrl: string;
  /** Unique among the user’s calendars. */
  readonly channelId: string;
};

export type Subscription = {
  readonly provider: 'google' | 'microsoft' | 'apple' | 'caldav';
  readonly account: string;
  readonly calendarId: string;
  /** Unique among the user’s calendars. */
  readonly channelId: string;
  readonly expiration?: string;
};
