/** What people do in Outlook, and what administrators do behind it. */
import type { EventDraft, ManualChanges } from '../core/provider-sandbox.ts';
import type { DeltaTokens } from './delta-tokens.ts';
import type { Directory } from './directory.ts';
import type { SentResponse } from './mailbox.ts';
import type { MailboxStore } from './mailbox-store.ts';
import type { MicrosoftTokens } from './microsoft-tokens.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Beside what people do at every provider. */
export type MicrosoftManualChanges = ManualChanges & {
  /** Another person's calendar that the user was given: seen with a `.Shared` permission, by its own path only. */
  shareCalendar(
    email: string,
    calendar: { title: string; timeZone: string; owner: { email: string; name: string }; readOnly?: boolean },
  ): Promise<string>;
  /** Somebody else invites the person; `responseRequested` false asks for no answer. */
  invite(
    email: string,
    calendarId: string,
    draft: EventDraft & { readonly organizer: { email: string; name: string; responseRequested?: boolean } },
  ): Promise<string>;
  /** Gives the person another address, at which they may be invited too. */
  addAlias(email: string, alias: string): Promise<void>;
  /** Drags an event into another calendar; its immutable id stays. */
  moveEvent(email: string, calendarId: string, move: { id: string; to: string }): Promise<void>;
  /** Puts a file with an event; another `type` for what is no file, as `#microsoft.graph.itemAttachment`. */
  attach(
    email: string,
    calendarId: string,
    file: { id: string; name: string; content: string; contentId?: string; type?: string },
  ): Promise<void>;
  /** The person has no Teams (any more). */
  forbidMeetings(email: string): Promise<void>;
  /** The answers that organizers got from the person. */
  responses(email: string): readonly SentResponse[];
  /** The organizer's program brought rules of its own: `tzone://Microsoft/Custom`. */
  giveCustomZone(email: string, calendarId: string, eventId: string): Promise<void>;
  /** Users of the address's tenant cannot consent (AADSTS90094), and existing grants are refused (AADSTS65001). */
  demandAdminConsent(email: string): Promise<void>;
  /** An administrator of the tenant lets the app in. */
  giveAdminConsent(email: string, clientId: string): Promise<void>;
  /**
   * Refreshing ends in this AADSTS code: 50076, 700082 until the user signs in anew, 53003 for good; `undefined` ends it.
   */
  block(email: string, code: 50076 | 50173 | 53003 | 700082 | undefined): Promise<void>;
  sendLifecycle(
    email: string,
    event: 'reauthorizationRequired' | 'subscriptionRemoved' | 'missed',
  ): Promise<void>;
};

export type ManualChangesDeps = {
  readonly directory: Directory;
  readonly store: MailboxStore;
  readonly deltas: DeltaTokens;
  readonly tokens: MicrosoftTokens;
  readonly subscriptions: Subscriptions;
  now(): number;
  origin(): string;
};
