/** The settings of an application for a user's calendar. Instants are epoch milliseconds. */
export type Subscription = {
  readonly calendarKey: string;
  /** The application's channel id; undefined if it chose none. */
  readonly channelId: string | undefined;
  /** The channel's expiry as the application gave it. */
  readonly expiresAt: number | undefined;
  /** Whether the application unsubscribed from the calendar. */
  readonly ended: boolean;
};

export type ChosenSubscription = {
  readonly clientId: string;
  readonly userId: string;
  readonly calendarKey: string;
  /** Undefined keeps the previous channel id. */
  readonly channelId: string | undefined;
  readonly expiresAt: number | undefined;
};

/** Stores subscriptions. Without a row a calendar is subscribed, with its default channel id (channel-id.ts). */
export interface SubscriptionStore {
  /** Returns whether the application has an endpoint with the topic `events`, whatever its state. */
  hasEndpoint(clientId: string): Promise<boolean>;

  /** Lists the calendars of a user for which the application made settings. */
  listSubscriptions(clientId: string, userId: string): Promise<Subscription[]>;

  /**
   * Subscribes to the calendar; if it was not subscribed before, from now on. If concurrent calls use one channel id
   * for two calendars, one call returns `taken` and changes nothing. `gone`: the calendar no longer exists.
   */
  subscribe(chosen: ChosenSubscription, now: number): Promise<Subscription | 'taken' | 'gone'>;

  /** Unsubscribes from the calendar, also from waiting changes. Does nothing if the calendar does not exist. */
  unsubscribe(calendar: Omit<ChosenSubscription, 'channelId' | 'expiresAt'>, now: number): Promise<void>;
}
