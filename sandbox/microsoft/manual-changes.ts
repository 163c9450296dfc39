/** The changes that people make in Outlook, and that administrators make to accounts. */
import type { EventDraft, EventEditor, ManualChanges } from '../core/provider-sandbox.ts';
import type { DeltaTokens } from './delta-tokens.ts';
import type { Directory } from './directory.ts';
import type { SentResponse } from './mailbox.ts';
import type { MailboxStore } from './mailbox-store.ts';
import type { MicrosoftTokens } from './microsoft-tokens.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The changes at Microsoft, besides those that people make at every provider. */
export type MicrosoftManualChanges = ManualChanges &
  EventEditor & {
    /** Shares another person's calendar with the user: visible only with a `.Shared` permission, at its own path. */
    shareCalendar(
      email: string,
      calendar: {
        title: string;
        timeZone: string;
        owner: { email: string; name: string };
        readOnly?: boolean;
      },
    ): Promise<string>;
    /** Another person invites the person; if `responseRequested` is false, no response is requested. */
    invite(
      email: string,
      calendarId: string,
      draft: EventDraft & {
        readonly organizer: { email: string; name: string; responseRequested?: boolean };
      },
    ): Promise<string>;
    /** Gives the person another address, at which they can be invited too. */
    addAlias(email: string, alias: string): Promise<void>;
    /** Drags an event into another calendar; its immutable id stays. */
    moveEvent(email: string, calendarId: string, move: { id: string; to: string }): Promise<void>;
    /** Attaches a file to an event; another `type` attaches something else, such as `#microsoft.graph.itemAttachment`. */
    attach(
      email: string,
      calendarId: string,
      file: { id: string; name: string; content: string; contentId?: string; type?: string },
    ): Promise<void>;
    /** Makes Teams unavailable to the person from now on. */
    forbidMeetings(email: string): Promise<void>;
    /** Returns the responses that organizers got from the person. */
    responses(email: string): readonly SentResponse[];
    /** Gives an event a custom zone of the organizer's program: `tzone://Microsoft/Custom`. */
    giveCustomZone(email: string, calendarId: string, eventId: string): Promise<void>;
    /** Users of the address's tenant cannot consent (AADSTS90094), and existing grants are refused (AADSTS65001). */
    demandAdminConsent(email: string): Promise<void>;
    /** An administrator of the tenant approves the app. */
    giveAdminConsent(email: string, clientId: string): Promise<void>;
    /**
     * Makes refreshing fail with this AADSTS code: 50076 and 700082 until the user signs in again, 53003 permanently;
     * `undefined` ends it.
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
