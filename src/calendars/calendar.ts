/** A calendar as its provider describes it. */
export type ProviderCalendar = {
  /** The id on the wire: for CalDAV the collection's absolute URL in the server's spelling. */
  readonly href: string;
  readonly title: string;
  readonly description?: string;
  /** `#rrggbb`. */
  readonly color?: string;
  /** An IANA zone; `UTC` when the provider names none. */
  readonly timeZone: string;
  readonly access: 'write' | 'read';
  /** The account's main calendar, as far as its provider names one. */
  readonly primary?: boolean;
  /** What changes whenever its events do; absent where the provider's list tells nothing of them. */
  readonly version?: CalendarVersion;
  /** The provider's own object, for `original`. */
  readonly original: Readonly<Record<string, unknown>>;
};

/** `tag` is opaque, and compared with earlier ones only; `readAt` is when the answer that has it had come, epoch ms. */
export type CalendarVersion = { readonly tag: string; readonly readAt: number };
