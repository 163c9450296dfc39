/** Events of other organizers, as they appear in the calendar of a person they invite. */
import type { EventDraft, ManualChanges } from '../core/provider-sandbox.ts';
import { insertEvent } from './calendar-events.ts';
import type { EventDetails } from './google-store.ts';
import type { GoogleHabits } from './habits.ts';
import { inputOf, lookups, type ManualChangesDeps } from './manual-changes.ts';

export type InvitationDraft = EventDraft & {
  readonly organizer: string;
  /** The address that the invitation uses if it is an alias, not that of the person's calendar. */
  readonly guest?: string;
} & Pick<EventDetails, 'guestsCanModify' | 'guestsCanInviteOthers'>;

type InvitationDeps = Omit<ManualChangesDeps, 'tokens'>;

/** Adds an invitation to the person's calendar and returns its event id there. */
export function receiveInvitation(
  { email, calendarId }: { readonly email: string; readonly calendarId: string },
  { organizer, guest = email, guestsCanModify, guestsCanInviteOthers, ...draft }: InvitationDraft,
  { store, channels, now }: InvitationDeps,
): string {
  const calendar = lookups(store).calendarOf(email, calendarId);
  const { details, ...input } = inputOf(draft);
  const invited = [{ email: guest, responseStatus: 'needsAction' }];
  const permissions = {
    ...(guestsCanModify === undefined ? {} : { guestsCanModify }),
    ...(guestsCanInviteOthers === undefined ? {} : { guestsCanInviteOthers }),
  };
  const event = { ...details, ...permissions, attendees: [...(details.attendees ?? []), ...invited] };
  const invitation = { organizer, guest };
  const { id } = insertEvent(
    calendar,
    { ...input, details: event, invitation },
    { email: organizer, now: now() },
  );
  channels.changed(calendar.id);
  return id;
}

/** Returns the same changes, except that every `invitationEvery`-th new event becomes an invitation. */
export function withInvitations(
  manual: ManualChanges,
  { invitationEvery }: GoogleHabits,
  deps: InvitationDeps,
): ManualChanges {
  let createdCount = 0;
  return {
    ...manual,
    async createEvent(email, calendarId, draft) {
      createdCount += 1;
      if (invitationEvery === 0 || createdCount % invitationEvery !== 0)
        return manual.createEvent(email, calendarId, draft);
      const organizer = 'somebody@other.example';
      const guest = `alias-of-${email}`;
      return receiveInvitation({ email, calendarId }, { ...draft, organizer, guest }, deps);
    },
  };
}
