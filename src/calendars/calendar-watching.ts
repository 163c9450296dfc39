/** Being told by a provider that something changed. What it tells is a hint: what changed is read as always. */
export interface CalendarWatching {
  /** Whether a provider that makes a watch has reached us by then. Else a watch counts once it was heard from. */
  readonly provesReach: boolean;

  /**
   * Asks to be told of changes in a calendar. Fails as UnsupportedByProvider where there is no watching this one, and with
   * ProviderError.
   */
  watch(calendarHref: string, hook: WatchHook): Promise<MadeWatch>;

  /** The same for the list of calendars; absent where it cannot be watched. */
  watchList?(hook: WatchHook): Promise<MadeWatch>;

  /** Makes it last longer; `not_found` when the provider has no such watch any more. Absent: another one is made instead. */
  renew?(remoteId: string): Promise<MadeWatch>;

  /** Fails with ProviderError, as `not_found` for what is gone. */
  stop(watch: { readonly watchId: string; readonly remoteId: string }): Promise<void>;
}

/** Where to tell, and what proves that it is the provider who does: both are sent with each notice. */
export type WatchHook = { readonly watchId: string; readonly token: string; readonly url: string };

/** `remoteId` is the provider's name for it; `expiresAt` is epoch milliseconds. */
export type MadeWatch = { readonly remoteId: string; readonly expiresAt: number };
