/** What an application chose for a user's calendar. Instants are epoch milliseconds. */
export type Subscription = {
  readonly calendarKey: string;
  /** Its own channel id; undefined where it chose none. */
  readonly channelId: string | undefined;
  /** When it said that the channel expires. */
  readonly expiresAt: number | undefined;
  /** Whether it does not want to hear of the calendar. */
  readonly ended: boolean;
};

export type ChosenSubscription = {
  readonly clientId: string;
  readonly userId: string;
  readonly calendarKey: string;
  /** Undefined leaves what was chosen before. */
  readonly channelId: string | undefined;
  readonly expiresAt: number | undefined;
};

/** Without a row a calendar is followed, under a channel id of ours (channel-id.ts). */
export interface SubscriptionStore {
  /** Whether the application has an endpoint that hears events, whatever its state. */
  hasEndpoint(clientId: string): Promise<boolean>;

  /** Those of a user of which something was chosen. */
  listSubscriptions(clientId: string, userId: string): Promise<Subscription[]>;

  /**
   * Follows the calendar, from the present on where it was not followed. Of concurrent calls with one channel id for two
   * calendars one is `taken`, and nothing is changed by it. `gone`: there is no such calendar any more.
   */
  subscribe(chosen: ChosenSubscription, now: number): Promise<Subscription | 'taken' | 'gone'>;

  /** Nothing of the calendar is sent from then on, nor what waits. A no-op for one that is gone. */
  unsubscribe(calendar: Omit<ChosenSubscription, 'channelId' | 'expiresAt'>, now: number): Promise<void>;
}
