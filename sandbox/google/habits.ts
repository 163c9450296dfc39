/** What Google is reported to do beyond its reference, each a switch: off, it is kind to clients. Where each comes from: docs/sandbox.md. */
export type GoogleHabits = {
  /** Whether `iCalUID` finds cancelled exceptions. Their UID is none of the members that are sure to be there. */
  readonly uidFindsCancelled: boolean;
  /** Whether the organizer reads title, times and the rest of what was cancelled. */
  readonly cancelledDetails: boolean;
  /** What becomes of a guest's change of what all guests share: refused, or answered as if nothing had been asked. */
  readonly guestChanges: 'refused' | 'ignored';
  /** An event with more guests than this names only the calendar's own, with `attendeesOmitted`. */
  readonly mostGuests: number;
  /** The same in answers to PATCH and PUT. */
  readonly mostGuestsWritten: number;
  /** Most instances in a page, which may have fewer than were asked for. */
  readonly instancesPerPage: number;
  /** Every so many-th event that people make is somebody else's, who invites them by an alias; none when 0. */
  readonly invitationEvery: number;
};

const KIND: GoogleHabits = {
  uidFindsCancelled: true,
  cancelledDetails: false,
  guestChanges: 'refused',
  mostGuests: Number.POSITIVE_INFINITY,
  mostGuestsWritten: Number.POSITIVE_INFINITY,
  instancesPerPage: 2500,
  invitationEvery: 0,
};

export const habitsOf = (switched: Partial<GoogleHabits>): GoogleHabits => ({
  uidFindsCancelled: switched.uidFindsCancelled ?? KIND.uidFindsCancelled,
  cancelledDetails: switched.cancelledDetails ?? KIND.cancelledDetails,
  guestChanges: switched.guestChanges ?? KIND.guestChanges,
  mostGuests: switched.mostGuests ?? KIND.mostGuests,
  mostGuestsWritten: switched.mostGuestsWritten ?? KIND.mostGuestsWritten,
  instancesPerPage: switched.instancesPerPage ?? KIND.instancesPerPage,
  invitationEvery: switched.invitationEvery ?? KIND.invitationEvery,
});
