/** Events of other organizers, as they come to the calendar of somebody they invite. */
import type { EventDraft, ManualChanges } from '../core/provider-sandbox.ts';
import { insertEvent } from './calendar-events.ts';
import type { EventDetails } from './google-store.ts';
import type { GoogleHabits } from './habits.ts';
import { inputOf, lookups, type ManualChangesDeps } from './manual-changes.ts';

export type InvitationDraft = EventDraft & {
  readonly organizer: string;
  /** The address the person is invited by, where it is not that of their calendar: an alias. */
  readonly guest?: string;
} & Pick<EventDetails, 'guestsCanModify' | 'guestsCanInviteOthers'>;

type InvitationDeps = Omit<ManualChangesDeps, 'tokens'>;

/** Answers the event's id in the calendar, which is the person's. */
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

/** The same, where every so many-th event that is made is an invitation. */
export function withInvitations(
  manual: ManualChanges,
  { invitationEvery }: GoogleHabits,
  deps: InvitationDeps,
): ManualChanges {
  let made = 0;
  return {
    ...manual,
    async createEvent(email, calendarId, draft) {
      made += 1;
      if (invitationEvery === 0 || made % invitationEvery !== 0)
        return manual.createEvent(email, calendarId, draft);
      const organizer = 'somebody@other.example';
      const guest = `alias-of-${email}`;
      return receiveInvitation({ email, calendarId }, { ...draft, organizer, guest }, deps);
    },
  };
}
