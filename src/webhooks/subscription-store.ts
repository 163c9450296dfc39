/** An application's settings for a user's calendar. Instants are epoch milliseconds. */
export type Subscription = {
  readonly calendarKey: string;
  /** Undefined if the application chose none. */
  readonly channelId: string | undefined;
  /** The expiry that the application gave. */
  readonly expiresAt: number | undefined;
  /** Whether the application unsubscribed. */
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

/** Stores subscriptions. Without a row, a calendar is subscribed under its default channel id (channel-id.ts). */
export interface SubscriptionStore {
  /** Returns whether the application has an endpoint with the topic `events`, in any state. */
  hasEndpoint(clientId: string): Promise<boolean>;

  /** Lists the calendars of a user that have settings of the application. */
  listSubscriptions(clientId: string, userId: string): Promise<Subscription[]>;

  /**
   * Subscribes from now on, unless already subscribed. If concurrent calls use one channel id for two calendars, one
   * returns `taken` without a change. `gone`: the calendar does not exist.
   */
  subscribe(chosen: ChosenSubscription, now: number): Promise<Subscription | 'taken' | 'gone'>;

  /** Unsubscribes, also from waiting changes. Does nothing if the calendar does not exist. */
  unsubscribe(calendar: Omit<ChosenSubscription, 'channelId' | 'expiresAt'>, now: number): Promise<void>;
}
