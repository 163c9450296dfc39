/** A calendar as its provider describes it. */
export type ProviderCalendar = {
  /** The id on the wire: for CalDAV the collection's absolute URL in the server's spelling. */
  readonly href: string;
  readonly title: string;
  readonly description?: string;
  /** `#rrggbb`. */
  readonly color?: string;
  /** An IANA zone; `UTC` if the provider names none. */
  readonly timeZone: string;
  readonly access: 'write' | 'read';
  /** Whether the provider marks it as the account's main calendar. */
  readonly primary?: boolean;
  /** The version of its events; undefined if the provider's list has none. */
  readonly version?: CalendarVersion;
  /** The provider's own object, for `original`. */
  readonly original: Readonly<Record<string, unknown>>;
};

/** The version of a calendar's events. `tag` is opaque; `readAt` is when it arrived, epoch milliseconds. */
export type CalendarVersion = { readonly tag: string; readonly readAt: number };
