/** Creates watches for push notifications. A notification is only a hint: the changes are read as always. */
export interface CalendarWatching {
  /** Whether creating a watch proves that the provider reaches us. If not, its first notification does. */
  readonly provesReach: boolean;

  /** Creates a watch of a calendar. Fails as UnsupportedByProvider if it cannot be watched, and with ProviderError. */
  watch(calendarHref: string, hook: WatchHook): Promise<CreatedWatch>;

  /** Creates a watch of the list of calendars. Absent if the list cannot be watched. */
  watchList?(hook: WatchHook): Promise<CreatedWatch>;

  /** Extends a watch. Fails as `not_found` if the provider no longer has it. If absent, another watch is created. */
  renew?(remoteId: string): Promise<CreatedWatch>;

  /** Ends a watch. Fails with ProviderError, as `not_found` if it no longer exists. */
  stop(watch: { readonly watchId: string; readonly remoteId: string }): Promise<void>;
}

/** The address for notifications, with the id and the secret that each of them contains. */
export type WatchHook = { readonly watchId: string; readonly token: string; readonly url: string };

/** A new watch. `remoteId` is the provider's name for it; `expiresAt` is epoch milliseconds. */
export type CreatedWatch = { readonly remoteId: string; readonly expiresAt: number };
